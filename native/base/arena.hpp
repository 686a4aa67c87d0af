// Arena: storage for many small arrays that never move and are freed together.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tagpool {

template <class T>
class Arena {
public:
    // Copies an array into the arena.
    std::span<const T> store(const T* values, size_t count) {
        if (count == 0) return {};
        if (count > free_) {
            free_ = std::max(count, kBlock);
            blocks_.push_back(std::make_unique_for_overwrite<T[]>(free_));
            next_ = blocks_.back().get();
        }
        T* const copy = next_;
        std::copy_n(values, count, copy);
        next_ += count;
        free_ -= count;
        return {copy, count};
    }

private:
    static constexpr size_t kBlock = 16384 / sizeof(T);
    std::vector<std::unique_ptr<T[]>> blocks_;
    T* next_ = nullptr;
    size_t free_ = 0;  // items left in the last block
};

}  // namespace tagpool
