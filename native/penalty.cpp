#include "penalty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fault.hpp"
#include "proximal.hpp"

namespace tagpool {
namespace {

constexpr size_t kAtOnce = 64;  // groups that lie across arrays

}  // namespace

Penalty::Penalty(Kind kind, double strength, double ridge, size_t size) : kind_(kind), strength_(strength), ridge_(ridge), size_(size) {
    restart();
}

void Penalty::restart() {
    lengths_.clear();
    products_.assign(1, 1.0);
    thresholds_.assign(1, 0.0);
    decays_.assign(size_, 0.0);
    remains_.assign(size_, 1.0);
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
        // -log(1 - c k), written so that nothing is lost where c k is nearly 1.
        const double chosen = static_cast<double>(kind_ == Kind::elitist ? k : size_), rest = chosen - static_cast<double>(k);
        decays_.push_back(decays_[before + k - 1] + std::log1p(by * chosen) - std::log1p(by * rest));
        remains_.push_back(std::exp(-decays_.back()));
    }
}

void Penalty::catch_up(double* group, size_t count, size_t since) const {
    if (since == steps()) return;
    if (kind_ == Kind::elitist || kind_ == Kind::elitist_approximate) {
        catch_up_elitist(group, count, since);
        return;
    }
    const double threshold = (thresholds_.back() - thresholds_[since]) / products_[since];
    if (threshold > 0) {
        if (kind_ == Kind::weight) prox_l1(group, count, threshold);
        else prox_group(group, count, threshold);
    }
    if (ridge_ > 0) prox_l2(group, count, products_.back() / products_[since] - 1);
}

void Penalty::catch_up_elitist(double* group, size_t count, size_t since) const {
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
        // What each nonzero weight has lost after the steps up to `until`, if none has been lost altogether.
        const auto lost = [&](size_t until) { return -sum * std::expm1(decay(since, nonzero) - decay(until, nonzero)) / static_cast<double>(nonzero); };
        size_t low = since, high = steps();  // `low` is safe
        if (lost(high) < least) low = high;
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            (lost(middle) < least ? low : high) = middle;
        }
        if (low > since) prox_l1(group, count, lost(low));
        since = low;
        if (since == steps()) return;
        // The step that loses one, done as it stands.
        const double by = lengths_[since++] * strength_;
        double threshold;
        if (approximate) {
            double left = 0;
            for (size_t i = 0; i < count; ++i) left += std::abs(group[i]);
            threshold = by / (1 + by * static_cast<double>(size_)) * left;
        } else {
            threshold = elitist_threshold(group, count, by, false);
        }
        prox_l1(group, count, threshold);
    }
}

void Penalty::catch_up_across(double* const* members, size_t count, size_t since) const {
    if (since == steps()) return;
    if (kind_ == Kind::weight) {
        for (size_t m = 0; m < size_; ++m) catch_up(members[m], count, since);
        return;
    }
    // What a group of k nonzero weights loses of its sum, for each of them: the same for all groups.
    double shares[kMostAcross + 1] = {}, group[kMostAcross];
    for (size_t k = 1; k <= size_ && kind_ != Kind::group; ++k)
        shares[k] = (1 - remains_[steps() * size_ + k - 1] / remains_[since * size_ + k - 1]) / static_cast<double>(k);
    for (size_t first = 0; first < count; first += kAtOnce) {
        const size_t some = std::min(count - first, kAtOnce);
        const uint64_t rest = kind_ == Kind::group ? ~uint64_t{0} : catch_up_intact(members, first, some, shares);
        for (size_t i = 0; i < some && rest >> i != 0; ++i) {
            if (!(rest >> i & 1)) continue;
            for (size_t m = 0; m < size_; ++m) group[m] = members[m][first + i];
            catch_up(group, size_, since);
            for (size_t m = 0; m < size_; ++m) members[m][first + i] = group[m];
        }
    }
}

// Catches up those of at most kAtOnce groups that lose no weight altogether; returns the others, a bit each.
uint64_t Penalty::catch_up_intact(double* const* members, size_t first, size_t count, const double* shares) const {
    double sums[kAtOnce] = {}, least[kAtOnce], nonzero[kAtOnce] = {};
    std::fill_n(least, count, std::numeric_limits<double>::max());
    for (size_t m = 0; m < size_; ++m) {
        const double* const from = members[m] + first;
        for (size_t i = 0; i < count; ++i) {
            const double size = std::abs(from[i]);
            sums[i] += size;
            nonzero[i] += size == 0 ? 0.0 : 1.0;
            const double counted = size == 0 ? std::numeric_limits<double>::max() : size;
            least[i] = counted < least[i] ? counted : least[i];
        }
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < count; ++i) {
        const double lost = sums[i] * shares[static_cast<size_t>(nonzero[i])];
        const bool intact = lost < least[i];  // false for what is not a number
        sums[i] = intact ? lost : 0.0;
        rest |= uint64_t{!intact} << i;
    }
    for (size_t m = 0; m < size_; ++m) {
        double* const to = members[m] + first;
        for (size_t i = 0; i < count; ++i) to[i] -= to[i] == 0 ? 0.0 : std::copysign(sums[i], to[i]);
    }
    return rest;
}

Penalty penalty_of(const std::string& name, double strength, double ridge, size_t size) {
    if (!(strength >= 0) || !(ridge >= 0) || !std::isfinite(strength + ridge)) throw InputFault("expected a penalty of at least 0");
    if (ridge > 0 && name != "elastic" && name != "group") throw InputFault("only the penalties elastic and group take an l2 part");
    if (name == "l1" || name == "elastic") return {Penalty::Kind::weight, strength, ridge, size};
    if (name == "l2") return {Penalty::Kind::weight, 0, strength, size};
    if (name == "group") return {Penalty::Kind::group, strength, ridge, size};
    if (name == "elitist") return {Penalty::Kind::elitist, strength, 0, size};
    if (name == "elitist-approximate") return {Penalty::Kind::elitist_approximate, strength, 0, size};
    throw InputFault("expected a penalty of l1, l2, elastic, group, elitist, elitist-approximate; got " + name);
}

}  // namespace tagpool
