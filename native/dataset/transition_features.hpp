// Arcs: what the transitions of a training set look at beyond two neighbouring labels: one label more (order 2), and features of the
// token. A step from labels (a, b) to (b, c) at token t weighs
//     A[b, c] + B[a, b, c] + sum_k f_k(t) E[k, (b, c)].
// A[b, c] is shared by all a: it is what a rare or unseen trigram falls back on. Weights of trigrams belong to the trigrams that occur (with
// ^ for a before the sentence), triples E to those (k, b, c) that occur. The first token has no label before it, hence no triples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "features/encoding.hpp"
#include "dataset/pair_states.hpp"

namespace tagpool {

// What is there in any case, met or not: it had a weight before. The number of labels stands for "before the sentence".
struct KnownArcs {
    std::vector<uint16_t> states;           // pairs of labels
    std::vector<uint16_t> trigrams;         // labels a, b, c
    std::vector<uint32_t> triple_features;
    std::vector<uint32_t> triple_pairs;     // b * labels + c
};

class Arcs {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    // Plain first order: nothing to look at.
    Arcs() = default;
    // `history` are the features that go with label pairs, numbers below `features`; it may be null.
    Arcs(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride, uint32_t order,
         const Encoding* history, uint32_t features, const KnownArcs& known);

    bool empty() const { return states_.empty() && triple_cells_.empty(); }
    bool second_order() const { return !states_.empty(); }
    // The pairs that occur (all of them if some label is not known); none for order 1, where all pairs may stand.
    const PairStates& states() const { return states_; }

    // Weights of trigrams by state, ascending, and next label.
    size_t trigram_count() const { return trigram_labels_.size(); }
    // Triples by feature, ascending, and cell.
    size_t triple_count() const { return triple_cells_.size(); }

    // The trigram of labels a, b, c, kNone if it has no weight; the number of labels stands for "before the sentence".
    uint32_t trigram(uint32_t a, uint32_t b, uint32_t c) const;
    // Labels a, b, c of each trigram; feature, and b * labels + c, of each triple.
    std::vector<uint16_t> trigrams() const;
    std::vector<uint32_t> triple_features() const;
    std::vector<uint32_t> triple_pairs(uint32_t labels, uint32_t stride) const;

    // Calls visit(t, triple, value) for all triples at the tokens of a sentence, always in the same order.
    template <class Visit>
    void each_triple(size_t begin, size_t length, Visit&& visit) const {
        if (triple_cells_.empty()) return;
        for (size_t t = 1; t < length; ++t) each_triple_at(begin + t, [&](uint32_t triple, float value) { visit(t, triple, value); });
    }
    // The same for one token: visit(triple, value).
    template <class Visit>
    void each_triple_at(size_t token, Visit&& visit) const {
        each_feature_at(token, [&](uint32_t feature, float value) {
            for (uint32_t triple = triple_starts_[feature]; triple < triple_starts_[feature + 1]; ++triple) visit(triple, value);
        });
    }
    // And for its features: visit(feature, value).
    template <class Visit>
    void each_feature_at(size_t token, Visit&& visit) const {
        if (triple_cells_.empty()) return;
        for (uint64_t i = starts_[token]; i < starts_[token + 1]; ++i) visit(features_[i], values_.empty() ? 1.0f : values_[i]);
    }

    std::vector<uint32_t> trigram_starts_;    // by state, one more
    std::vector<uint16_t> trigram_labels_;
    std::vector<uint32_t> gold_trigram_;      // by token: the weight of the gold step to it, kNone if there is none
    std::vector<uint32_t> triple_starts_; // by feature, one more
    std::vector<uint32_t> triple_cells_;  // b * stride + c

private:
    void find_states(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                     const KnownArcs& known);
    void find_trigrams(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, const KnownArcs& known);
    void find_triples(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                      const Encoding& history, uint32_t features, const KnownArcs& known);

    PairStates states_;
    // Features by token; none at first tokens.
    Buffer<uint64_t> starts_;
    Buffer<uint32_t> features_;
    Buffer<float> values_;  // empty: all 1
};

}  // namespace tagpool
