// Random: the generator behind every seed, xoshiro256** (Blackman and Vigna 2021) with a state from splitmix64.
// Integer arithmetic only, so that a seed gives the same numbers on every system and version.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/portable.hpp"

namespace tagpool {

class Random {
public:
    explicit Random(uint64_t seed) {
        for (uint64_t& word : state_) {
            seed += 0x9E3779B97F4A7C15ULL;
            uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
            word = z ^ (z >> 31);
        }
    }

    uint64_t next() {
        const uint64_t result = std::rotl(state_[1] * 5, 7) * 9, shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    // Uniform in [0, 1), from the upper 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // Uniform below `bound`.
    size_t below(size_t bound) { return static_cast<size_t>(multiply_wide(next(), bound).high); }

    template <class T>
    void shuffle(std::vector<T>& items) {
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }
    // The numbers below `count` in random order.
    std::vector<uint32_t> permutation(size_t count) {
        std::vector<uint32_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), 0u);
        shuffle(numbers);
        return numbers;
    }

    // State, to continue the sequence of numbers later.
    static constexpr size_t kWords = 4;
    uint64_t* state() { return state_; }

private:
    uint64_t state_[kWords];
};

}  // namespace tagpool
