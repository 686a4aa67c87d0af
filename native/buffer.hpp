// Buffer: a growable array of plain numbers that grows by realloc. Large blocks are then moved by the operating system without
// being copied, so that growing costs no second copy at the peak, as std::vector's does.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace tagpool {

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
    void append(const T* values, size_t count) {
        if (count == 0) return;
        if (size_ + count > capacity_) reallocate(size_ + count + capacity_ / 2);
        std::memcpy(data_ + size_, values, count * sizeof(T));
        size_ += count;
    }
    void fill(size_t count, T value) {
        reallocate(count);
        for (size_t i = 0; i < count; ++i) data_[i] = value;
        size_ = count;
    }
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
