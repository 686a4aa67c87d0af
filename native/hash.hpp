// Hashing: XXH64 of bytes, and the mixing of hashes that gives a conjunction its identity.
// A feature is known by such a 64-bit number everywhere, also in model files: none of this may ever change.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tagpool {

// XXH64, written from its specification; equal to the reference implementation bit for bit (a test).
uint64_t xxh64(const void* data, size_t size, uint64_t seed = 0);

inline uint64_t hash_bytes(std::string_view text) { return xxh64(text.data(), text.size()); }

// Order matters: combine(a, b) != combine(b, a). The 128-bit product is folded, so every input bit reaches every output bit.
inline uint64_t combine(uint64_t a, uint64_t b) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ULL) * ((b ^ 0xD6E8FEB86659FD93ULL) | 1);
    const uint64_t folded = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    return folded ^ (b * 0xC2B2AE3D27D4EB4FULL);
}

}  // namespace tagpool
