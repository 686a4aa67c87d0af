// Arcs: the transition features of a training set. A step from label b to label c at token t scores
//     A[b, c] + sum_k f_k(t) E[k, (b, c)].
// A triple (k, b, c) has a weight in E if it occurs. The first token has no label before it, hence no triples.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "features/encoding.hpp"

namespace tagpool {

// Triples that have a weight even if they do not occur: an earlier model had one.
struct KnownArcs {
    std::vector<uint32_t> triple_features;
    std::vector<uint32_t> triple_pairs;  // b * labels + c
};

class Arcs {
public:
    // A plain chain without transition features.
    Arcs() = default;
    // The features in `history` have numbers below `features`.
    Arcs(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride, const Encoding& history,
         uint32_t features, const KnownArcs& known);

    bool empty() const { return triple_cells_.empty(); }
    // Triples are sorted by feature, then by cell.
    size_t triple_count() const { return triple_cells_.size(); }

    // The feature, and b * labels + c, of each triple.
    std::vector<uint32_t> triple_features() const;
    std::vector<uint32_t> triple_pairs(uint32_t labels, uint32_t stride) const;

    // Calls visit(t, triple, value) for all triples at the tokens of a sentence, always in the same order.
    template <class Visit>
    void each_triple(size_t begin, size_t length, Visit&& visit) const {
        if (triple_cells_.empty()) return;
        for (size_t t = 1; t < length; ++t) each_triple_at(begin + t, [&](uint32_t triple, float value) { visit(t, triple, value); });
    }
    // Calls visit(triple, value) for the triples of one token.
    template <class Visit>
    void each_triple_at(size_t token, Visit&& visit) const {
        each_feature_at(token, [&](uint32_t feature, float value) {
            for (uint32_t triple = triple_starts_[feature]; triple < triple_starts_[feature + 1]; ++triple) visit(triple, value);
        });
    }
    // Calls visit(feature, value) for the transition features of a token.
    template <class Visit>
    void each_feature_at(size_t token, Visit&& visit) const {
        if (triple_cells_.empty()) return;
        for (uint64_t i = starts_[token]; i < starts_[token + 1]; ++i) visit(features_[i], values_.empty() ? 1.0f : values_[i]);
    }

    std::vector<uint32_t> triple_starts_;  // by feature, one more
    std::vector<uint32_t> triple_cells_;   // b * stride + c

private:
    // Features by token; none at first tokens.
    Buffer<uint64_t> starts_;
    Buffer<uint32_t> features_;
    Buffer<float> values_;  // empty: all 1
};

}  // namespace tagpool
