// The finaliser of SplitMix64, a hash of numbers.
#pragma once
#include <cstdint>

namespace tagpool {

inline uint64_t mix_bits(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

}  // namespace tagpool
