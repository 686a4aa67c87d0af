#include "base/vectors.hpp"

#include "base/simd.hpp"

namespace tagpool {

namespace {

// Inlined into each clone, so compiled for each instruction set.
template <class A, class B>
[[gnu::always_inline]] inline double dot_product(const A* a, const B* b, size_t size) {
    constexpr size_t kSums = 2 * kLane;  // independent partial sums hide the latency of additions
    double part[kSums] = {};
    const size_t whole = size / kSums * kSums;
    for (size_t i = 0; i < whole; i += kSums)
        for (size_t k = 0; k < kSums; ++k) part[k] += static_cast<double>(a[i + k]) * static_cast<double>(b[i + k]);
    for (size_t i = whole; i < size; ++i) part[i - whole] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    for (size_t half = kSums / 2; half > 0; half /= 2)
        for (size_t k = 0; k < half; ++k) part[k] += part[k + half];
    return part[0];
}

// Adds factor * from and returns the inner product with another vector, which has the same partial sums as dot_product.
[[gnu::always_inline]] inline double add_and_multiply(double* __restrict to, const double* __restrict from, double factor,
                                                      const double* __restrict with, size_t size) {
    constexpr size_t kSums = 2 * kLane;
    double part[kSums] = {};
    const size_t whole = size / kSums * kSums;
    for (size_t i = 0; i < whole; i += kSums)
        for (size_t k = 0; k < kSums; ++k) {
            to[i + k] += factor * from[i + k];
            part[k] += to[i + k] * with[i + k];
        }
    for (size_t i = whole; i < size; ++i) {
        to[i] += factor * from[i];
        part[i - whole] += to[i] * with[i];
    }
    for (size_t half = kSums / 2; half > 0; half /= 2)
        for (size_t k = 0; k < half; ++k) part[k] += part[k + half];
    return part[0];
}

}  // namespace

TAGPOOL_CLONES
double dot(const double* a, const double* b, size_t size) { return dot_product(a, b, size); }

TAGPOOL_CLONES
double dot(const float* a, const double* b, size_t size) { return dot_product(a, b, size); }

TAGPOOL_CLONES
double dot(const float* a, const float* b, size_t size) { return dot_product(a, b, size); }

TAGPOOL_CLONES
void add_scaled(double* __restrict to, const float* __restrict from, double factor, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] += factor * static_cast<double>(from[i]);
}

TAGPOOL_CLONES
void add_scaled(double* __restrict to, const double* __restrict from, double factor, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] += factor * from[i];
}

TAGPOOL_CLONES
double add_scaled_and_dot(double* __restrict to, const double* __restrict from, double factor, const double* __restrict with, size_t size) {
    return add_and_multiply(to, from, factor, with, size);
}

TAGPOOL_CLONES
void set_scaled(double* __restrict to, const double* __restrict from, double factor, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = factor * from[i];
}

TAGPOOL_CLONES
void set_sum(double* __restrict to, const double* __restrict from, const float* __restrict step, double factor, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = from[i] + factor * static_cast<double>(step[i]);
}

TAGPOOL_CLONES
void set_difference(float* __restrict to, const double* __restrict a, const double* __restrict b, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = static_cast<float>(a[i] - b[i]);
}

TAGPOOL_CLONES
void round_to(float* __restrict to, const double* __restrict from, size_t size) {
    for (size_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace tagpool
