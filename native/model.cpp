#include "model.hpp"

#include <algorithm>

#include "fault.hpp"
#include "kernels.hpp"
#include "parallel.hpp"

namespace tagpool {

ChainModel::ChainModel(uint32_t labels, uint32_t features, const uint32_t* pair_features, const uint16_t* pair_labels, const float* weights,
                       size_t pairs, const float* edges) {
    if (labels == 0 || labels > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(labels));
    view_.labels = labels;
    view_.stride = (labels + 7) / 8 * 8;
    view_.features = features;
    view_.chain = edges != nullptr;
    const size_t stride = view_.stride;
    pair_starts_.assign(size_t{features} + 1, 0);
    for (size_t i = 0; i < pairs; ++i) {
        if (pair_features[i] >= features || pair_labels[i] >= labels || (i > 0 && pair_features[i] < pair_features[i - 1]))
            throw InputFault("the weights' features and labels are out of range or out of order");
        ++pair_starts_[pair_features[i] + 1];
    }
    for (uint32_t feature = 0; feature < features; ++feature) pair_starts_[feature + 1] += pair_starts_[feature];
    // A row costs a vector or two, a pair a jump: rows are for models that have most pairs.
    if (pairs * 3 >= size_t{features} * labels) {
        rows_.assign(size_t{features} * stride, 0.0f);
        for (size_t i = 0; i < pairs; ++i) rows_[size_t{pair_features[i]} * stride + pair_labels[i]] = weights[i];
        view_.rows = rows_.data();
        pair_starts_.clear();
    } else {
        pair_labels_.assign(pair_labels, pair_labels + pairs);
        pair_weights_.assign(weights, weights + pairs);
        view_.pair_starts = pair_starts_.data();
        view_.pair_labels = pair_labels_.data();
        view_.pair_weights = pair_weights_.data();
    }
    edges_.assign((size_t{labels} + 2) * stride, 0.0f);
    for (size_t row = 0; edges && row < size_t{labels} + 2; ++row)
        std::copy_n(edges + row * labels, labels, edges_.data() + row * stride);
    view_.transitions = edges_.data();
    view_.start = edges_.data() + labels * stride;
    view_.end = view_.start + stride;
}

void ChainModel::check(const Encoding& encoding) const {
    for (uint32_t id : encoding.ids)
        if (id >= view_.features) throw InputFault("the encoding has features this model does not know");
}

void ChainModel::tag(const Encoding& encoding, unsigned threads, int32_t* out) const {
    check(encoding);
    const size_t sentences = encoding.sentences.size() - 1, block = 64;
    std::vector<TagScratch> scratch(std::max(threads, 1u));
    parallel_for((sentences + block - 1) / block, threads, [&](size_t task, unsigned worker) {
        kernels<float>().tag(view_, encoding, task * block, std::min(sentences, (task + 1) * block), out, scratch[worker]);
    });
}

void ChainModel::score(const Encoding& encoding, unsigned threads, float* out) const {
    check(encoding);
    const size_t tokens = encoding.token_count(), block = 1024;
    parallel_for((tokens + block - 1) / block, threads, [&](size_t task, unsigned) {
        std::vector<float> row(view_.stride);
        for (size_t token = task * block; token < std::min(tokens, (task + 1) * block); ++token) {
            kernels<float>().score(view_, encoding, token, row.data());
            std::copy_n(row.data(), view_.labels, out + token * view_.labels);
        }
    });
}

}  // namespace tagpool
