// Arena: many small arrays that never move, freed together.
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
    std::span<const T> store(const T* values, size_t count) {
        if (count == 0) return {};
        if (count > left_) {
            left_ = std::max(count, kBlock);
            blocks_.push_back(std::make_unique_for_overwrite<T[]>(left_));
            next_ = blocks_.back().get();
        }
        T* const place = next_;
        std::copy_n(values, count, place);
        next_ += count;
        left_ -= count;
        return {place, count};
    }

private:
    static constexpr size_t kBlock = 16384 / sizeof(T);
    std::vector<std::unique_ptr<T[]>> blocks_;
    T* next_ = nullptr;
    size_t left_ = 0;
};

}  // namespace tagpool
