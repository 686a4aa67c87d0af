#include "base/hash.hpp"

namespace tagpool {

uint64_t XXH64::hash_stripes(const unsigned char*& p, const unsigned char* end, uint64_t seed) {
    uint64_t a = seed + kPrime1 + kPrime2, b = seed + kPrime2, c = seed, d = seed - kPrime1;
    for (; end - p >= 32; p += 32) {
        a = round(a, read<uint64_t>(p));
        b = round(b, read<uint64_t>(p + 8));
        c = round(c, read<uint64_t>(p + 16));
        d = round(d, read<uint64_t>(p + 24));
    }
    const uint64_t hash = std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
    return merge(merge(merge(merge(hash, a), b), c), d);
}

}  // namespace tagpool
