// Buffer: a growable array of plain numbers that grows by realloc. Large blocks are then moved by the operating system without
// being copied, so that growing costs no second copy at the peak, as std::vector's does.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace tagpool {

// Large arrays are written from one end to the other, or probed at random: both cost fewer faults with large pages.
// The whole block is named, to its last page: a mapping advised in part would be split, and could no longer grow in place.
inline void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#ifdef __linux__
    constexpr uintptr_t kPage = 4096, kWorthIt = 4 << 20;
    if (bytes < kWorthIt) return;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data) & ~(kPage - 1);
    const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes + kPage - 1) & ~(kPage - 1);
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish: failing does no harm
#endif
}

// Gives memory back to the system that was freed but kept for later: worth it before something large is made that others will not fit.
inline void release_memory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

    void push_back(T value) {
        if (size_ == capacity_) reallocate(capacity_ < 16 ? 16 : capacity_ + capacity_ / 2);
        data_[size_++] = value;
    }
    // Room for so many more; they may then be pushed unchecked.
    void reserve_more(size_t count) {
        if (size_ + count > capacity_) reallocate(size_ + count + capacity_ / 2);
    }
    void push_unchecked(T value) { data_[size_++] = value; }
    // Those that were written behind the last, into such room.
    void take(size_t count) { size_ += count; }
    void append(const T* values, size_t count) {
        if (count == 0) return;
        reserve_more(count);
        std::memcpy(data_ + size_, values, count * sizeof(T));
        size_ += count;
    }
    void fill(size_t count, T value) {
        if (count > capacity_) reallocate(count);
        for (size_t i = 0; i < count; ++i) data_[i] = value;
        size_ = count;
    }
    // So many values, of which nothing is known: for those who write them all. What was there is lost.
    void fill_later(size_t count) {
        if (count > capacity_) {
            clear();
            reallocate(count);
        }
        size_ = count;
    }
    void clear() { size_ = 0; }
    void truncate(size_t count) { size_ = count; }
    void shrink() {
        if (size_ < capacity_) reallocate(size_);
    }

private:
    void reallocate(size_t capacity) {
        if (capacity == 0) {
            std::free(data_);
            data_ = nullptr;
        } else {
            void* moved = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
            if (!moved) throw std::bad_alloc();
            data_ = static_cast<T*>(moved);
            prefer_huge_pages(moved, capacity * sizeof(T));
        }
        capacity_ = capacity;
        if (size_ > capacity_) size_ = capacity_;
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    T* data_ = nullptr;
    size_t size_ = 0, capacity_ = 0;
};

}  // namespace tagpool
