// The backward pass (Baum et al. 1970), in one of three kinds of arithmetic that give the same numbers.
//
// steady: all edge scores are finite and within 200 of each other. Weights are e^score, scaled to a maximum of 1 at every token. A
//   value lost to underflow is below 1e-300. Every label can follow every other at a cost of at most 200, so a sequence through the
//   lost value has a probability below e^-400. Node scores may differ by any amount.
// checked: edge scores are within 200 of each other, or forbidden. A lost value could then be on the only possible path. So every factor
//   must be 0 because it is forbidden, or at least 1e-90: no product of three can underflow. Otherwise logarithms are used.
// logarithmic: correct for all scores, at the cost of one exponential per edge.
#include <algorithm>

#include "base/sum.hpp"
#include "chain/chain.hpp"
#include "chain/recursions.hpp"

namespace tagpool {
namespace {

constexpr double kSmallest = 1e-90;

// Divides a row by its largest value, which it returns.
TAGPOOL_KERNEL double normalize_maximum(double* row, size_t L, size_t P) {
    const double highest = *std::max_element(row, row + L);
    if (highest > 0.0)
        for (size_t i = 0; i < P; ++i) row[i] /= highest;
    return highest;
}

bool some_too_small(const double* values, size_t L) {
    return std::any_of(values, values + L, [](double value) { return value != 0.0 && value < kSmallest; });
}

}  // namespace

// Returns false if the result may have underflowed. `node` has room for a row.
TAGPOOL_CLONES bool backward_weights(const Chain& chain, Messages& out, double* node) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    const bool checked = chain.edges->space == Edges::Space::checked;
    for (size_t t = T; t-- > 0;) {
        double* const ahead = out.ahead.data() + t * P;
        double* const after = out.after.data() + t * P;
        if (t + 1 < T) {
            product(chain.edges->transposed_weights.data(), ahead + P, L, P, after);
        } else {
            std::fill(after, after + P, 1.0);
        }
        chain.row(t, node);
        const double highest = *std::max_element(node, node + P);
        if (highest == kForbidden) return out.possible = false, true;
        for (size_t i = 0; i < P; ++i) ahead[i] = exponential(node[i] - highest);
        if (checked)
            for (size_t i = 0; i < L; ++i)
                if (ahead[i] < kSmallest && node[i] != kForbidden) return false;
        for (size_t i = 0; i < P; ++i) ahead[i] *= after[i];
        const double largest = normalize_maximum(ahead, L, P);
        if (largest == 0.0) return out.possible = false, true;
        if (checked && some_too_small(ahead, L)) return false;
        out.level[t] = highest + logarithm(largest) + (t + 1 < T ? chain.edges->shift : 0.0);
    }
    double sum = 0.0;
    for (size_t i = 0; i < L; ++i) sum += out.ahead[i];
    out.log_total = logarithm(sum);
    return true;
}

// `scratch` has room for labels + 2 rows.
TAGPOOL_CLONES void backward_logarithms(const Chain& chain, Messages& out, double* scratch) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    double *const node = scratch + L * P, *const sums = node + P;
    for (size_t t = T; t-- > 0;) {
        double* const ahead = out.ahead.data() + t * P;
        double* const after = out.after.data() + t * P;
        if (t + 1 < T) {
            log_sum_product(chain.edges->transposed(t + 1, scratch), ahead + P, L, P, sums, after);
        } else {
            std::fill(after, after + P, 0.0);
        }
        chain.row(t, node);
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
    out.log_total = logarithm(sum);
}

Messages::Messages(const Chain& chain) {
    ahead.resize_uninitialized(chain.tokens * chain.width());
    after.resize_uninitialized(chain.tokens * chain.width());
    level.resize_uninitialized(chain.tokens);
    if (chain.tokens == 0) return;
    std::vector<double> scratch((chain.labels() + 2) * chain.width());
    if (chain.edges->space != Edges::Space::logarithmic && backward_weights(chain, *this, scratch.data())) return;
    logarithmic = true;
    backward_logarithms(chain, *this, scratch.data());
}

// ln Z = Σ_t level_t + ln Σ_i ahead_0(i)
double Messages::log_partition() const {
    if (!possible) return kForbidden;
    Sum sum(log_total);
    for (const double value : level) sum.add(value);
    return sum.value();
}

}  // namespace tagpool
