#include <cmath>

#include "base/vectors.hpp"
#include "trainers/convergence.hpp"
#include "trainers/curvature.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {
namespace {

class SparseMinimiser {
public:
    SparseMinimiser(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options)
        : evaluate_(evaluate), x_(x), options_(options), gradient_(x.size()), point_(x.size()), next_(x.size()), pseudo_(x.size()),
          curvature_(x.size(), options.memory, options.threads) {}

    LbfgsResult run(const Report& report, StateReader* state) {
        LbfgsResult result{LbfgsEnd::iterations, 0, 0, 1};
        Progress progress(options_, report, result);
        const std::function<std::string()> write_state = [&] {
            StateWriter writer;
            visit_state(writer, progress);
            return writer.write();
        };
        if (state) {
            visit_state(*state, progress);
            if (!progress.compare_values()) return result;
            compute_pseudo_gradient(x_, gradient_);
        } else {
            result.value = evaluate_(x_.data(), gradient_.data()) + penalty(x_);
            compute_pseudo_gradient(x_, gradient_);
            curvature_.restart(pseudo_.data());
        }
        double norm = norm_of(pseudo_, options_.threads);
        while (!progress.done(norm, x_)) {
            const bool fresh = curvature_.empty();
            curvature_.compute_direction(pseudo_.data());
            const double slope = align_direction();
            double value = result.value, step = fresh ? 1 / norm : 1;
            if (!(slope < 0) || !search(step, value, result.evaluations)) {
                if (fresh) {
                    result.end = LbfgsEnd::no_progress;
                    break;
                }
                curvature_.restart(pseudo_.data());
                continue;
            }
            compute_pseudo_gradient(point_, next_);
            curvature_.accept(1, gradient_, next_, pseudo_.data());
            x_.swap(point_);
            norm = norm_of(pseudo_, options_.threads);
            if (!progress.advance(value, norm, step, write_state)) break;
        }
        return result;
    }

private:
    template <class State>
    void visit_state(State& state, Progress& progress) {
        state.array("point", x_.data(), x_.size());
        state.array("gradient", gradient_.data(), gradient_.size());
        curvature_.visit_state(state);
        progress.visit_state(state);
    }

    template <class Work>
    double sum(Work&& term) const {
        return sum_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            double total = 0;
            for (size_t i = begin; i < end; ++i) total += term(i);
            return total;
        });
    }

    double penalty(const AlignedVector<double>& x) const {
        return options_.l1 * sum([&](size_t i) { return std::abs(x[i]); });
    }

    void compute_pseudo_gradient(const AlignedVector<double>& x, const AlignedVector<double>& gradient) {
        for_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) pseudo_[i] = pseudo_gradient(x[i], gradient[i], options_.l1);
        });
    }

    // Zeroes the components of the direction that do not apply_gradient; returns the slope.
    double align_direction() {
        float* const along = curvature_.direction();
        return sum([&](size_t i) {
            if (static_cast<double>(along[i]) * pseudo_[i] >= 0) along[i] = 0;
            return static_cast<double>(along[i]) * pseudo_[i];
        });
    }

    // Backtracking line search. Points are projected onto the orthant of x (at zero: that of the pseudo-gradient). Leaves point and gradient at
    // the result, and the step instead of the direction.
    bool search(double& step, double& value, size_t& evaluations) {
        constexpr double kDecrease = 1e-4;
        float* const along = curvature_.direction();
        for (size_t i = 0; i < 40; ++i, step *= 0.5) {
            // Slope along the projected step.
            const double expected = sum([&](size_t k) {
                const double moved = x_[k] + step * static_cast<double>(along[k]), side = x_[k] != 0 ? x_[k] : -pseudo_[k];
                point_[k] = moved * side > 0 ? moved : 0;
                return pseudo_[k] * (point_[k] - x_[k]);
            });
            ++evaluations;
            const double here = evaluate_(point_.data(), next_.data()) + penalty(point_);
            if (std::isfinite(here) && here < value && here <= value + kDecrease * expected) {
                value = here;
                for_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
                    for (size_t k = begin; k < end; ++k) along[k] = static_cast<float>(point_[k] - x_[k]);
                });
                return true;
            }
        }
        return false;
    }

    const Evaluate& evaluate_;
    AlignedVector<double>& x_;
    const LbfgsOptions& options_;
    AlignedVector<double> gradient_, point_, next_, pseudo_;
    Curvature curvature_;
};

}  // namespace

LbfgsResult minimise_owlqn(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report,
                           StateReader* state) {
    return SparseMinimiser(evaluate, x, options).run(report, state);
}

}  // namespace tagpool
