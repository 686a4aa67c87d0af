// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6), and its
// variant for l1 penalties (owlqn.hpp).
#pragma once
#include <cstddef>
#include <functional>

#include "base/aligned.hpp"

namespace tagpool {

struct LbfgsOptions {
    size_t memory = 6;
    size_t iterations = 1000;
    double gradient_tolerance = 1e-5;  // stop when |g| <= this * max(1, |x|)
    double value_tolerance = 1e-5;     // stop when the value fell by less than this share of itself over `period` iterations; 0: never
    size_t period = 10;
    double l1 = 0;                     // adds l1 * sum |x_i| to what is minimised
    unsigned threads = 1;
};

enum class LbfgsEnd { converged, no_progress, iterations, stopped };

struct LbfgsResult {
    LbfgsEnd end;
    double value;
    size_t iterations, evaluations;
};

// Returns the value and writes the gradient.
using Evaluate = std::function<double(const double* x, double* gradient)>;
// An iteration that has ended: how often its line search asked for a value, and the step it took.
struct LbfgsIteration {
    size_t number;
    double value, gradient_norm;
    size_t trials;
    double step;
};
// Called after each iteration; false: stop. May be empty.
using Report = std::function<bool(const LbfgsIteration&)>;

// Leaves in `x` the best point found, however it ends. With l1, values and gradients reported are those of the whole sum.
LbfgsResult minimise(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report);

}  // namespace tagpool
