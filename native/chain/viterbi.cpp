// The best sequence (Viterbi 1967), from the last token to the first. Only maxima are stored. Reading the sequence from left to right
// recomputes the arguments of the maxima, for the labels on the path only.
#include <algorithm>

#include "chain/chain.hpp"
#include "chain/recursions.hpp"

namespace tagpool {

// values_t(i) = node_t(i) + max_j (edge(i, j) + values_{t+1}(j))
TAGPOOL_CLONES void best_completions(const Chain& chain, double* values, double* scratch) {
    const size_t L = chain.labels(), P = chain.width();
    double* const node = scratch + L * P;
    chain.row(chain.tokens - 1, values + (chain.tokens - 1) * P);
    for (size_t t = chain.tokens - 1; t > 0; --t) {
        double* const previous = values + (t - 1) * P;
        max_plus_product(chain.edges->transposed(t, scratch), values + t * P, L, P, previous);
        chain.row(t - 1, node);
        for (size_t i = 0; i < P; ++i) previous[i] += node[i];
    }
}

double read_best(const Chain& chain, const double* values, int32_t* sequence) {
    const size_t L = chain.labels(), P = chain.width();
    size_t label = static_cast<size_t>(std::max_element(values, values + L) - values);
    const double score = values[label];
    if (score == kForbidden) return score;
    sequence[0] = static_cast<int32_t>(label);
    for (size_t t = 1; t < chain.tokens; ++t) {
        const double* const edge = chain.edges->row(t, label);
        const double* const value = values + t * P;
        double best = kForbidden;
        for (size_t j = 0; j < L; ++j) {
            const double score_through = edge[j] + value[j];
            if (score_through > best) {
                best = score_through;
                label = j;
            }
        }
        sequence[t] = static_cast<int32_t>(label);
    }
    return score;
}

double best_sequence(const Chain& chain, ViterbiScratch& scratch, int32_t* sequence) {
    const size_t L = chain.labels(), P = chain.width();
    if (chain.tokens == 0) return 0.0;
    scratch.values.resize_uninitialized(chain.tokens * P);
    scratch.rows.resize_uninitialized((L + 1) * P);
    best_completions(chain, scratch.values.data(), scratch.rows.data());
    return read_best(chain, scratch.values.data(), sequence);
}

void best_sequences(const ChainBatch& batch, int32_t* labels) {
    ViterbiScratch scratch;
    for (size_t s = 0; s < batch.sentences; ++s) {
        const size_t begin = batch.offsets[s], end = batch.offsets[s + 1];
        if (begin == end) continue;
        const Chain chain{batch.edges, batch.nodes + begin * batch.edges->labels, end - begin, batch.start, batch.end};
        if (best_sequence(chain, scratch, labels + begin) == kForbidden) std::fill(labels + begin, labels + end, -1);
    }
}

}  // namespace tagpool
