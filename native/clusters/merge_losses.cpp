#include "clusters/merge_losses.hpp"

#include <algorithm>
#include <limits>

#include "base/simd.hpp"

namespace tagpool {

CountLogs::CountLogs() : table_(size_t{1} << 16) {
    for (size_t x = 2; x < table_.size(); ++x) table_[x] = static_cast<double>(x) * std::log(static_cast<double>(x));
}

MergeLosses::MergeLosses(size_t max_clusters) : stride_(padded(max_clusters)) {
    for (size_t side = 0; side < 2; ++side) {
        counts_[side].assign(stride_ * stride_, 0);
        sums_[side].assign(stride_, 0);
    }
    losses_.assign(stride_ * stride_, 0.0);
}

// With p, q, s, t the counts of a-a, a-b, b-a, b-b: removes the four contexts from the sum and adds the merged one.
double MergeLosses::corner(size_t a, size_t b) const {
    const uint32_t p = row(0, a)[a], q = row(0, a)[b], s = row(1, a)[b], t = row(0, b)[b];
    return logs_(p + s) + logs_(q + t) + logs_(p + q) + logs_(s + t) - logs_(p) - logs_(q) - logs_(s) - logs_(t) - logs_(p + q + s + t);
}

double MergeLosses::sums_loss(size_t a, size_t b) const {
    double loss = 0;
    for (const auto& sums : sums_) loss += common(sums[a], sums[b]);
    return loss;
}

void MergeLosses::increase_sum(size_t side, uint32_t cluster, uint32_t count) {
    std::vector<uint32_t>& sums = sums_[side];
    const uint32_t before = sums[cluster], after = before + count;
    const double alone = logs_(after) - logs_(before);
    for (size_t b = 0; b < size_; ++b)
        if (b != cluster) cell(cluster, b) += logs_(after + sums[b]) - logs_(before + sums[b]) - alone;
    sums[cluster] = after;
}

void MergeLosses::add(const ClusterCounts& after, const ClusterCounts& before, uint32_t self_count) {
    const auto added = static_cast<uint32_t>(size_);
    const std::array<const ClusterCounts*, 2> neighbours = {&after, &before};
    // Other pairs lose less by this common context, and more by their larger sums.
    for (size_t side = 0; side < 2; ++side) {
        const ClusterCounts& with = *neighbours[1 - side];
        for (size_t i = 0; i < with.size(); ++i)
            for (size_t k = 0; k < i; ++k) cell(with[i].first, with[k].first) -= common(with[i].second, with[k].second);
        for (const auto& [cluster, count] : with) increase_sum(side, cluster, count);
    }
    ++size_;
    for (size_t side = 0; side < 2; ++side) {
        for (const auto& [cluster, count] : *neighbours[side]) {
            row(side, added)[cluster] = count;
            row(1 - side, cluster)[added] = count;
            sums_[side][added] += count;
        }
        row(side, added)[added] = self_count;
        sums_[side][added] += self_count;
    }
    double* const losses = losses_.data() + added * stride_;
    for (size_t b = 0; b < added; ++b) losses[b] = sums_loss(added, b) + corner(added, b);
    for (size_t side = 0; side < 2; ++side) {
        const uint32_t* const counts = row(side, added);
        for (size_t context = 0; context < size_; ++context) {
            if (counts[context] == 0) continue;
            const uint32_t* const others = row(1 - side, context);
            for (size_t b = 0; b < added; ++b)
                if (others[b]) losses[b] -= common(counts[context], others[b]);
        }
    }
}

TAGPOOL_CLONES static double minimum(const double* values, size_t count) {
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
    size_t best = 1;
    for (size_t a = 1; a < size_; ++a)
        if (const double row_least = minimum(losses_.data() + a * stride_, a); row_least < least) {
            least = row_least;
            best = a;
        }
    const double* const losses = losses_.data() + best * stride_;
    return {static_cast<uint32_t>(best), static_cast<uint32_t>(std::find(losses, losses + best, least) - losses)};
}

// Merges the contexts `from` and `into` of all other clusters. Changes the pairs of a cluster next to `from` and one next to either.
void MergeLosses::merge_contexts(size_t side, uint32_t into, uint32_t from) {
    const uint32_t *const into_counts = row(1 - side, into), *const from_counts = row(1 - side, from);
    std::vector<uint32_t> neighbours;
    for (uint32_t b = 0; b < size_; ++b)
        if (into_counts[b] + from_counts[b] && b != into && b != from) neighbours.push_back(b);
    for (const uint32_t a : neighbours) {
        const uint32_t x = into_counts[a], y = from_counts[a];
        if (y == 0) continue;
        const double alone = common(x, y);
        for (const uint32_t b : neighbours) {
            const uint32_t v = into_counts[b], w = from_counts[b];
            if (b == a || (w && b > a)) continue;  // a pair of two clusters next to `from` is updated once
            const double change = common(x + v, y + w) - common(v, w) - alone;
            cell(a, b) -= change;
        }
    }
}

// Adds to change[b] the loss of (into, b) that changes because `into` gets the contexts of `from`.
void MergeLosses::add_contexts(size_t side, uint32_t into, uint32_t from, double* change) const {
    const uint32_t *const target = row(side, into), *const source = row(side, from);
    for (uint32_t context = 0; context < size_; ++context) {
        if (source[context] == 0 || context == into || context == from) continue;
        const uint32_t before = target[context], after = before + source[context];
        const double alone = logs_(after) - logs_(before);
        const uint32_t* const others = row(1 - side, context);
        for (size_t b = 0; b < size_; ++b)
            if (others[b]) change[b] -= logs_(after + others[b]) - logs_(before + others[b]) - alone;
    }
    const uint32_t *const into_counts = row(1 - side, into), *const from_counts = row(1 - side, from);
    const uint32_t self_count = target[into] + target[from] + source[into] + source[from];
    for (size_t b = 0; b < size_; ++b)
        change[b] -=
            common(self_count, into_counts[b] + from_counts[b]) - common(target[into], into_counts[b]) - common(target[from], from_counts[b]);
}

void MergeLosses::merge_counts(uint32_t into, uint32_t from) {
    for (size_t side = 0; side < 2; ++side) {
        uint32_t *const target = row(side, into), *const source = row(side, from);
        const uint32_t self_count = target[into] + target[from] + source[into] + source[from];
        for (uint32_t context = 0; context < size_; ++context) {
            if (context == into || context == from) continue;
            target[context] += source[context];
            row(1 - side, context)[into] = target[context];
        }
        target[into] = self_count;
        sums_[side][into] += sums_[side][from];
    }
}

void MergeLosses::move_last(uint32_t to) {
    const auto last = static_cast<uint32_t>(--size_);
    for (size_t side = 0; side < 2; ++side) {
        const uint32_t* const source = row(side, last);
        uint32_t* const target = row(side, to);
        for (uint32_t context = 0; context < last; ++context)
            if (context != to) row(1 - side, context)[to] = target[context] = source[context];
        target[to] = source[last];
        sums_[side][to] = sums_[side][last];
    }
    // Clear the row for the next cluster.
    for (size_t side = 0; side < 2; ++side) {
        for (uint32_t context = 0; context <= last; ++context) row(side, context)[last] = row(side, last)[context] = 0;
        sums_[side][last] = 0;
    }
    for (uint32_t b = 0; b < last; ++b)
        if (b != to) cell(to, b) = cell(last, b);
}

void MergeLosses::merge(uint32_t into, uint32_t from) {
    std::vector<double> change(size_);
    for (size_t side = 0; side < 2; ++side) {
        merge_contexts(side, into, from);
        add_contexts(side, into, from, change.data());
    }
    for (uint32_t b = 0; b < size_; ++b)
        if (b != into && b != from) change[b] -= sums_loss(into, b) + corner(into, b);
    merge_counts(into, from);
    for (uint32_t b = 0; b < size_; ++b)
        if (b != into && b != from) cell(into, b) += change[b] + sums_loss(into, b) + corner(into, b);
    move_last(from);
}

}  // namespace tagpool
