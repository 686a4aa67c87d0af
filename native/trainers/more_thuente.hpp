// MoreThuente: the line search of Moré and Thuente (1994) with the constants and the safeguards of libLBFGS.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tagpool {

// A point of a line search: the step, its value, and the slope along the line.
struct LinePoint {
    double step, value, slope;
};

class MoreThuente {
public:
    MoreThuente(const LinePoint& start, size_t trials) : start_(start), best_(start), other_(start), trials_(trials) {}

    // Finds a step with a sufficient decrease and a flat slope, from a first one on. `evaluate` returns the point of a step and is called for
    // the result last. Returns 0, or the code that CRFsuite prints for a failure.
    template <class Evaluate>
    int run(double& step, size_t& trials, Evaluate&& evaluate) {
        const double decrease = kDecrease * start_.slope;
        bool is_first_stage = true;
        for (double widths[2] = {2 * (kMaximum - kMinimum), kMaximum - kMinimum};;) {  // of the last two intervals
            const double low = is_bracketed_ ? std::min(best_.step, other_.step) : best_.step;
            const double high = is_bracketed_ ? std::max(best_.step, other_.step) : step + 4 * (step - best_.step);
            step = std::clamp(step, kMinimum, kMaximum);
            const bool is_narrow = is_bracketed_ && high - low <= kWidth * high;
            const auto is_outside = [&] { return is_bracketed_ && (step <= low || high <= step || is_invalid_); };
            if (is_outside() || is_narrow || (is_bracketed_ && trials_ <= trials + 1)) step = best_.step;

            const LinePoint now = evaluate(step);
            const double limit = start_.value + step * decrease;
            ++trials;
            if (is_outside()) return -1001;  // rounding errors
            if (step == kMaximum && now.value <= limit && now.slope <= decrease) return -999;
            if (step == kMinimum && (limit < now.value || decrease <= now.slope)) return -1000;
            if (is_narrow) return -996;
            if (trials_ <= trials) return -998;
            if (now.value <= limit && std::abs(now.slope) <= kCurvature * -start_.slope) return 0;

            if (is_first_stage && now.value <= limit && decrease <= now.slope) is_first_stage = false;
            if (is_first_stage && limit < now.value && now.value <= best_.value) {
                // Predict with the function minus the sufficient decrease.
                tilt(best_, -decrease);
                tilt(other_, -decrease);
                step = update({step, now.value - step * decrease, now.slope - decrease}, low, high);
                tilt(best_, decrease);
                tilt(other_, decrease);
            } else {
                step = update(now, low, high);
            }
            if (!is_bracketed_) continue;
            // The interval must shrink by a third in two trials.
            const double width = std::abs(other_.step - best_.step);
            if (0.66 * widths[0] <= width) step = best_.step + 0.5 * (other_.step - best_.step);
            widths[0] = widths[1];
            widths[1] = width;
        }
    }

private:
    static constexpr double kDecrease = 1e-4, kCurvature = 0.9, kMinimum = 1e-20, kMaximum = 1e20, kWidth = 1e-16;

    static void tilt(LinePoint& point, double slope) {
        point.value += point.step * slope;
        point.slope += slope;
    }

    // Minimum of the cubic through two points.
    struct Cubic {
        double theta, scale, root;
        Cubic(const LinePoint& u, const LinePoint& v, bool is_clipped)
            : theta((u.value - v.value) * 3 / (v.step - u.step) + u.slope + v.slope),
              scale(std::max({std::abs(theta), std::abs(u.slope), std::abs(v.slope)})), root(0) {
            const double square = theta / scale * (theta / scale) - u.slope / scale * (v.slope / scale);
            root = scale * std::sqrt(is_clipped ? std::max(0.0, square) : square);
        }
    };
    static double minimise_cubic(const LinePoint& u, const LinePoint& v) {
        const Cubic cubic(u, v, false);
        const double root = v.step < u.step ? -cubic.root : cubic.root;
        return u.step + (root - u.slope + cubic.theta) / (root - u.slope + root + v.slope) * (v.step - u.step);
    }
    // The same for slopes of one sign: an end of the interval if the cubic has no minimum beyond v.
    static double extrapolate_cubic(const LinePoint& u, const LinePoint& v, double low, double high) {
        const Cubic cubic(u, v, true);
        const double root = u.step < v.step ? -cubic.root : cubic.root;
        const double ratio = (root - v.slope + cubic.theta) / (root - v.slope + root + u.slope);
        if (ratio < 0 && root != 0) return v.step - ratio * (v.step - u.step);
        return cubic.theta / cubic.scale < 0 ? high : low;
    }
    static double minimise_quadratic(const LinePoint& u, const LinePoint& v) {
        const double width = v.step - u.step;
        return u.step + u.slope / ((u.value - v.value) / width + u.slope) / 2 * width;
    }
    static double minimise_by_slopes(const LinePoint& u, const LinePoint& v) { return v.step + v.slope / (v.slope - u.slope) * (u.step - v.step); }

    // Narrows the interval between the best and the other point by a trial; returns the next step.
    double update(const LinePoint& now, double low, double high) {
        if (is_bracketed_) {
            const bool is_inside = std::min(best_.step, other_.step) < now.step && now.step < std::max(best_.step, other_.step);
            is_invalid_ = !is_inside || best_.slope * (now.step - best_.step) >= 0 || high < low;
            if (is_invalid_) return now.step;
        }
        bool is_bounded = false;
        double next = propose(now, low, high, is_bounded);
        if (best_.value < now.value) {
            other_ = now;
        } else {
            if (has_turned(now)) other_ = best_;
            best_ = now;
        }
        next = std::max(std::min(next, high), low);
        if (!is_bracketed_ || !is_bounded) return next;
        const double limit = best_.step + 0.66 * (other_.step - best_.step);
        return best_.step < other_.step ? std::min(next, limit) : std::max(next, limit);
    }

    bool has_turned(const LinePoint& now) const { return now.slope * (best_.slope / std::abs(best_.slope)) < 0; }

    // The four cases of the paper.
    double propose(const LinePoint& now, double low, double high, bool& is_bounded) {
        const auto distance = [](double a, double b) { return std::abs(a - b); };
        if (best_.value < now.value) {  // a higher value: the minimum is bracketed
            is_bracketed_ = is_bounded = true;
            const double cubic = minimise_cubic(best_, now), quadratic = minimise_quadratic(best_, now);
            return distance(cubic, best_.step) < distance(quadratic, best_.step) ? cubic : cubic + 0.5 * (quadratic - cubic);
        }
        if (has_turned(now)) {  // slopes of opposite signs: it is bracketed as well
            is_bracketed_ = true;
            const double cubic = minimise_cubic(best_, now), secant = minimise_by_slopes(best_, now);
            return distance(cubic, now.step) > distance(secant, now.step) ? cubic : secant;
        }
        if (std::abs(now.slope) < std::abs(best_.slope)) {  // a flatter slope of the same sign
            is_bounded = true;
            const double cubic = extrapolate_cubic(best_, now, low, high), secant = minimise_by_slopes(best_, now);
            const bool is_nearer = distance(now.step, cubic) < distance(now.step, secant);
            if (is_bracketed_) return is_nearer ? cubic : secant;
            return distance(now.step, cubic) > distance(now.step, secant) ? cubic : secant;
        }
        if (is_bracketed_) return minimise_cubic(now, other_);
        return best_.step < now.step ? high : low;
    }

    LinePoint start_, best_, other_;  // the best point, and the other end of the interval
    size_t trials_;
    bool is_bracketed_ = false, is_invalid_ = false;
};

}  // namespace tagpool
