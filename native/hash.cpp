#include "hash.hpp"

#include <bit>
#include <cstring>

namespace tagpool {
namespace {

static_assert(std::endian::native == std::endian::little, "model files and hashes assume a little-endian machine");

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

uint64_t read64(const unsigned char* p) {
    uint64_t value;
    std::memcpy(&value, p, 8);
    return value;
}

uint32_t read32(const unsigned char* p) {
    uint32_t value;
    std::memcpy(&value, p, 4);
    return value;
}

uint64_t round(uint64_t accumulator, uint64_t input) {
    return std::rotl(accumulator + input * kPrime2, 31) * kPrime1;
}

uint64_t merge(uint64_t accumulator, uint64_t value) {
    return (accumulator ^ round(0, value)) * kPrime1 + kPrime4;
}

}  // namespace

uint64_t xxh64(const void* data, size_t size, uint64_t seed) {
    const unsigned char* p = static_cast<const unsigned char*>(data);
    const unsigned char* const end = p + size;
    uint64_t hash;
    if (size >= 32) {
        uint64_t a = seed + kPrime1 + kPrime2, b = seed + kPrime2, c = seed, d = seed - kPrime1;
        for (; end - p >= 32; p += 32) {
            a = round(a, read64(p));
            b = round(b, read64(p + 8));
            c = round(c, read64(p + 16));
            d = round(d, read64(p + 24));
        }
        hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    } else {
        hash = seed + kPrime5;
    }
    hash += size;
    for (; end - p >= 8; p += 8) hash = std::rotl(hash ^ round(0, read64(p)), 27) * kPrime1 + kPrime4;
    if (end - p >= 4) {
        hash = std::rotl(hash ^ (read32(p) * kPrime1), 23) * kPrime2 + kPrime3;
        p += 4;
    }
    for (; p < end; ++p) hash = std::rotl(hash ^ (*p * kPrime5), 11) * kPrime1;
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return hash ^ (hash >> 32);
}

}  // namespace tagpool
