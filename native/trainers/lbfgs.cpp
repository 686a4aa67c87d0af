#include <algorithm>
#include <cmath>

#include "base/vectors.hpp"
#include "trainers/convergence.hpp"
#include "trainers/curvature.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {
namespace {

// A point of a line search: the step, its value, and the slope along the line.
struct Trial {
    double step, value, slope;
};

// The minimum of the cubic through two trials, away from the ends of the interval.
double minimise_cubic(const Trial& a, const Trial& b) {
    const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
    const double square = d1 * d1 - a.slope * b.slope;
    double best = 0.5 * (a.step + b.step);
    if (square >= 0) {
        const double d2 = std::copysign(std::sqrt(square), b.step - a.step);
        const double guess = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
        if (std::isfinite(guess)) best = guess;
    }
    const double low = std::min(a.step, b.step), high = std::max(a.step, b.step), margin = 0.1 * (high - low);
    return std::clamp(best, low + margin, high - margin);
}

class LineSearch {
public:
    LineSearch(const Evaluate& evaluate, const AlignedVector<double>& x, const float* along, unsigned threads, AlignedVector<double>& point,
               AlignedVector<double>& gradient, size_t& evaluations)
        : evaluate_(evaluate), x_(x), along_(along), threads_(threads), point_(point), gradient_(gradient), evaluations_(evaluations) {}

    // Finds a step with the strong Wolfe conditions; leaves point and gradient there. False: there is no such step.
    bool run(const Trial& start, double first) {
        start_ = start;
        Trial last = start;
        double step = first;
        for (size_t i = 0; i < 20; ++i) {
            trial_ = evaluate_at(step);
            if (too_high(trial_) || (i > 0 && trial_.value >= last.value)) return zoom(last, trial_);
            if (flat(trial_)) return true;
            if (trial_.slope >= 0) return zoom(trial_, last);
            last = trial_;
            step *= 2.5;
        }
        return false;
    }
    // The step that run() found.
    const Trial& trial() const { return trial_; }

private:
    static constexpr double kDecrease = 1e-4, kCurvature = 0.9;

    bool too_high(const Trial& trial) const {
        return !std::isfinite(trial.value) || trial.value > start_.value + kDecrease * trial.step * start_.slope;
    }
    bool flat(const Trial& trial) const { return std::abs(trial.slope) <= -kCurvature * start_.slope; }

    Trial evaluate_at(double step) {
        for_blocks(x_.size(), threads_,
                   [&](size_t begin, size_t end) { set_sum(point_.data() + begin, x_.data() + begin, along_ + begin, step, end - begin); });
        ++evaluations_;
        const double value = evaluate_(point_.data(), gradient_.data());
        const double slope =
            sum_blocks(x_.size(), threads_, [&](size_t begin, size_t end) { return dot(along_ + begin, gradient_.data() + begin, end - begin); });
        return {step, value, slope};
    }

    bool zoom(Trial low, Trial high) {
        for (size_t i = 0; i < 30 && std::abs(high.step - low.step) > 1e-16; ++i) {
            const bool finite = std::isfinite(high.value) && std::isfinite(high.slope);
            trial_ = evaluate_at(finite ? minimise_cubic(low, high) : 0.5 * (low.step + high.step));
            if (too_high(trial_) || trial_.value >= low.value) {
                high = trial_;
                continue;
            }
            if (flat(trial_)) return true;
            if (trial_.slope * (high.step - low.step) >= 0) high = low;
            low = trial_;
        }
        // The interval is empty: take its better end if that is better than the start.
        if (low.step == 0) return false;
        trial_ = evaluate_at(low.step);
        return trial_.value < start_.value;
    }

    const Evaluate& evaluate_;
    const AlignedVector<double>& x_;
    const float* along_;
    unsigned threads_;
    AlignedVector<double>& point_;
    AlignedVector<double>& gradient_;
    size_t& evaluations_;
    Trial start_{}, trial_{};
};

}  // namespace

LbfgsResult minimise_lbfgs(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report,
                           StateReader* state) {
    const size_t size = x.size();
    AlignedVector<double> gradient(size), point(size), next(size);
    Curvature curvature(size, options.memory, options.threads);
    LbfgsResult result{LbfgsEnd::iterations, 0, 0, 1};
    Progress progress(options, report, result);
    const auto visit_state = [&](auto& visited) {
        visited.array("point", x.data(), size);
        visited.array("gradient", gradient.data(), size);
        curvature.visit_state(visited);
        progress.visit_state(visited);
    };
    const std::function<std::string()> write_state = [&] {
        StateWriter writer;
        visit_state(writer);
        return writer.write();
    };
    if (state) {
        visit_state(*state);
        if (!progress.compare_values()) return result;
    } else {
        result.value = evaluate(x.data(), gradient.data());
        curvature.restart(gradient.data());
    }
    double norm = norm_of(gradient, options.threads);
    while (!progress.done(norm, x)) {
        bool fresh = curvature.empty();
        double slope = curvature.compute_direction(gradient.data());
        if (!(slope < 0)) {  // rounding errors: restart
            curvature.restart(gradient.data());
            fresh = true;
            slope = curvature.compute_direction(gradient.data());
        }
        LineSearch search(evaluate, x, curvature.direction(), options.threads, point, next, result.evaluations);
        if (!search.run({0, result.value, slope}, fresh ? 1 / norm : 1)) {
            if (fresh) {
                result.end = LbfgsEnd::no_progress;
                break;
            }
            curvature.restart(gradient.data());
            continue;
        }
        curvature.accept(search.trial().step, gradient, next, next.data());
        x.swap(point);
        norm = norm_of(gradient, options.threads);
        if (!progress.advance(search.trial().value, norm, search.trial().step, write_state)) break;
    }
    return result;
}

}  // namespace tagpool
