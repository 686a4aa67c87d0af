// The Arrow C data interface: the structures that libraries of one process exchange tables with, without copies
// (https://arrow.apache.org/docs/format/CDataInterface.html). Their layout is fixed, so no library is needed.
#pragma once
#include <cstdint>
#include <utility>

extern "C" {

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

}  // extern "C"

namespace tagpool {

inline constexpr int64_t kArrowNullable = 2;
inline constexpr const char* kArrowStream = "arrow_array_stream";  // name of a capsule with a stream
inline constexpr const char* kArrowSchema = "arrow_schema";

// Owned: one of the structures, which is released with this object.
template <class Structure>
class Owned {
public:
    Owned() : value_{} {}
    // Moves the structure of a producer, which must not release it any more.
    explicit Owned(Structure& source) : value_(source) { source.release = nullptr; }
    Owned(Owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
    Owned& operator=(Owned&& other) noexcept {
        std::swap(value_, other.value_);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { reset(); }

    void reset() {
        if (value_.release) value_.release(&value_);
        value_ = Structure{};
    }
    bool valid() const { return value_.release != nullptr; }
    Structure* get() { return &value_; }
    Structure* operator->() { return &value_; }
    const Structure& operator*() const { return value_; }

private:
    Structure value_;
};

}  // namespace tagpool
