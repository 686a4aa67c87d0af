// TransitionFeatures: the transition features of a training set. A step from label b to label c at token t scores
//     A[b, c] + sum_k f_k(t) E[k, (b, c)].
// A cell (k, b, c) has a weight in E if it occurs. The first token has no label before it, hence no cells.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "features/encoding.hpp"

namespace tagpool {

// Transition cells (feature, bigram).
struct TransitionCells {
    std::vector<uint32_t> features;
    std::vector<uint32_t> bigrams;  // b * labels + c
};

class TransitionFeatures {
public:
    // A plain chain without transition features.
    TransitionFeatures() = default;
    // The features in `history` have numbers below `features`.
    // `known` cells have a weight even if they do not occur: an earlier model had one.
    TransitionFeatures(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                       const Encoding& history, uint32_t features, const TransitionCells& known);

    bool empty() const { return bigrams_.empty(); }
    // Cells are sorted by feature, then by bigram.
    size_t cell_count() const { return bigrams_.size(); }

    TransitionCells cells(uint32_t labels, uint32_t stride) const;

    // Calls visit(t, cell, value) for all cells at the tokens of a sentence, always in the same order.
    template <class Visit>
    void each_cell(size_t begin, size_t length, Visit&& visit) const {
        if (bigrams_.empty()) return;
        for (size_t t = 1; t < length; ++t) each_cell_at(begin + t, [&](uint32_t cell, float value) { visit(t, cell, value); });
    }
    // Calls visit(cell, value) for the cells of one token.
    template <class Visit>
    void each_cell_at(size_t token, Visit&& visit) const {
        each_feature_at(token, [&](uint32_t feature, float value) {
            for (uint32_t cell = cell_starts_[feature]; cell < cell_starts_[feature + 1]; ++cell) visit(cell, value);
        });
    }
    // Calls visit(feature, value) for the transition features of a token.
    template <class Visit>
    void each_feature_at(size_t token, Visit&& visit) const {
        if (bigrams_.empty()) return;
        for (uint64_t i = starts_[token]; i < starts_[token + 1]; ++i) visit(features_[i], values_.empty() ? 1.0f : values_[i]);
    }

    std::vector<uint32_t> cell_starts_;  // by feature, one more than features
    std::vector<uint32_t> bigrams_;      // by cell: b * stride + c

private:
    // Features by token; none at first tokens.
    Buffer<uint64_t> starts_;
    Buffer<uint32_t> features_;
    Buffer<float> values_;  // empty: all 1
};

}  // namespace tagpool
