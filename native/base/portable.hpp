// Extensions of GCC and Clang, each with a fallback in standard C++. TAGPOOL_PORTABLE selects all fallbacks, so that they can be tested.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

#if defined(__GNUC__) && !defined(TAGPOOL_PORTABLE)
#define TAGPOOL_GNU
#endif

namespace tagpool {

// Prefetch a cache line.
inline void prefetch_line([[maybe_unused]] const void* address) {
#ifdef TAGPOOL_GNU
    __builtin_prefetch(address);
#endif
}
inline void prefetch_to_write([[maybe_unused]] const void* address) {
#ifdef TAGPOOL_GNU
    __builtin_prefetch(address, 1);
#endif
}

// Product of 128 bits.
struct WideProduct {
    uint64_t low, high;
};
inline WideProduct multiply_wide(uint64_t a, uint64_t b) {
#if defined(TAGPOOL_GNU) && defined(__SIZEOF_INT128__)
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return {static_cast<uint64_t>(product), static_cast<uint64_t>(product >> 64)};
#else
    constexpr uint64_t kLow = 0xFFFFFFFF;
    const uint64_t low = (a & kLow) * (b & kLow), left = (a >> 32) * (b & kLow), right = (a & kLow) * (b >> 32), high = (a >> 32) * (b >> 32);
    const uint64_t middle = (low >> 32) + (left & kLow) + (right & kLow);
    return {a * b, high + (left >> 32) + (right >> 32) + (middle >> 32)};
#endif
}

inline uint64_t reverse_bytes(uint64_t number) {
#ifdef TAGPOOL_GNU
    return __builtin_bswap64(number);
#else
    uint64_t reversed = 0;
    for (int byte = 0; byte < 8; ++byte, number >>= 8) reversed = reversed << 8 | (number & 0xFF);
    return reversed;
#endif
}

}  // namespace tagpool
