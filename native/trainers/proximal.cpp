#include "trainers/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tagpool {

void prox_l1(double* x, size_t count, double step) {
    // NaN stays NaN.
    for (size_t i = 0; i < count; ++i) x[i] = std::abs(x[i]) <= step ? 0.0 : x[i] - std::copysign(step, x[i]);
}

void prox_l2(double* x, size_t count, double step) {
    for (size_t i = 0; i < count; ++i) x[i] /= 1 + step;
}

void prox_group(double* x, size_t count, double step) {
    double squares = 0;
    for (size_t i = 0; i < count; ++i) squares += x[i] * x[i];
    const double norm = std::sqrt(squares), by = norm <= step ? 0.0 : 1 - step / norm;
    for (size_t i = 0; i < count; ++i) x[i] *= by;
}

double elitist_threshold(const double* x, size_t count, double step, size_t approximate_size) {
    thread_local std::vector<double> sizes;
    sizes.resize(count);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += sizes[i] = std::abs(x[i]);
    if (approximate_size > 0) return step / (1 + step * static_cast<double>(approximate_size)) * sum;
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    sum = 0;
    size_t chosen = 0;
    while (chosen < count && sizes[chosen] > step * (sum - static_cast<double>(chosen) * sizes[chosen])) sum += sizes[chosen++];
    return step / (1 + step * static_cast<double>(chosen)) * sum;
}

}  // namespace tagpool
