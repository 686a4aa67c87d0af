// The iterations of libLBFGS, which CRFsuite uses: the same steps, line searches and stopping rules, in double precision.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/vectors.hpp"
#include "trainers/convergence.hpp"
#include "trainers/minimiser.hpp"
#include "trainers/more_thuente.hpp"

namespace tagpool {
namespace {

// Codes that CRFsuite prints.
enum Code {
    kNoWeights = -1020,
    kMinimumStep = -1000,
    kMaximumStep = -999,
    kMaximumTrials = -998,
    kRisingDirection = -994,
    kMinimumAlready = 2,
};

class ClassicMinimiser {
public:
    ClassicMinimiser(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options)
        : evaluate_(evaluate), x_(x), options_(options), gradient_(x.size()), point_(x.size()), next_(x.size()), direction_(x.size()),
          pseudo_(options.l1 > 0 ? x.size() : 0), pairs_(options.memory) {}

    LbfgsResult run(const Report& report) {
        LbfgsResult result{LbfgsEnd::iterations, evaluate_(x_.data(), gradient_.data()) + penalty(x_), 0, 1};
        if (x_.empty()) return fail(result, kNoWeights);
        std::vector<double> values = {result.value};
        compute_pseudo_gradient();
        double norm = norm_of(slope(), options_.threads);
        if (norm / std::max(1.0, norm_of(x_, options_.threads)) <= options_.gradient_tolerance) return fail(result, kMinimumAlready);
        each([&](size_t i) { direction_[i] = -slope()[i]; });
        double step = 1 / norm;
        while (true) {
            size_t trials = 0;
            const int code = search(result.value, step, trials);
            result.evaluations += trials;
            if (code < 0) return fail(result, code);
            accept();
            compute_pseudo_gradient();
            norm = norm_of(slope(), options_.threads);
            result.value = value_;
            ++result.iterations;
            if (report && !report({result.iterations, value_, norm, trials, step})) {
                result.end = LbfgsEnd::stopped;
                return result;
            }
            if (is_done(result, values, norm)) return result;
            compute_direction();
            step = 1;
        }
    }

private:
    static constexpr double kDecrease = 1e-4, kCurvature = 0.9, kMinimumStepSize = 1e-20, kMaximumStepSize = 1e20;
    struct Pair {
        AlignedVector<double> step, change;
        double product = 0, alpha = 0;
    };

    template <class Visit>
    void each(Visit&& visit) const {
        for_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) visit(i);
        });
    }
    template <class Term>
    double sum(Term&& term) const {
        return sum_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            double total = 0;
            for (size_t i = begin; i < end; ++i) total += term(i);
            return total;
        });
    }
    double product(const AlignedVector<double>& a, const AlignedVector<double>& b) const {
        return sum_blocks(a.size(), options_.threads, [&](size_t begin, size_t end) { return dot(a.data() + begin, b.data() + begin, end - begin); });
    }

    static LbfgsResult fail(LbfgsResult result, int code) {
        result.end = LbfgsEnd::failed;
        result.code = code;
        return result;
    }

    bool is_sparse() const { return options_.l1 > 0; }
    double penalty(const AlignedVector<double>& x) const {
        return is_sparse() ? options_.l1 * sum([&](size_t i) { return std::abs(x[i]); }) : 0;
    }
    // The gradient, with l1 that of the steepest side.
    const AlignedVector<double>& slope() const { return is_sparse() ? pseudo_ : gradient_; }
    void compute_pseudo_gradient() {
        if (is_sparse()) each([&](size_t i) { pseudo_[i] = pseudo_gradient(x_[i], gradient_[i], options_.l1); });
    }

    // Stopping rules after an iteration.
    bool is_done(LbfgsResult& result, std::vector<double>& values, double norm) const {
        if (norm / std::max(1.0, norm_of(x_, options_.threads)) <= options_.gradient_tolerance) {
            result.end = LbfgsEnd::converged;
            return true;
        }
        values.push_back(value_);
        const size_t period = options_.period;
        if (period > 0 && result.iterations >= period && (values[values.size() - 1 - period] - value_) / value_ < options_.value_tolerance) {
            result.end = LbfgsEnd::small_gain;
            return true;
        }
        return result.iterations >= options_.iterations;
    }

    // Moves to the point that the search has found, and stores the step.
    void accept() {
        Pair& pair = pairs_[used_ % pairs_.size()];
        if (pair.step.empty()) {
            pair.step.resize(x_.size());
            pair.change.resize(x_.size());
        }
        const std::vector<double> sums = sum_blocks(x_.size(), options_.threads, 2, [&](size_t begin, size_t end, double* out) {
            double* const change = pair.change.data() + begin;
            for (size_t i = begin; i < end; ++i) {
                pair.step[i] = point_[i] - x_[i];
                pair.change[i] = next_[i] - gradient_[i];
            }
            out[0] = dot(change, pair.step.data() + begin, end - begin);
            out[1] = dot(change, change, end - begin);
        });
        pair.product = sums[0];
        scale_ = sums[0] / sums[1];
        ++used_;
        x_.swap(point_);
        gradient_.swap(next_);
    }

    // The direction of limited-memory BFGS by its two loops; with l1, without the components that rise. Both loops are linear in the vector, so
    // the scale between them is applied before. A pass over the vectors adds one of them and multiplies by the next.
    void compute_direction() {
        const size_t count = std::min(used_, pairs_.size());
        const auto pair = [&](size_t age) -> Pair& { return pairs_[(used_ - 1 - age) % pairs_.size()]; };
        const double* const start = slope().data();
        double product_now = sum_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            set_scaled(direction_.data() + begin, start + begin, -scale_, end - begin);
            return dot(direction_.data() + begin, pair(0).step.data() + begin, end - begin);
        });
        for (size_t age = 0; age < count; ++age) {
            Pair& now = pair(age);
            now.alpha = product_now / now.product;
            product_now = add_to_direction(now.change, -now.alpha, age + 1 < count ? pair(age + 1).step : now.change);
        }
        for (size_t age = count; age-- > 0;) {
            const Pair& now = pair(age);
            const double by = now.alpha / scale_ - product_now / now.product;
            if (age > 0) product_now = add_to_direction(now.step, by, pair(age - 1).change);
            else add_last(now.step, by);
        }
    }

    // Adds factor * vector to the direction; returns its inner product with another vector.
    double add_to_direction(const AlignedVector<double>& vector, double factor, const AlignedVector<double>& other) {
        return sum_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            return add_scaled_and_dot(direction_.data() + begin, vector.data() + begin, factor, other.data() + begin, end - begin);
        });
    }

    void add_last(const AlignedVector<double>& vector, double factor) {
        for_blocks(x_.size(), options_.threads, [&](size_t begin, size_t end) {
            add_scaled(direction_.data() + begin, vector.data() + begin, factor, end - begin);
            for (size_t i = begin; is_sparse() && i < end; ++i)
                if (direction_[i] * pseudo_[i] >= 0) direction_[i] = 0;
        });
    }

    // Finds a step; leaves point_, next_ and value_ there. Returns 0, or the code of a failure.
    int search(double start, double& step, size_t& trials) {
        if (is_sparse()) return search_orthant(start, step, trials);
        const double slope_here = product(gradient_, direction_);
        if (slope_here > 0) return kRisingDirection;
        if (options_.search == LbfgsSearch::more_thuente) {
            MoreThuente line({0, start, slope_here}, options_.trials);
            return line.run(step, trials, [&](double at) { return evaluate_at(at); });
        }
        return search_back({0, start, slope_here}, step, trials);
    }

    LinePoint evaluate_at(double step) {
        each([&](size_t i) { point_[i] = x_[i] + step * direction_[i]; });
        value_ = evaluate_(point_.data(), next_.data());
        return {step, value_, product(next_, direction_)};
    }

    // Backtracking for the (strong) Wolfe conditions.
    int search_back(const LinePoint& start, double& step, size_t& trials) {
        while (true) {
            const LinePoint now = evaluate_at(step);
            ++trials;
            double factor = 0.5;
            if (now.value <= start.value + step * (kDecrease * start.slope)) {
                const bool is_steep = now.slope < kCurvature * start.slope;
                if (!is_steep && (options_.search == LbfgsSearch::backtracking || now.slope <= -kCurvature * start.slope)) return 0;
                if (is_steep) factor = 2.1;
            }
            if (const int code = check_step(step, trials)) return code;
            step *= factor;
        }
    }

    // Backtracking within the orthant of x (at zero: that of the pseudo-gradient).
    int search_orthant(double start, double& step, size_t& trials) {
        while (true) {
            each([&](size_t i) {
                const double moved = x_[i] + step * direction_[i], side = x_[i] == 0 ? -pseudo_[i] : x_[i];
                point_[i] = moved * side <= 0 ? 0 : moved;
            });
            value_ = evaluate_(point_.data(), next_.data()) + penalty(point_);
            ++trials;
            const double expected = sum([&](size_t i) { return (point_[i] - x_[i]) * pseudo_[i]; });
            if (value_ <= start + kDecrease * expected) return 0;
            if (const int code = check_step(step, trials)) return code;
            step *= 0.5;
        }
    }

    int check_step(double step, size_t trials) const {
        if (step < kMinimumStepSize) return kMinimumStep;
        if (step > kMaximumStepSize) return kMaximumStep;
        return trials >= options_.trials ? kMaximumTrials : 0;
    }

    const Evaluate& evaluate_;
    AlignedVector<double>& x_;
    const LbfgsOptions& options_;
    AlignedVector<double> gradient_, point_, next_, direction_, pseudo_;  // next_: the gradient at point_
    double value_ = 0;                                                    // at point_, then at x_
    double scale_ = 1;                                                    // of the curvature of the last step
    std::vector<Pair> pairs_;                                             // used in turn
    size_t used_ = 0;
};

}  // namespace

LbfgsResult minimise_classic(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report) {
    return ClassicMinimiser(evaluate, x, options).run(report);
}

}  // namespace tagpool
