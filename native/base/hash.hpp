// Hashing: XXH64 of bytes, and the combination of hashes that identifies a conjunction.
// Model files store features by these 64-bit hashes, so the functions must never change.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/portable.hpp"

namespace tagpool {

static_assert(std::endian::native == std::endian::little, "model files and hashes assume a little-endian machine");

// XXH64, equal to the reference implementation (tested). Inputs below 32 bytes, such as most words, are hashed inline.
class XXH64 {
public:
    static uint64_t of(const void* data, size_t size, uint64_t seed) {
        const unsigned char* p = static_cast<const unsigned char*>(data);
        const unsigned char* const end = p + size;
        uint64_t hash = size >= 32 ? hash_stripes(p, end, seed) : seed + kPrime5;
        hash += size;
        for (; end - p >= 8; p += 8) hash = std::rotl(hash ^ round(0, read<uint64_t>(p)), 27) * kPrime1 + kPrime4;
        if (end - p >= 4) {
            hash = std::rotl(hash ^ (read<uint32_t>(p) * kPrime1), 23) * kPrime2 + kPrime3;
            p += 4;
        }
        for (; p < end; ++p) hash = std::rotl(hash ^ (*p * kPrime5), 11) * kPrime1;
        hash = (hash ^ (hash >> 33)) * kPrime2;
        hash = (hash ^ (hash >> 29)) * kPrime3;
        return hash ^ (hash >> 32);
    }

private:
    static constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
    static constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
    static constexpr uint64_t kPrime3 = 0x165667B19E3779F9ULL;
    static constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
    static constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

    template <class Number>
    static Number read(const unsigned char* p) {
        Number value;
        std::memcpy(&value, p, sizeof(value));
        return value;
    }
    static uint64_t round(uint64_t accumulator, uint64_t input) { return std::rotl(accumulator + input * kPrime2, 31) * kPrime1; }
    static uint64_t merge(uint64_t accumulator, uint64_t value) { return (accumulator ^ round(0, value)) * kPrime1 + kPrime4; }
    // Consumes whole stripes of 32 bytes.
    static uint64_t hash_stripes(const unsigned char*& p, const unsigned char* end, uint64_t seed);
};

inline uint64_t xxh64(const void* data, size_t size, uint64_t seed = 0) { return XXH64::of(data, size, seed); }

inline uint64_t hash_bytes(std::string_view text) { return xxh64(text.data(), text.size()); }

// Combines two hashes; combine(a, b) != combine(b, a). Folding the 128-bit product lets every input bit reach every output bit.
inline uint64_t combine(uint64_t a, uint64_t b) {
    const WideProduct product = multiply_wide(a ^ 0x9E3779B97F4A7C15ULL, (b ^ 0xD6E8FEB86659FD93ULL) | 1);
    const uint64_t folded = product.low ^ product.high;
    return folded ^ (b * 0xC2B2AE3D27D4EB4FULL);
}

}  // namespace tagpool
