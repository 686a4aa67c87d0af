// The interface of the minimisers L-BFGS and OWL-QN.
#pragma once
#include <cstddef>
#include <functional>
#include <string>

#include "base/aligned.hpp"
#include "base/state.hpp"

namespace tagpool {

// Line searches: tagpool's own, and those of libLBFGS.
enum class LbfgsSearch { tagpool, more_thuente, backtracking, strong_backtracking };

struct LbfgsOptions {
    size_t memory = 6;
    size_t iterations = 1000;
    double gradient_tolerance = 1e-5;  // stop when |g| <= this * max(1, |x|)
    double value_tolerance = 1e-5;     // stop when the value fell by less than this part of itself over `period` iterations; 0: never
    size_t period = 10;
    double l1 = 0;  // adds l1 * sum |x_i| to the objective
    unsigned threads = 1;
    LbfgsSearch search = LbfgsSearch::tagpool;  // the others select minimise_classic
    size_t trials = 20;                         // of a line search of minimise_classic
};

enum class LbfgsEnd { converged, small_gain, no_progress, iterations, stopped, failed };

struct LbfgsResult {
    LbfgsEnd end;
    double value;
    size_t iterations, evaluations;
    int code = 0;  // of libLBFGS, if failed
};

// Returns the value and writes the gradient.
using Evaluate = std::function<double(const double* x, double* gradient)>;
// A completed iteration, with the evaluations and the step of its line search. `write_state` returns the state after it.
struct LbfgsIteration {
    size_t number;
    double value, gradient_norm;
    size_t trials;
    double step;
    const std::function<std::string()>* write_state = nullptr;
};
// Called after each iteration; false: stop. May be empty.
using Report = std::function<bool(const LbfgsIteration&)>;

// Minimises from `x`, or from a state that an iteration wrote, and leaves the best point in `x`, also after a stop. `evaluate` has no l1
// penalty; reported values and gradients have it.
using Minimise = LbfgsResult(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report,
                             StateReader* state);

// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
Minimise minimise_lbfgs;
// OWL-QN: limited-memory BFGS for f(x) + l1 * sum |x_i| (Andrew and Gao 2007). Many weights stay exactly zero.
Minimise minimise_owlqn;
// The iterations of libLBFGS for both, up to rounding errors; for CRFsuite's weights after a number of iterations.
LbfgsResult minimise_classic(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report);

}  // namespace tagpool
