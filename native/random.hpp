// Random numbers that are the same on every machine: SplitMix64, and what is drawn from it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tagpool {

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() {
        uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // in [0, 1)
    size_t below(size_t bound) {
        return static_cast<size_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
    }
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
    }

private:
    uint64_t state_;
};

}  // namespace tagpool
