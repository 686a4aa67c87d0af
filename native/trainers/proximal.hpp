// Proximal steps: argmin_x 1/2 |x - x0|^2 + step * r(x), in place, for a group of weights.
#pragma once
#include <cstddef>

namespace tagpool {

// r = |x|_1: soft thresholding by `step`.
void prox_l1(double* x, size_t count, double step);
// r = |x|^2 / 2.
void prox_l2(double* x, size_t count, double step);
// r = |x|_2, the group lasso: the norm of the group shrinks by `step`.
void prox_group(double* x, size_t count, double step);
// r = |x|_1^2 / 2, the elitist (exclusive) lasso: soft thresholding by elitist_threshold.
//
// The threshold: step / (1 + step K) times the sum of the K largest magnitudes m_1 >= m_2 >= ..., K the largest k with
// m_k > step * sum_{i <= k} (m_i - m_k). `approximate_size` other than 0: an approximation that is never larger, with this K and all magnitudes.
double elitist_threshold(const double* x, size_t count, double step, size_t approximate_size);

}  // namespace tagpool
