#include "model/row_tagger.hpp"

#include <algorithm>

#include "base/fault.hpp"
#include "base/thread_pool.hpp"
#include "kernels/kernels.hpp"
#include "model/forbidden_edges.hpp"
#include "model/weights.hpp"

namespace tagpool {

RowTagger::RowTagger(const Encoding& encoding, uint32_t features, uint32_t labels, std::vector<uint8_t> forbidden)
    : features_(features), labels_(labels), forbidden_(std::move(forbidden)) {
    if (size_t{features} * labels >= UINT32_MAX) throw InputFault("too many weights");
    if (!forbidden_.empty()) expect_size(forbidden_.size(), size_t{labels} * (labels + 2), "forbidden edges");
    placed_ = replace_ids(encoding, [&](uint32_t id) {
        if (id >= features) throw InputFault("the encoding has features that the training does not have");
        return id * labels;
    });
}

size_t RowTagger::padding() const { return stride_of(labels_) - labels_; }

void RowTagger::tag(std::span<const float> weights, std::span<const float> edges, unsigned threads, int32_t* out) const {
    const size_t stride = stride_of(labels_), rows = size_t{features_} * labels_;
    if (weights.size() < rows + padding()) throw InputFault("weights: expected more numbers");
    expect_size(edges.size(), size_t{labels_} * (labels_ + 2), "edges");
    std::vector<float> padded((labels_ + 2) * stride);
    for (size_t row = 0; row < labels_ + 2; ++row) std::copy_n(edges.data() + row * labels_, labels_, padded.data() + row * stride);
    if (!forbidden_.empty()) padded = penalised(forbidden_, std::move(padded), labels_, stride);
    ModelView view;
    view.labels = labels_;
    view.stride = static_cast<uint32_t>(stride);
    view.blocks.labels = labels_;
    view.blocks.ends.fill(static_cast<uint32_t>(rows));
    view.weights = weights.data();
    view.transitions = padded.data();
    view.start = view.transitions + size_t{labels_} * stride;
    view.end = view.start + stride;
    const size_t sentences = placed_.sentences.size() - 1, block = 64;
    parallel_for((sentences + block - 1) / block, threads, [&](size_t task, unsigned) {
        thread_local TagScratch scratch;
        kernels().tagging.tag(view, placed_, AddedRows(), nullptr, task * block, std::min(sentences, (task + 1) * block), out, scratch);
    });
}

}  // namespace tagpool
