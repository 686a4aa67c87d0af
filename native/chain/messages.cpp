// The backward pass of a chain (Baum et al. 1970), in one of three ways that give the same numbers.
//
// steady: all edge scores are finite and lie within 200 of each other. Weights e^score, largest value 1 at every token. A
//   value lost to underflow is below 1e-300, and since every label can be reached from every other at a cost of at most 200,
//   whatever goes through it has a probability below e^-400: nodes may be as far apart as they like.
// checked: edges are finite within 200 of each other, or forbidden. What underflows could then be the only way, so every
//   factor must be 0 because it is forbidden, or at least 1e-90: no product of three can underflow. If one is not, the pass is
//   made again with logarithms.
// logarithmic: right for all scores, at an exponential an edge.
#include <algorithm>
#include <cmath>

#include "chain/chain.hpp"
#include "chain/recursions.hpp"
#include "base/sum.hpp"

namespace tagpool {
namespace {

constexpr double kSmallest = 1e-90;

// Divides a row by its largest value, and returns that.
TAGPOOL_KERNEL double scale(double* row, size_t L, size_t P) {
    const double highest = *std::max_element(row, row + L);
    if (highest > 0.0)
        for (size_t i = 0; i < P; ++i) row[i] /= highest;
    return highest;
}

bool some_too_small(const double* values, size_t L) {
    return std::any_of(values, values + L, [](double value) { return value != 0.0 && value < kSmallest; });
}

}  // namespace

// True if the numbers can be trusted.
TAGPOOL_CLONES bool backward_weights(const Chain& chain, Messages& out) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    const bool checked = chain.edges->space == Edges::Space::checked;
    std::vector<double> node(P);
    for (size_t t = T; t-- > 0;) {
        double* const ahead = out.ahead.data() + t * P;
        double* const after = out.after.data() + t * P;
        if (t + 1 < T) {
            product(chain.edges->weights_into.data(), ahead + P, L, P, after);
        } else {
            std::fill(after, after + P, 1.0);
        }
        chain.row(t, node.data());
        const double highest = *std::max_element(node.begin(), node.end());
        if (highest == kForbidden) return out.possible = false, true;
        for (size_t i = 0; i < P; ++i) ahead[i] = exponential(node[i] - highest);
        if (checked)
            for (size_t i = 0; i < L; ++i)
                if (ahead[i] < kSmallest && node[i] != kForbidden) return false;
        for (size_t i = 0; i < P; ++i) ahead[i] *= after[i];
        const double largest = scale(ahead, L, P);
        if (largest == 0.0) return out.possible = false, true;
        if (checked && some_too_small(ahead, L)) return false;
        out.level[t] = highest + logarithm(largest) + (t + 1 < T ? chain.edges->shift : 0.0);
    }
    double sum = 0.0;
    for (size_t i = 0; i < L; ++i) sum += out.ahead[i];
    out.closing = logarithm(sum);
    return true;
}

TAGPOOL_CLONES void backward_logarithms(const Chain& chain, Messages& out) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    std::vector<double> node(P), sums(P), scratch(L * P);
    for (size_t t = T; t-- > 0;) {
        double* const ahead = out.ahead.data() + t * P;
        double* const after = out.after.data() + t * P;
        if (t + 1 < T) {
            log_sum_before(chain.edges->into(t + 1, scratch.data()), ahead + P, L, P, sums.data(), after);
        } else {
            std::fill(after, after + P, 0.0);
        }
        chain.row(t, node.data());
        for (size_t i = 0; i < P; ++i) ahead[i] = node[i] + after[i];
        const double highest = *std::max_element(ahead, ahead + L);
        if (highest == kForbidden) {
            out.possible = false;
            return;
        }
        for (size_t i = 0; i < P; ++i) ahead[i] -= highest;
        out.level[t] = highest;
    }
    double sum = 0.0;
    for (size_t i = 0; i < L; ++i) sum += exponential(out.ahead[i]);
    out.closing = logarithm(sum);
}

Messages::Messages(const Chain& chain) {
    ahead.resize_uninitialized(chain.tokens * chain.width());
    after.resize_uninitialized(chain.tokens * chain.width());
    level.resize_uninitialized(chain.tokens);
    if (chain.edges->space != Edges::Space::logarithmic && backward_weights(chain, *this)) return;
    logarithmic = true;
    backward_logarithms(chain, *this);
}

// ln Z = Σ_t level_t + ln Σ_i ahead_0(i)
double Messages::log_partition() const {
    if (!possible) return kForbidden;
    Sum sum(closing);
    for (double each : level) sum.add(each);
    return sum.value();
}

}  // namespace tagpool
