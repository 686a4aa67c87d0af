// TransitionFeatures: the transition features of a training set. A step from label b to label c at token t scores
//     A[b, c] + sum_k f_k(t) E[k, (b, c)].
// A cell (k, b, c) has a weight in E if it occurs. The first token has no label before it, hence no cells.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/training_options.hpp"
#include "features/encoding.hpp"

namespace tagpool {

// TransitionCellIndex: the cells of transition features, sorted by feature, then by bigram.
class TransitionCellIndex {
public:
    // `observed` has feature * 2^32 + bigram, in order. `known` cells have a weight even if they do not occur: an earlier model had one.
    TransitionCellIndex(std::vector<uint64_t> observed, const TransitionCells& known, uint32_t features, uint32_t labels, uint32_t stride);

    size_t size() const { return bigrams_.size(); }
    uint32_t feature_count() const { return static_cast<uint32_t>(starts_.size()) - 1; }
    uint32_t begin(uint32_t feature) const { return starts_[feature]; }
    uint32_t end(uint32_t feature) const { return starts_[feature + 1]; }
    uint32_t bigram(uint32_t cell) const { return bigrams_[cell]; }
    TransitionCells cells(uint32_t labels, uint32_t stride) const;

private:
    std::vector<uint32_t> starts_;   // by feature, one more than features
    std::vector<uint32_t> bigrams_;  // by cell: b * stride + c
};

class TransitionFeatures {
public:
    // A plain chain without transition features.
    TransitionFeatures() = default;
    // The features in `history` that have cells.
    TransitionFeatures(std::shared_ptr<const TransitionCellIndex> index, const Encoding& history);

    bool empty() const { return !index_ || index_->size() == 0; }
    // The place of a cell in the grid of label bigrams: b * stride + c.
    uint32_t bigram(uint32_t cell) const { return index_->bigram(cell); }

    // Calls visit(t, cell, value) for all cells at the tokens of a sentence, always in the same order.
    template <class Visit>
    void each_cell(size_t begin, size_t length, Visit&& visit) const {
        if (empty()) return;
        for (size_t t = 1; t < length; ++t) each_cell_at(begin + t, [&](uint32_t cell, float value) { visit(t, cell, value); });
    }
    // Calls visit(cell, value) for the cells of one token.
    template <class Visit>
    void each_cell_at(size_t token, Visit&& visit) const {
        each_feature_at(token, [&](uint32_t feature, float value) {
            for (uint32_t cell = index_->begin(feature); cell < index_->end(feature); ++cell) visit(cell, value);
        });
    }
    // Calls visit(feature, value) for the transition features of a token.
    template <class Visit>
    void each_feature_at(size_t token, Visit&& visit) const {
        if (empty()) return;
        for (uint64_t i = starts_[token]; i < starts_[token + 1]; ++i) visit(features_[i], values_.empty() ? 1.0f : values_[i]);
    }

private:
    std::shared_ptr<const TransitionCellIndex> index_;
    // Features by token; none at first tokens.
    Buffer<uint64_t> starts_;
    Buffer<uint32_t> features_;
    Buffer<float> values_;  // empty: all 1
};

}  // namespace tagpool
