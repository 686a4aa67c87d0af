// ChainModel: the weights of a trained chain (or token by token) model, laid out for tagging. Const once made; threads share it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "encoding.hpp"

namespace tagpool {

// Weights of features, either as dense rows of `stride`, or as (label, weight) pairs of each feature; and the edges, padded to rows.
struct ModelView {
    uint32_t labels = 0, stride = 0, features = 0;
    bool chain = true;
    const float* rows = nullptr;              // features x stride, or null
    const uint32_t* pair_starts = nullptr;    // features + 1
    const uint16_t* pair_labels = nullptr;
    const float* pair_weights = nullptr;
    const float* transitions = nullptr;       // labels x stride
    const float* start = nullptr;             // stride
    const float* end = nullptr;
};

struct TagScratch {
    std::vector<float> scores, best;
};

class ChainModel {
public:
    // `pair_features` ascend; edges are transitions (labels x labels), start and end, or empty for a model without a chain.
    ChainModel(uint32_t labels, uint32_t features, const uint32_t* pair_features, const uint16_t* pair_labels, const float* weights, size_t pairs,
               const float* edges);

    const ModelView& view() const { return view_; }

    // The best label sequence of every sentence, one number a token. The same whatever the number of threads.
    void tag(const Encoding& encoding, unsigned threads, int32_t* out) const;
    // Node scores of every token: tokens x labels.
    void score(const Encoding& encoding, unsigned threads, float* out) const;

private:
    void check(const Encoding& encoding) const;

    ModelView view_;
    std::vector<float> rows_, pair_weights_, edges_;
    std::vector<uint32_t> pair_starts_;
    std::vector<uint16_t> pair_labels_;
};

}  // namespace tagpool
