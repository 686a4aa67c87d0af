// MergeLosses: what joining any two of some clusters would cost, kept up to date while clusters come and are joined.
//
// Let n(a, b) say how often cluster b follows cluster a, l(a) how often a is followed, r(a) how often it follows, and f(x) = x log x.
// The mutual information of neighbours, times their number and but for a constant, is
//
//   sum over a, b of f(n(a, b))  -  sum over a of f(l(a)) + f(r(a)).
//
// With g(x, y) = f(x + y) - f(x) - f(y), joining a and b therefore loses
//
//   g(l(a), l(b)) + g(r(a), r(b))  -  sum over contexts d of g(n(a, d), n(b, d)) + g(n(d, a), n(d, b))  +  corner(a, b),
//
// where the corner puts right what the sum says about the contexts a and b, which become one themselves. As g(0, y) = 0, a context
// matters only to those it stands beside: a word with few neighbours changes little of the table, and what does not change is not
// looked at. That makes the time that Liang's algorithm (2005) takes for a word proportional to its neighbours, rather than to all pairs.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tagpool {

// x log x of whole numbers.
class CountLogs {
public:
    CountLogs();
    double operator()(uint32_t x) const {
        return x < table_.size() ? table_[x] : static_cast<double>(x) * std::log(static_cast<double>(x));
    }

private:
    std::vector<double> table_;
};

// How often a cluster stands beside a word: its number, and the count.
using Beside = std::vector<std::pair<uint32_t, uint32_t>>;

class MergeLosses {
public:
    // For at most so many clusters at a time.
    explicit MergeLosses(size_t most);

    size_t size() const { return size_; }
    // A cluster more, with the highest number: how often clusters follow it, how often it follows them, and how often itself.
    void add(const Beside& after, const Beside& before, uint32_t beside_itself);
    // The two clusters (a > b) whose joining loses least; of equals, the first in the order of a, then b.
    std::pair<uint32_t, uint32_t> cheapest() const;
    double loss(uint32_t a, uint32_t b) const { return a > b ? losses_[a * most_ + b] : losses_[b * most_ + a]; }
    // Cluster `from` becomes part of `into`, and the last cluster takes its number.
    void join(uint32_t into, uint32_t from);

private:
    // counts_[0] has n(a, d) at [a][d], counts_[1] n(d, a): contexts on the right, and on the left.
    uint32_t* row(size_t side, size_t cluster) { return counts_[side].data() + cluster * most_; }
    const uint32_t* row(size_t side, size_t cluster) const { return counts_[side].data() + cluster * most_; }
    double& cell(size_t a, size_t b) { return a > b ? losses_[a * most_ + b] : losses_[b * most_ + a]; }
    double corner(size_t a, size_t b) const;
    double of_sums(size_t a, size_t b) const;
    void raise_sum(size_t side, uint32_t cluster, uint32_t count);
    void join_contexts(size_t side, uint32_t into, uint32_t from);
    void add_contexts(size_t side, uint32_t into, uint32_t from, double* change) const;
    void add_counts(uint32_t into, uint32_t from);
    void move_last(uint32_t to);

    size_t most_, size_ = 0;
    CountLogs logs_;
    std::array<std::vector<uint32_t>, 2> counts_, sums_;
    std::vector<double> losses_;  // of a and b < a at [a][b]
};

}  // namespace tagpool
