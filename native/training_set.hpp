// TrainingSet: encoded sentences with labels, laid out so that scoring tokens and summing gradients never look anything up.
//
// A weight belongs to a pair (feature, label). Features with many pairs are *dense*: a row of `stride` weights, all labels side by
// side. The others are *sparse*: single weights, each with its label. Scoring goes token by token (rows and single weights of its
// features); gradients go feature by feature (tokens of each), so that every sum has one order and no two threads write one number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "buffer.hpp"
#include "encoding.hpp"

namespace tagpool {

struct TrainingOptions {
    uint32_t labels = 0;
    bool all_pairs = true;      // else only pairs (feature, label) that occur
    uint32_t dense_from = 5;    // a feature with so many observed labels is dense (with all_pairs every feature is)
};

class TrainingSet {
public:
    static constexpr int32_t kUnknown = -1;

    // `gold` has one label a token, kUnknown where it is not known.
    TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options);

    uint32_t labels() const { return labels_; }
    uint32_t stride() const { return stride_; }  // labels, rounded up to whole vectors
    size_t token_count() const { return gold_.size(); }
    size_t sentence_count() const { return sentences_.size() - 1; }

    // Weights in memory: dense rows, then single ones, then transitions (labels rows), start and end (one row each).
    size_t dense_rows() const { return row_feature_.size(); }
    size_t singles_begin() const { return dense_rows() * stride_; }
    size_t transitions_begin() const { return singles_begin() + padded_singles_; }
    size_t start_begin() const { return transitions_begin() + size_t{labels_} * stride_; }
    size_t end_begin() const { return start_begin() + stride_; }
    size_t weight_count() const { return end_begin() + stride_; }

    // Parameters as a learner and a model file know them: the free weights only, in the order of (feature, label), transitions, start,
    // end. places()[i] is where parameter i lies in memory; the other places hold zero for ever.
    const std::vector<uint32_t>& places() const { return places_; }
    size_t pair_count() const { return pair_count_; }
    // Feature and label of each pair, in the same order.
    const std::vector<uint32_t>& pair_features() const { return pair_features_; }
    const std::vector<uint16_t>& pair_labels() const { return pair_labels_; }

    // By token.
    std::vector<uint32_t> sentences_;
    std::vector<int32_t> gold_;
    Buffer<uint64_t> row_starts_, single_starts_;
    Buffer<uint32_t> rows_;            // numbers of dense rows
    Buffer<uint32_t> singles_;         // places of single weights
    Buffer<uint16_t> single_labels_;
    Buffer<float> row_values_, single_values_;  // empty: all 1

    // By dense row, and by single weight: the tokens it stands at.
    Buffer<uint64_t> row_token_starts_, single_token_starts_;
    Buffer<uint32_t> row_tokens_, single_tokens_;
    Buffer<float> row_token_values_, single_token_values_;
    std::vector<uint16_t> label_of_single_;

private:
    void choose_layout(const Encoding& encoding, uint32_t features, const TrainingOptions& options);
    void lay_out_tokens(const Encoding& encoding);
    void transpose();

    uint32_t labels_, stride_;
    size_t padded_singles_ = 0, pair_count_ = 0;
    std::vector<uint32_t> row_feature_;
    std::vector<uint32_t> row_of_feature_;            // kNone: sparse
    std::vector<uint32_t> first_single_;              // by feature, one more than features
    std::vector<uint32_t> places_, pair_features_;
    std::vector<uint16_t> pair_labels_;
};

}  // namespace tagpool
