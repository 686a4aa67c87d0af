#include "model/layout.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/blocks.hpp"
#include "base/fault.hpp"
#include "model/weights.hpp"
#include "features/program_file.hpp"
#include "features/frozen_index.hpp"

namespace tagpool {
namespace {

// Feature k has the weights [begins[k], begins[k + 1]).
std::vector<uint64_t> begins_of(const Trained& trained) {
    const size_t labels = trained.labels.size();
    std::vector<uint64_t> begins(size_t{trained.features} + 1);
    if (trained.has_all_pairs()) {
        if (trained.weights.size() != trained.features * labels) throw InputFault("weights: expected one for each feature and label");
        for (size_t feature = 0; feature < begins.size(); ++feature) begins[feature] = feature * labels;
        return begins;
    }
    if (trained.pair_features.size() != trained.weights.size() || trained.pair_labels.size() != trained.weights.size())
        throw InputFault("weights: expected one for each feature and label");
    for (size_t i = 0; i < trained.weights.size(); ++i) {
        const uint32_t feature = trained.pair_features[i];
        const bool follows = i == 0 || trained.pair_features[i - 1] < feature ||
                             (trained.pair_features[i - 1] == feature && trained.pair_labels[i - 1] < trained.pair_labels[i]);
        if (feature >= trained.features || trained.pair_labels[i] >= labels || !follows)
            throw InputFault("features and labels of weights are out of range or out of order");
        ++begins[feature + 1];
    }
    for (size_t feature = 0; feature < trained.features; ++feature) begins[feature + 1] += begins[feature];
    return begins;
}

}  // namespace

Tensors laid_out(Trained trained) {
    const size_t labels = trained.labels.size();
    stride_of(labels);  // throws for too many
    if (!trained.numbered && trained.keys.size() != trained.features) throw InputFault("keys: expected one for each feature");
    if (!trained.edges.empty() && trained.edges.size() != labels * (labels + 2)) throw InputFault("edges: expected labels * (labels + 2) numbers, got " + std::to_string(trained.edges.size()));
    const std::vector<uint64_t> begins = begins_of(trained);
    const auto is_finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(trained.weights.begin(), trained.weights.end(), is_finite) || !std::all_of(trained.edges.begin(), trained.edges.end(), is_finite))
        throw InputFault("a weight is infinite or not a number");
    // A model of numbered features is temporary: sharing equal weights would cost more than it saves.
    BlockWeights blocks = make_blocks(labels, begins, trained.has_all_pairs() ? nullptr : trained.pair_labels.data(), std::move(trained.weights),
                                       !trained.numbered);
    Tensors tensors;
    write_labels(trained.labels, tensors);
    if (trained.numbered) FrozenIndex::write_numbered(std::move(blocks.places), "features", tensors);
    else FrozenIndex::write(trained.keys, blocks.places, "features", tensors);
    ModelWeights::write(std::move(blocks), labels, tensors);
    if (!trained.edges.empty()) {
        auto edges = std::make_shared<const std::vector<float>>(std::move(trained.edges));
        tensors.add("edges", Type::f32, {labels + 2, labels}, edges->data(), edges);
    }
    if (trained.program) write_program(*trained.program, "program", tensors);
    lay_out_arcs(trained.arcs, labels, tensors);
    return tensors;
}

}  // namespace tagpool
