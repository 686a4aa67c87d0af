// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace tagpool {

struct LbfgsOptions {
    size_t memory = 6;
    size_t iterations = 1000;
    double gradient_tolerance = 1e-5;  // stop when |g| <= this * max(1, |x|)
    double value_tolerance = 1e-5;     // stop when the value fell by less than this share of itself over `period` iterations; 0: never
    size_t period = 10;
};

enum class LbfgsEnd { converged, no_progress, iterations, stopped };

struct LbfgsResult {
    LbfgsEnd end;
    double value;
    size_t iterations, evaluations;
};

// `evaluate` returns the value and writes the gradient; `report` (may be empty) is called after each iteration, and returns false to stop.
LbfgsResult minimise(const std::function<double(const double*, double*)>& evaluate, std::vector<double>& x, const LbfgsOptions& options,
                     const std::function<bool(size_t iteration, double value, double gradient_norm)>& report);

}  // namespace tagpool
