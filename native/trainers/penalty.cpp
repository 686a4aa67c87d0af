#include "trainers/penalty.hpp"

#include <algorithm>
#include <cmath>

#include "base/fault.hpp"
#include "kernels/kernels.hpp"
#include "trainers/proximal.hpp"

namespace tagpool {

Penalty::Penalty(Kind kind, double strength, double ridge, size_t size) : kind_(kind), strength_(strength), ridge_(ridge), size_(size) { restart(); }

void Penalty::restart() {
    lengths_.clear();
    products_.assign(1, 1.0);
    thresholds_.assign(1, 0.0);
    decays_.assign(size_, 0.0);
    remains_.assign(size_, 1.0);
    inverses_.assign(size_, 1.0);
    factors_.clear();
}

void Penalty::step(double length) {
    lengths_.push_back(length);
    const double by = length * strength_;
    if (kind_ == Kind::weight || kind_ == Kind::group) {
        thresholds_.push_back(thresholds_.back() + by * products_.back());
        products_.push_back(products_.back() * (1 + length * ridge_));
        return;
    }
    const size_t before = decays_.size() - size_;
    for (size_t k = 1; k <= size_; ++k) {
        // -log(1 - c k), without cancellation where c k is nearly 1.
        const double chosen = static_cast<double>(kind_ == Kind::elitist ? k : size_), rest = chosen - static_cast<double>(k);
        decays_.push_back(decays_[before + k - 1] + std::log1p(by * chosen) - std::log1p(by * rest));
        remains_.push_back(std::exp(-decays_.back()));
        inverses_.push_back(std::exp(decays_.back()));
        factors_.push_back(by / (1 + by * chosen));
    }
}

void Penalty::apply_missed_steps(double* group, size_t count, size_t since) const {
    if (since == steps()) return;
    if (kind_ == Kind::elitist || kind_ == Kind::elitist_approximate) {
        apply_elitist(group, count, since);
        return;
    }
    const double threshold = (thresholds_.back() - thresholds_[since]) / products_[since];
    if (threshold > 0) {
        if (kind_ == Kind::weight) prox_l1(group, count, threshold);
        else prox_group(group, count, threshold);
    }
    if (ridge_ > 0) prox_l2(group, count, products_.back() / products_[since] - 1);
}

void Penalty::apply_elitist(double* group, size_t count, size_t since) const {
    const bool approximate = kind_ == Kind::elitist_approximate;
    while (since < steps()) {
        size_t nonzero = 0;
        double sum = 0, least = 0;
        for (size_t i = 0; i < count; ++i) {
            const double size = std::abs(group[i]);
            if (size == 0) continue;
            least = nonzero++ == 0 ? size : std::min(least, size);
            sum += size;
        }
        if (nonzero == 0) return;
        // The loss of each nonzero weight after the steps up to `until`, while none becomes zero.
        const auto lost = [&](size_t until) {
            return -sum * std::expm1(decay(since, nonzero) - decay(until, nonzero)) / static_cast<double>(nonzero);
        };
        size_t low = since, high = steps();  // `low` is safe
        if (lost(high) < least) low = high;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            (lost(middle) < least ? low : high) = middle;
        }
        if (low > since) prox_l1(group, count, lost(low));
        since = low;
        if (since == steps()) return;
        // The step at which a weight becomes zero, applied directly.
        const double by = lengths_[since++] * strength_;
        prox_l1(group, count, elitist_threshold(group, count, by, approximate ? size_ : 0));
    }
}

void Penalty::update_experts(double* const* members, size_t count, size_t since, const double* step_sizes, const double* alpha,
                             double* pooled) const {
    const ElitistKernels& run = kernels().elitist;
    if (since == steps()) return run.mix(alpha, members, size_, count, pooled);
    ExpertSteps missed{size_, 0, nullptr, kind_ == Kind::elitist, nullptr, step_sizes, alpha};
    double shares[kMaxExperts], group[kMaxExperts];
    if (kind_ == Kind::weight) {
        missed.threshold = (thresholds_.back() - thresholds_[since]) / products_[since];
    } else {
        // A gradient step makes all weights of a group nonzero, and the first proximal step zeroes most of them: apply it directly.
        missed.factors = factors_.data() + since++ * size_;
        const double *now = remains_.data() + steps() * size_, *then = inverses_.data() + since * size_;
        for (size_t k = 0; k < size_; ++k) shares[k] = (1 - now[k] * then[k]) / static_cast<double>(k + 1);
        if (since < steps()) missed.shares = shares;
    }
    thread_local std::vector<uint32_t> unfinished;
    if (unfinished.size() < count) unfinished.resize(count);
    const size_t unfinished_count = run.apply_missed_steps(missed, members, count, pooled, unfinished.data());
    for (size_t i = 0; i < unfinished_count; ++i) {
        double& mixed = pooled[unfinished[i]] = 0;
        for (size_t m = 0; m < size_; ++m) group[m] = members[m][unfinished[i]];
        apply_elitist(group, size_, since);
        for (size_t m = 0; m < size_; ++m) mixed += alpha[m] * (members[m][unfinished[i]] = group[m]);
    }
}

Penalty penalty_of(const std::string& name, double strength, double ridge, size_t size) {
    if (!(strength >= 0) || !(ridge >= 0) || !std::isfinite(strength + ridge)) throw InputFault("penalty: expected a strength and l2 of 0 or more");
    if (ridge > 0 && name != "elastic" && name != "group") throw InputFault("penalty: only elastic and group take an l2 part");
    if (name == "l1" || name == "elastic") return {Penalty::Kind::weight, strength, ridge, size};
    if (name == "l2") return {Penalty::Kind::weight, 0, strength, size};
    if (name == "group") return {Penalty::Kind::group, strength, ridge, size};
    if (name == "elitist") return {Penalty::Kind::elitist, strength, 0, size};
    if (name == "elitist-approximate") return {Penalty::Kind::elitist_approximate, strength, 0, size};
    throw InputFault("penalty: expected l1, l2, elastic, group, elitist or elitist-approximate, got " + name);
}

}  // namespace tagpool
