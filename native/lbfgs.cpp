#include "lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace tagpool {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
    double part[4] = {};  // four sums, so that the additions do not wait for each other; always in this order
    const size_t whole = a.size() / 4 * 4;
    for (size_t i = 0; i < whole; i += 4)
        for (size_t k = 0; k < 4; ++k) part[k] += a[i + k] * b[i + k];
    for (size_t i = whole; i < a.size(); ++i) part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

struct Pair {
    Vector step, change;
    double curvature;  // step . change
};

// -H g by the two-loop recursion.
void direction(const std::deque<Pair>& pairs, const Vector& gradient, Vector& out) {
    out = gradient;
    std::vector<double> alpha(pairs.size());
    for (size_t i = pairs.size(); i-- > 0;) {
        alpha[i] = dot(pairs[i].step, out) / pairs[i].curvature;
        for (size_t k = 0; k < out.size(); ++k) out[k] -= alpha[i] * pairs[i].change[k];
    }
    if (!pairs.empty()) {
        const double scale = pairs.back().curvature / dot(pairs.back().change, pairs.back().change);
        for (double& value : out) value *= scale;
    }
    for (size_t i = 0; i < pairs.size(); ++i) {
        const double beta = dot(pairs[i].change, out) / pairs[i].curvature;
        for (size_t k = 0; k < out.size(); ++k) out[k] += (alpha[i] - beta) * pairs[i].step[k];
    }
    for (double& value : out) value = -value;
}

// The minimum of the cubic through two values and slopes, kept away from the interval's ends.
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

class Search {
public:
    Search(const std::function<double(const double*, double*)>& evaluate, const Vector& x, const Vector& along)
        : evaluate_(evaluate), x_(x), along_(along) {}

    // A step that fulfils the strong Wolfe conditions; leaves point, gradient and value there. False: none was found.
    bool run(double value, double slope, double first, Vector& point, Vector& gradient, double& found, size_t& evaluations) {
        double last = 0, last_value = value, last_slope = slope, step = first;
        for (size_t i = 0; i < 20; ++i) {
            const auto [here, here_slope] = at(step, point, gradient, evaluations);
            found = here;
            if (!std::isfinite(here) || here > value + kDecrease * step * slope || (i > 0 && here >= last_value))
                return zoom(value, slope, last, last_value, last_slope, step, here, here_slope, point, gradient, found, evaluations);
            if (std::abs(here_slope) <= -kCurvature * slope) return true;
            if (here_slope >= 0)
                return zoom(value, slope, step, here, here_slope, last, last_value, last_slope, point, gradient, found, evaluations);
            last = step;
            last_value = here;
            last_slope = here_slope;
            step *= 2.5;
        }
        return false;
    }

private:
    static constexpr double kDecrease = 1e-4, kCurvature = 0.9;

    std::pair<double, double> at(double step, Vector& point, Vector& gradient, size_t& evaluations) {
        for (size_t i = 0; i < x_.size(); ++i) point[i] = x_[i] + step * along_[i];
        ++evaluations;
        const double value = evaluate_(point.data(), gradient.data());
        return {value, dot(gradient, along_)};
    }

    bool zoom(double value, double slope, double low, double low_value, double low_slope, double high, double high_value, double high_slope,
              Vector& point, Vector& gradient, double& found, size_t& evaluations) {
        for (size_t i = 0; i < 30 && std::abs(high - low) > 1e-16; ++i) {
            const double step = std::isfinite(high_value) ? cubic(low, low_value, low_slope, high, high_value, high_slope) : 0.5 * (low + high);
            const auto [here, here_slope] = at(step, point, gradient, evaluations);
            found = here;
            if (!std::isfinite(here) || here > value + kDecrease * step * slope || here >= low_value) {
                high = step;
                high_value = here;
                high_slope = here_slope;
                continue;
            }
            if (std::abs(here_slope) <= -kCurvature * slope) return true;
            if (here_slope * (high - low) >= 0) {
                high = low;
                high_value = low_value;
                high_slope = low_slope;
            }
            low = step;
            low_value = here;
            low_slope = here_slope;
        }
        // The interval has shrunk to nothing: take its better end if that is any better than where we started.
        if (low == 0) return false;
        const auto [here, unused] = at(low, point, gradient, evaluations);
        found = here;
        return here < value;
    }

    const std::function<double(const double*, double*)>& evaluate_;
    const Vector& x_;
    const Vector& along_;
};

}  // namespace

LbfgsResult minimise(const std::function<double(const double*, double*)>& evaluate, Vector& x, const LbfgsOptions& options,
                     const std::function<bool(size_t, double, double)>& report) {
    Vector gradient(x.size()), point(x.size()), next_gradient(x.size()), along;
    std::deque<Pair> pairs;
    std::deque<double> values;
    LbfgsResult result{LbfgsEnd::iterations, evaluate(x.data(), gradient.data()), 0, 1};
    while (result.iterations < options.iterations) {
        const double norm = std::sqrt(dot(gradient, gradient));
        if (norm <= options.gradient_tolerance * std::max(1.0, std::sqrt(dot(x, x)))) {
            result.end = LbfgsEnd::converged;
            break;
        }
        direction(pairs, gradient, along);
        double slope = dot(gradient, along);
        if (!(slope < 0)) {  // rounding has spoilt the memory: start afresh
            pairs.clear();
            direction(pairs, gradient, along);
            slope = dot(gradient, along);
        }
        double value = 0;
        const double first = pairs.empty() ? 1 / norm : 1;
        if (!Search(evaluate, x, along).run(result.value, slope, first, point, next_gradient, value, result.evaluations)) {
            if (!pairs.empty()) {
                pairs.clear();
                continue;
            }
            result.end = LbfgsEnd::no_progress;
            break;
        }
        Pair pair{Vector(x.size()), Vector(x.size()), 0};
        for (size_t i = 0; i < x.size(); ++i) {
            pair.step[i] = point[i] - x[i];
            pair.change[i] = next_gradient[i] - gradient[i];
        }
        pair.curvature = dot(pair.step, pair.change);
        if (pair.curvature > 0) {
            pairs.push_back(std::move(pair));
            if (pairs.size() > options.memory) pairs.pop_front();
        }
        x.swap(point);
        gradient.swap(next_gradient);
        result.value = value;
        ++result.iterations;
        if (report && !report(result.iterations, value, std::sqrt(dot(gradient, gradient)))) {
            result.end = LbfgsEnd::stopped;
            break;
        }
        values.push_back(value);
        if (values.size() > options.period) {
            if (options.value_tolerance > 0 && values.front() - value < options.value_tolerance * std::abs(value)) {
                result.end = LbfgsEnd::converged;
                break;
            }
            values.pop_front();
        }
    }
    return result;
}

}  // namespace tagpool
