// AlignedVector: a std::vector aligned to cache lines, so that a row of eight doubles is one cache line.
// Large vectors use huge pages, since their rows are read at random.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

#include "base/buffer.hpp"

namespace tagpool {

template <class T>
struct AlignedAllocator {
    using value_type = T;

    AlignedAllocator() = default;
    template <class Other>
    AlignedAllocator(const AlignedAllocator<Other>&) {}

    static std::align_val_t alignment(size_t count) {
        constexpr size_t kLine = 64, kLargePage = size_t{2} << 20;
        return std::align_val_t{count * sizeof(T) < 2 * kLargePage ? kLine : kLargePage};
    }
    T* allocate(size_t count) {
        void* const data = ::operator new(count * sizeof(T), alignment(count));
        prefer_huge_pages(data, count * sizeof(T));
        return static_cast<T*>(data);
    }
    void deallocate(T* data, size_t count) { ::operator delete(data, alignment(count)); }
    template <class Other>
    bool operator==(const AlignedAllocator<Other>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace tagpool
