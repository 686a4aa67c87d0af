#include "clusters/merge_losses.hpp"

#include <algorithm>
#include <limits>

#include "base/simd.hpp"

namespace tagpool {

CountLogs::CountLogs() : table_(size_t{1} << 16) {
    for (size_t x = 2; x < table_.size(); ++x) table_[x] = static_cast<double>(x) * std::log(static_cast<double>(x));
}

MergeLosses::MergeLosses(size_t most) : most_(padded(most)) {
    for (size_t side = 0; side < 2; ++side) {
        counts_[side].assign(most_ * most_, 0);
        sums_[side].assign(most_, 0);
    }
    losses_.assign(most_ * most_, 0.0);
}

// With p, q, s, t the counts of a-a, a-b, b-a, b-b, the four contexts are taken out of the sum, and the one cell that they become is put in.
double MergeLosses::corner(size_t a, size_t b) const {
    const uint32_t p = row(0, a)[a], q = row(0, a)[b], s = row(1, a)[b], t = row(0, b)[b];
    return logs_(p + s) + logs_(q + t) + logs_(p + q) + logs_(s + t) - logs_(p) - logs_(q) - logs_(s) - logs_(t) - logs_(p + q + s + t);
}

double MergeLosses::of_sums(size_t a, size_t b) const {
    double found = 0;
    for (const auto& sums : sums_) found += logs_(sums[a] + sums[b]) - logs_(sums[a]) - logs_(sums[b]);
    return found;
}

void MergeLosses::raise_sum(size_t side, uint32_t cluster, uint32_t count) {
    std::vector<uint32_t>& sums = sums_[side];
    const uint32_t before = sums[cluster], now = before + count;
    const double alone = logs_(now) - logs_(before);
    for (size_t b = 0; b < size_; ++b)
        if (b != cluster) cell(cluster, b) += logs_(now + sums[b]) - logs_(before + sums[b]) - alone;
    sums[cluster] = now;
}

void MergeLosses::add(const Beside& after, const Beside& before, uint32_t beside_itself) {
    const auto fresh = static_cast<uint32_t>(size_);
    const std::array<const Beside*, 2> beside = {&after, &before};
    // What the others lose less of now that they may have this context in common, and more of as their sums rise.
    for (size_t side = 0; side < 2; ++side) {
        const Beside& with = *beside[1 - side];
        for (size_t i = 0; i < with.size(); ++i)
            for (size_t k = 0; k < i; ++k) {
                const uint32_t x = with[i].second, y = with[k].second;
                cell(with[i].first, with[k].first) -= logs_(x + y) - logs_(x) - logs_(y);
            }
        for (const auto& [cluster, count] : with) raise_sum(side, cluster, count);
    }
    ++size_;
    for (size_t side = 0; side < 2; ++side) {
        for (const auto& [cluster, count] : *beside[side]) {
            row(side, fresh)[cluster] = count;
            row(1 - side, cluster)[fresh] = count;
            sums_[side][fresh] += count;
        }
        row(side, fresh)[fresh] = beside_itself;
        sums_[side][fresh] += beside_itself;
    }
    double* const losses = losses_.data() + fresh * most_;
    for (size_t b = 0; b < fresh; ++b) losses[b] = of_sums(fresh, b) + corner(fresh, b);
    for (size_t side = 0; side < 2; ++side) {
        const uint32_t* const own = row(side, fresh);
        for (size_t context = 0; context < size_; ++context) {
            if (own[context] == 0) continue;
            const uint32_t* const others = row(1 - side, context);
            for (size_t b = 0; b < fresh; ++b)
                if (others[b]) losses[b] -= logs_(own[context] + others[b]) - logs_(own[context]) - logs_(others[b]);
        }
    }
}

TAGPOOL_CLONES static double least_of(const double* values, size_t count) {
    double lanes[kLane];
    std::fill_n(lanes, kLane, std::numeric_limits<double>::infinity());
    size_t i = 0;
    for (; i + kLane <= count; i += kLane)
        for (size_t lane = 0; lane < kLane; ++lane) lanes[lane] = values[i + lane] < lanes[lane] ? values[i + lane] : lanes[lane];
    for (; i < count; ++i) lanes[0] = std::min(lanes[0], values[i]);
    return *std::min_element(lanes, lanes + kLane);
}

std::pair<uint32_t, uint32_t> MergeLosses::cheapest() const {
    double least = std::numeric_limits<double>::infinity();
    size_t found = 1;
    for (size_t a = 1; a < size_; ++a)
        if (const double of_row = least_of(losses_.data() + a * most_, a); of_row < least) {
            least = of_row;
            found = a;
        }
    const double* const losses = losses_.data() + found * most_;
    return {static_cast<uint32_t>(found), static_cast<uint32_t>(std::find(losses, losses + found, least) - losses)};
}

// The contexts `from` and `into` become one to all other clusters. Those beside `from` are concerned, and whoever they share the new one with.
void MergeLosses::join_contexts(size_t side, uint32_t into, uint32_t from) {
    const uint32_t *const of_into = row(1 - side, into), *const of_from = row(1 - side, from);
    std::vector<uint32_t> beside;
    for (uint32_t b = 0; b < size_; ++b)
        if (of_into[b] + of_from[b] && b != into && b != from) beside.push_back(b);
    for (const uint32_t a : beside) {
        const uint32_t x = of_into[a], y = of_from[a];
        if (y == 0) continue;
        const double alone = logs_(x + y) - logs_(x) - logs_(y);
        for (const uint32_t b : beside) {
            const uint32_t v = of_into[b], w = of_from[b];
            if (b == a || (w && b > a)) continue;  // a pair that both are concerned with is taken once
            const double change = (logs_(x + y + v + w) - logs_(x + v) - logs_(y + w)) - (logs_(v + w) - logs_(v) - logs_(w)) - alone;
            cell(a, b) -= change;
        }
    }
}

// What cluster `into` has in common with each other one grows with the contexts of `from`.
void MergeLosses::add_contexts(size_t side, uint32_t into, uint32_t from, double* change) const {
    const uint32_t *const own = row(side, into), *const more = row(side, from);
    for (uint32_t context = 0; context < size_; ++context) {
        if (more[context] == 0 || context == into || context == from) continue;
        const uint32_t before = own[context], now = before + more[context];
        const double alone = logs_(now) - logs_(before);
        const uint32_t* const others = row(1 - side, context);
        for (size_t b = 0; b < size_; ++b)
            if (others[b]) change[b] -= logs_(now + others[b]) - logs_(before + others[b]) - alone;
    }
    const auto common = [&](uint32_t x, uint32_t y) { return logs_(x + y) - logs_(x) - logs_(y); };
    const uint32_t *const of_into = row(1 - side, into), *const of_from = row(1 - side, from);
    const uint32_t itself = own[into] + own[from] + more[into] + more[from];
    for (size_t b = 0; b < size_; ++b)
        change[b] -= common(itself, of_into[b] + of_from[b]) - common(own[into], of_into[b]) - common(own[from], of_from[b]);
}

void MergeLosses::add_counts(uint32_t into, uint32_t from) {
    for (size_t side = 0; side < 2; ++side) {
        uint32_t *const own = row(side, into), *const more = row(side, from);
        const uint32_t itself = own[into] + own[from] + more[into] + more[from];
        for (uint32_t context = 0; context < size_; ++context) {
            if (context == into || context == from) continue;
            own[context] += more[context];
            row(1 - side, context)[into] = own[context];
        }
        own[into] = itself;
        sums_[side][into] += sums_[side][from];
    }
}

void MergeLosses::move_last(uint32_t to) {
    const auto last = static_cast<uint32_t>(--size_);
    for (size_t side = 0; side < 2; ++side) {
        const uint32_t* const own = row(side, last);
        uint32_t* const place = row(side, to);
        for (uint32_t context = 0; context < last; ++context)
            if (context != to) row(1 - side, context)[to] = place[context] = own[context];
        place[to] = own[last];
        sums_[side][to] = sums_[side][last];
    }
    // The next cluster to be added begins with nothing.
    for (size_t side = 0; side < 2; ++side) {
        for (uint32_t context = 0; context <= last; ++context) row(side, context)[last] = row(side, last)[context] = 0;
        sums_[side][last] = 0;
    }
    for (uint32_t b = 0; b < last; ++b)
        if (b != to) cell(to, b) = cell(last, b);
}

void MergeLosses::join(uint32_t into, uint32_t from) {
    std::vector<double> change(size_);
    for (size_t side = 0; side < 2; ++side) {
        join_contexts(side, into, from);
        add_contexts(side, into, from, change.data());
    }
    for (uint32_t b = 0; b < size_; ++b)
        if (b != into && b != from) change[b] -= of_sums(into, b) + corner(into, b);
    add_counts(into, from);
    for (uint32_t b = 0; b < size_; ++b)
        if (b != into && b != from) cell(into, b) += change[b] + of_sums(into, b) + corner(into, b);
    move_last(from);
}

}  // namespace tagpool
