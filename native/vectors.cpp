#include "vectors.hpp"

#include "simd.hpp"

namespace tagpool {

TAGPOOL_CLONES
double dot(const double* a, const double* b, size_t size) {
    constexpr size_t kSums = 2 * kLane;  // so many sums, so that the additions do not wait for each other
    double part[kSums] = {};
    const size_t whole = size / kSums * kSums;
    for (size_t i = 0; i < whole; i += kSums)
        for (size_t k = 0; k < kSums; ++k) part[k] += a[i + k] * b[i + k];
    for (size_t i = whole; i < size; ++i) part[i - whole] += a[i] * b[i];
    for (size_t half = kSums / 2; half > 0; half /= 2)
        for (size_t k = 0; k < half; ++k) part[k] += part[k + half];
    return part[0];
}

TAGPOOL_CLONES
void add_scaled(double* __restrict to, const double* __restrict from, double by, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] += by * from[i];
}

TAGPOOL_CLONES
void set_scaled(double* to, const double* from, double by, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = by * from[i];
}

TAGPOOL_CLONES
void set_sum(double* __restrict to, const double* __restrict from, const double* __restrict along, double by, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = from[i] + by * along[i];
}

TAGPOOL_CLONES
void take_from(double* __restrict to, const double* __restrict from, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = from[i] - to[i];
}

}  // namespace tagpool
