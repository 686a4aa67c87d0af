// Log transition probabilities of the chain as a Markov chain:
//   ln P(y_t = j | y_{t-1} = i) = edge(i, j) + ln ahead_t(j) - ln after_{t-1}(i).
// Small values of `ahead` may have underflowed, those of `after` have not (see messages.cpp). So ln ahead_t(j) is computed again from
// node_t(j) and after_t(j), which keeps the logarithm of the least probable step finite.
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
    for (size_t j = 0; j < L; ++j) first[j] = std::min(ahead(0, j) - messages.log_total, 0.0);
    for (size_t t = 1; t < T; ++t) {
        for (size_t i = 0; i < L; ++i, steps += L) {
            const double from = after(t - 1, i);
            const double* const edge = chain.edges->row(t, i);
            for (size_t j = 0; j < L; ++j) steps[j] = from == kForbidden ? kForbidden : std::min((edge[j] - shift) + ahead(t, j) - from, 0.0);
        }
    }
}

}  // namespace tagpool
