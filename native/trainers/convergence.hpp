// Progress: the stopping rules of minimise_lbfgs and minimise_owlqn. Pseudo-gradients and norms of all minimisers.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/vectors.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {

inline double norm_of(const AlignedVector<double>& x, unsigned threads) {
    return std::sqrt(sum_blocks(x.size(), threads, [&](size_t begin, size_t end) { return dot(x.data() + begin, x.data() + begin, end - begin); }));
}

// The steepest descent of f + l1 |x|, or zero at a minimum: at x = 0 the penalty rises to both sides.
inline double pseudo_gradient(double x, double gradient, double l1) {
    if (x > 0) return gradient + l1;
    if (x < 0) return gradient - l1;
    if (gradient + l1 < 0) return gradient + l1;
    if (gradient - l1 > 0) return gradient - l1;
    return 0;
}

class Progress {
public:
    Progress(const LbfgsOptions& options, const Report& report, LbfgsResult& result) : options_(options), report_(report), result_(result) {}

    // Before an iteration, at a gradient of this norm.
    bool done(double gradient_norm, const AlignedVector<double>& x) {
        if (result_.iterations >= options_.iterations) return true;
        const double limit = options_.gradient_tolerance;
        if (gradient_norm > limit && gradient_norm > limit * norm_of(x, options_.threads)) return false;
        result_.end = LbfgsEnd::converged;
        return true;
    }

    // After an iteration; false: stop.
    bool advance(double value, double gradient_norm, double step, const std::function<std::string()>& write_state) {
        result_.value = value;
        ++result_.iterations;
        values_.push_back(value);
        const size_t trials = result_.evaluations - std::exchange(evaluations_, result_.evaluations);
        if (report_ && !report_({result_.iterations, value, gradient_norm, trials, step, &write_state})) {
            result_.end = LbfgsEnd::stopped;
            return false;
        }
        return compare_values();
    }

    // Compares the value with that of `period` iterations before; false: stop.
    bool compare_values() {
        if (values_.size() > options_.period) {
            const double value = values_.back();
            if (options_.value_tolerance > 0 && values_.front() - value < options_.value_tolerance * std::abs(value)) {
                result_.end = LbfgsEnd::converged;
                return false;
            }
            values_.erase(values_.begin());
        }
        return true;
    }

    // State after the report of an iteration.
    template <class State>
    void visit_state(State& state) {
        state.number("value", result_.value);
        state.number("iterations", result_.iterations);
        state.number("evaluations", result_.evaluations);
        state.vector("values", values_);
        evaluations_ = result_.evaluations;
    }

private:
    const LbfgsOptions& options_;
    const Report& report_;
    LbfgsResult& result_;
    size_t evaluations_ = 1;      // up to the iteration before: the first is at the start
    std::vector<double> values_;  // of the last iterations
};

}  // namespace tagpool
