#include "trainers/lbfgs.hpp"

#include <algorithm>
#include <cmath>

#include "trainers/curvature.hpp"
#include "trainers/convergence.hpp"
#include "base/vectors.hpp"

namespace tagpool {
namespace {

// The minimum of the cubic through two values and slopes, away from the ends of the interval.
double cubic(double a, double value_a, double slope_a, double b, double value_b, double slope_b) {
    const double d1 = slope_a + slope_b - 3 * (value_a - value_b) / (a - b);
    const double square = d1 * d1 - slope_a * slope_b;
    double best = 0.5 * (a + b);
    if (square >= 0) {
        const double d2 = std::copysign(std::sqrt(square), b - a);
        const double guess = b - (b - a) * (slope_b + d2 - d1) / (slope_b - slope_a + 2 * d2);
        if (std::isfinite(guess)) best = guess;
    }
    const double low = std::min(a, b), high = std::max(a, b), margin = 0.1 * (high - low);
    return std::clamp(best, low + margin, high - margin);
}

// A point of a line search: the step, its value, and the slope along the line.
struct Place {
    double step, value, slope;
};

class Search {
public:
    Search(const Evaluate& evaluate, const AlignedVector<double>& x, const float* along, unsigned threads, AlignedVector<double>& point,
           AlignedVector<double>& gradient, size_t& evaluations)
        : evaluate_(evaluate), x_(x), along_(along), threads_(threads), point_(point), gradient_(gradient), evaluations_(evaluations) {}

    // Finds a step with the strong Wolfe conditions; leaves point and gradient there. False: there is no such step.
    bool run(const Place& start, double first) {
        start_ = start;
        Place last = start;
        double step = first;
        for (size_t i = 0; i < 20; ++i) {
            found_ = at(step);
            if (too_high(found_) || (i > 0 && found_.value >= last.value)) return zoom(last, found_);
            if (flat(found_)) return true;
            if (found_.slope >= 0) return zoom(found_, last);
            last = found_;
            step *= 2.5;
        }
        return false;
    }
    const Place& found() const { return found_; }

private:
    static constexpr double kDecrease = 1e-4, kCurvature = 0.9;

    bool too_high(const Place& here) const {
        return !std::isfinite(here.value) || here.value > start_.value + kDecrease * here.step * start_.slope;
    }
    bool flat(const Place& here) const { return std::abs(here.slope) <= -kCurvature * start_.slope; }

    Place at(double step) {
        for_blocks(x_.size(), threads_, [&](size_t begin, size_t end) {
            set_sum(point_.data() + begin, x_.data() + begin, along_ + begin, step, end - begin);
        });
        ++evaluations_;
        const double value = evaluate_(point_.data(), gradient_.data());
        const double slope = sum_blocks(x_.size(), threads_, [&](size_t begin, size_t end) {
            return dot(along_ + begin, gradient_.data() + begin, end - begin);
        });
        return {step, value, slope};
    }

    bool zoom(Place low, Place high) {
        for (size_t i = 0; i < 30 && std::abs(high.step - low.step) > 1e-16; ++i) {
            const double step = std::isfinite(high.value) && std::isfinite(high.slope)
                                    ? cubic(low.step, low.value, low.slope, high.step, high.value, high.slope)
                                    : 0.5 * (low.step + high.step);
            found_ = at(step);
            if (too_high(found_) || found_.value >= low.value) {
                high = found_;
                continue;
            }
            if (flat(found_)) return true;
            if (found_.slope * (high.step - low.step) >= 0) high = low;
            low = found_;
        }
        // The interval is empty: take its better end if that is better than the start.
        if (low.step == 0) return false;
        found_ = at(low.step);
        return found_.value < start_.value;
    }

    const Evaluate& evaluate_;
    const AlignedVector<double>& x_;
    const float* along_;
    unsigned threads_;
    AlignedVector<double>& point_;
    AlignedVector<double>& gradient_;
    size_t& evaluations_;
    Place start_{}, found_{};
};

}  // namespace

LbfgsResult minimise_lbfgs(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report) {
    const size_t size = x.size();
    AlignedVector<double> gradient(size), point(size), next(size);
    Curvature curvature(size, options.memory, options.threads);
    LbfgsResult result{LbfgsEnd::iterations, evaluate(x.data(), gradient.data()), 0, 1};
    Progress progress(options, report, result);
    curvature.restart(gradient.data());
    double norm = norm_of(gradient, options.threads);
    while (!progress.done(norm, x)) {
        bool fresh = curvature.empty();
        double slope = curvature.direct(gradient.data());
        if (!(slope < 0)) {  // rounding errors: restart
            curvature.restart(gradient.data());
            fresh = true;
            slope = curvature.direct(gradient.data());
        }
        Search search(evaluate, x, curvature.direction(), options.threads, point, next, result.evaluations);
        if (!search.run({0, result.value, slope}, fresh ? 1 / norm : 1)) {
            if (fresh) {
                result.end = LbfgsEnd::no_progress;
                break;
            }
            curvature.restart(gradient.data());
            continue;
        }
        curvature.accept(search.found().step, gradient, next, next.data());
        x.swap(point);
        norm = norm_of(gradient, options.threads);
        if (!progress.advance(search.found().value, norm, search.found().step)) break;
    }
    return result;
}

}  // namespace tagpool
