// MergeLosses: the loss of mutual information for every pair of clusters, updated while clusters are added and merged.
//
// Let n(a, b) count how often cluster b follows cluster a, l(a) = sum_b n(a, b), r(a) = sum_b n(b, a), and f(x) = x log x.
// The mutual information of adjacent clusters, times the number of bigrams and up to a constant, is
//
//   sum over a, b of f(n(a, b))  -  sum over a of f(l(a)) + f(r(a)).
//
// With g(x, y) = f(x + y) - f(x) - f(y), merging a and b therefore loses
//
//   g(l(a), l(b)) + g(r(a), r(b))  -  sum over contexts d of g(n(a, d), n(b, d)) + g(n(d, a), n(d, b))  +  corner(a, b),
//
// where the corner corrects the sum for the contexts a and b, which are merged, too. As g(0, y) = 0, a context matters only to the
// clusters next to it. So the time per word is proportional to its neighbours, not to all pairs as in Liang's algorithm (2005).
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tagpool {

// CountLogs: x log x of integers, from a table if x is small.
class CountLogs {
public:
    CountLogs();
    double operator()(uint32_t x) const { return x < table_.size() ? table_[x] : static_cast<double>(x) * std::log(static_cast<double>(x)); }

private:
    std::vector<double> table_;
};

// Pairs of a cluster and the number of its occurrences next to a word.
using ClusterCounts = std::vector<std::pair<uint32_t, uint32_t>>;

class MergeLosses {
public:
    explicit MergeLosses(size_t max_clusters);

    size_t size() const { return size_; }
    // Adds a cluster with the highest number, from the counts of the clusters after it, before it, and of itself after itself.
    void add(const ClusterCounts& after, const ClusterCounts& before, uint32_t self_count);
    // The two clusters (a > b) with the smallest loss; ties go to the smallest a, then b.
    std::pair<uint32_t, uint32_t> cheapest() const;
    double loss(uint32_t a, uint32_t b) const { return a > b ? losses_[a * stride_ + b] : losses_[b * stride_ + a]; }
    // Merges cluster `from` into `into`; the last cluster then gets the number `from`.
    void merge(uint32_t into, uint32_t from);

private:
    uint32_t* row(size_t side, size_t cluster) { return counts_[side].data() + cluster * stride_; }
    const uint32_t* row(size_t side, size_t cluster) const { return counts_[side].data() + cluster * stride_; }
    double& cell(size_t a, size_t b) { return a > b ? losses_[a * stride_ + b] : losses_[b * stride_ + a]; }
    double common(uint32_t x, uint32_t y) const { return logs_(x + y) - logs_(x) - logs_(y); }  // g
    double corner(size_t a, size_t b) const;
    double sums_loss(size_t a, size_t b) const;
    void increase_sum(size_t side, uint32_t cluster, uint32_t count);
    void merge_contexts(size_t side, uint32_t into, uint32_t from);
    void add_contexts(size_t side, uint32_t into, uint32_t from, double* change) const;
    void merge_counts(uint32_t into, uint32_t from);
    void move_last(uint32_t to);

    size_t stride_, size_ = 0;  // stride_: padded maximum number of clusters
    CountLogs logs_;
    std::array<std::vector<uint32_t>, 2> counts_;  // [stride][stride] matrices: n(a, d) and n(d, a) at [a][d]
    std::array<std::vector<uint32_t>, 2> sums_;    // [stride] arrays: l(a) and r(a)
    std::vector<double> losses_;                   // a [stride][stride] matrix; only [a][b] with b < a is used
};

}  // namespace tagpool
