// The chain as a Markov chain, in logarithms:
//   ln P(y_t = j | y_{t-1} = i) = edge(i, j) + ln ahead_t(j) - ln after_{t-1}(i).
// `ahead` may have lost what is very small to underflow, `after` has not (chain_messages.cpp says why): ln ahead_t(j) is taken from
// node_t(j) and after_t(j) again, so that even the least probable step keeps a finite logarithm.
#include <algorithm>

#include "chain/chain.hpp"
#include "chain/recursions.hpp"

namespace tagpool {

void log_transitions(const Chain& chain, const Messages& messages, double* first, double* steps) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    const double shift = messages.logarithmic ? 0.0 : chain.edges->shift;
    const auto after = [&](size_t t, size_t i) {
        const double value = messages.after[t * P + i];
        return messages.logarithmic ? value : logarithm(value);
    };
    const auto ahead = [&](size_t t, size_t j) { return chain.node(t, j) + after(t, j) - (messages.level[t] - (t + 1 < T ? shift : 0.0)); };
    for (size_t j = 0; j < L; ++j) first[j] = std::min(ahead(0, j) - messages.closing, 0.0);
    for (size_t t = 1; t < T; ++t) {
        for (size_t i = 0; i < L; ++i, steps += L) {
            const double from = after(t - 1, i);
            const double* const edge = chain.edges->row(t, i);
            for (size_t j = 0; j < L; ++j) steps[j] = from == kForbidden ? kForbidden : std::min((edge[j] - shift) + ahead(t, j) - from, 0.0);
        }
    }
}

}  // namespace tagpool
