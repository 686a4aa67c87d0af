// Buffer: a growable array of trivially copyable items that grows by realloc. The operating system moves large blocks without
// copying them, so growing needs no second copy at the peak, unlike std::vector.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__) && !defined(TAGPOOL_PORTABLE)
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace tagpool {

// Requests huge pages for a large array: fewer page faults and TLB misses.
// Advises the whole block to its last page, since a mapping advised in part is split and can no longer grow in place.
inline void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t bytes) {
#if defined(__linux__) && !defined(TAGPOOL_PORTABLE)
    constexpr uintptr_t kPage = 4096, kMinimumBytes = 4 << 20;
    if (bytes < kMinimumBytes) return;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data) & ~(kPage - 1);
    const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes + kPage - 1) & ~(kPage - 1);
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // only a hint: errors are ignored
#endif
}

// Returns freed memory to the operating system, before a large allocation that cannot reuse it.
inline void release_memory() {
#if defined(__GLIBC__) && !defined(TAGPOOL_PORTABLE)
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
    // Makes room for `count` more items, which may then be pushed unchecked.
    void reserve_more(size_t count) {
        if (size_ + count > capacity_) reallocate(size_ + count + capacity_ / 2);
    }
    void push_unchecked(T value) { data_[size_++] = value; }
    // Includes `count` items that were written behind the last one, into reserved room.
    void extend_written(size_t count) { size_ += count; }
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
    // Resizes without initializing; previous items are lost.
    void resize_uninitialized(size_t count) {
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
