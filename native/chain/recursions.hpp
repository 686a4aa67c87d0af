// Inner loops over padded [L][P] matrices, inlined into functions that are compiled for several instruction sets. The compiler
// vectorizes over columns. Four rows per sweep reduce the stores of sums to a fourth; each column is summed in the order of the rows.
#pragma once
#include <algorithm>
#include <cstddef>

#include "base/exponential.hpp"
#include "base/simd.hpp"

namespace tagpool {

#define TAGPOOL_KERNEL [[gnu::always_inline]] inline

TAGPOOL_KERNEL double larger(double a, double b) { return a > b ? a : b; }

// out(i) = max_j (matrix[j][i] + values(j))
TAGPOOL_KERNEL void max_plus_product(const double* matrix, const double* values, size_t L, size_t P, double* __restrict out) {
    std::fill_n(out, P, kForbidden);
    size_t j = 0;
    for (; j + 4 <= L; j += 4) {
        const double *const a = matrix + j * P, *const b = a + P, *const c = b + P, *const d = c + P;
        const double u = values[j], v = values[j + 1], w = values[j + 2], x = values[j + 3];
        for (size_t i = 0; i < P; ++i) out[i] = larger(out[i], larger(larger(a[i] + u, b[i] + v), larger(c[i] + w, d[i] + x)));
    }
    for (; j < L; ++j) {
        const double* const a = matrix + j * P;
        const double u = values[j];
        for (size_t i = 0; i < P; ++i) out[i] = larger(out[i], a[i] + u);
    }
}

// out(j) = Σ_i factors(i) · matrix[i][j]
TAGPOOL_KERNEL void product(const double* matrix, const double* factors, size_t L, size_t P, double* __restrict out) {
    std::fill_n(out, P, 0.0);
    size_t i = 0;
    for (; i + 4 <= L; i += 4) {
        const double *const a = matrix + i * P, *const b = a + P, *const c = b + P, *const d = c + P;
        const double u = factors[i], v = factors[i + 1], w = factors[i + 2], x = factors[i + 3];
        for (size_t j = 0; j < P; ++j) out[j] += (a[j] * u + b[j] * v) + (c[j] * w + d[j] * x);
    }
    for (; i < L; ++i) {
        const double* const a = matrix + i * P;
        const double u = factors[i];
        for (size_t j = 0; j < P; ++j) out[j] += a[j] * u;
    }
}

// out(i) = ln Σ_j e^(matrix[j][i] + values(j)), shifted by the largest term; -inf for an empty sum. `sums` is a [P] array.
TAGPOOL_KERNEL void log_sum_product(const double* matrix, const double* values, size_t L, size_t P, double* __restrict sums, double* __restrict out) {
    max_plus_product(matrix, values, L, P, out);
    for (size_t i = 0; i < P; ++i) out[i] = out[i] == kForbidden ? 0.0 : out[i];
    std::fill_n(sums, P, 0.0);
    for (size_t j = 0; j < L; ++j) {
        const double* const row = matrix + j * P;
        const double value = values[j];
        for (size_t i = 0; i < P; ++i) sums[i] += exponential((row[i] + value) - out[i]);
    }
    for (size_t i = 0; i < P; ++i) out[i] += logarithm(sums[i]);
}

}  // namespace tagpool
