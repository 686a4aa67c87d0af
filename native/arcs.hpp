// Arcs: what the transitions of a training set look at beyond two neighbouring labels: one label more (order 2), and features of the
// token. A step from labels (a, b) to (b, c) at token t weighs
//     A[b, c] + own[a, b, c] + sum_k f_k(t) E[k, (b, c)].
// A[b, c] is shared by all a: it is what a rare or unseen trigram falls back on. Own weights belong to the trigrams that occur (with
// ^ for a before the sentence), triples E to those (k, b, c) that occur. The first token has no label before it, hence no triples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "encoding.hpp"
#include "pair_states.hpp"

namespace tagpool {

class Arcs {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    // Plain first order: nothing to look at.
    Arcs() = default;
    // `history` are the features that go with label pairs, numbers below `features`; it may be null.
    Arcs(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride, uint32_t order,
         const Encoding* history, uint32_t features);

    bool empty() const { return states_.empty() && triple_cells_.empty(); }
    bool second_order() const { return !states_.empty(); }
    // The pairs that occur (all of them if some label is not known); none for order 1, where all pairs may stand.
    const PairStates& states() const { return states_; }

    // Own weights by state, ascending, and next label.
    size_t own_count() const { return own_labels_.size(); }
    // Triples by feature, ascending, and cell.
    size_t triple_count() const { return triple_cells_.size(); }

    // Labels a, b, c of each own weight; feature, and b * labels + c, of each triple.
    std::vector<uint16_t> trigrams() const;
    std::vector<uint32_t> triple_features() const;
    std::vector<uint32_t> triple_pairs(uint32_t labels, uint32_t stride) const;

    // Calls visit(t, triple, value) for all triples at the tokens of a sentence, always in the same order.
    template <class Visit>
    void each_triple(size_t begin, size_t length, Visit&& visit) const {
        if (triple_cells_.empty()) return;
        for (size_t t = 1; t < length; ++t)
            for (uint64_t i = starts_[begin + t]; i < starts_[begin + t + 1]; ++i) {
                const float value = values_.empty() ? 1.0f : values_[i];
                for (uint32_t triple = triple_starts_[features_[i]]; triple < triple_starts_[features_[i] + 1]; ++triple)
                    visit(t, triple, value);
            }
    }

    std::vector<uint32_t> own_starts_;    // by state, one more
    std::vector<uint16_t> own_labels_;
    std::vector<uint32_t> gold_own_;      // by token: the own weight of the gold step to it, kNone if there is none
    std::vector<uint32_t> triple_starts_; // by feature, one more
    std::vector<uint32_t> triple_cells_;  // b * stride + c

private:
    void find_states(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride);
    void find_own(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold);
    void find_triples(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t stride, const Encoding& history,
                      uint32_t features);

    PairStates states_;
    // Features by token; none at first tokens.
    Buffer<uint64_t> starts_;
    Buffer<uint32_t> features_;
    Buffer<float> values_;  // empty: all 1
};

}  // namespace tagpool
