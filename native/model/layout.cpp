#include "model/layout.hpp"

#include "base/fault.hpp"
#include "features/frozen_index.hpp"
#include "features/program_file.hpp"
#include "kernels/blocks.hpp"
#include "model/forbidden_edges.hpp"
#include "model/weights.hpp"

namespace tagpool {
namespace {

// Feature k has the weights [begins[k], begins[k + 1]).
std::vector<uint64_t> begins_of(const Trained& trained) {
    const size_t labels = trained.labels.size();
    std::vector<uint64_t> begins(size_t{trained.features} + 1);
    if (trained.has_all_cells()) {
        if (trained.weights.size() != trained.features * labels) throw InputFault("weights: expected one for each feature and label");
        for (size_t feature = 0; feature < begins.size(); ++feature) begins[feature] = feature * labels;
        return begins;
    }
    if (trained.cell_features.size() != trained.weights.size() || trained.cell_labels.size() != trained.weights.size())
        throw InputFault("weights: expected one for each feature and label");
    if (!are_sorted(trained.cell_features, trained.features, trained.cell_labels, labels))
        throw InputFault("features and labels of weights are out of range or out of order");
    for (const uint32_t feature : trained.cell_features) ++begins[feature + 1];
    for (size_t feature = 0; feature < trained.features; ++feature) begins[feature + 1] += begins[feature];
    return begins;
}

}  // namespace

Tensors to_tensors(Trained trained) {
    const size_t labels = trained.labels.size();
    stride_of(labels);  // throws for too many
    if (!trained.numbered && trained.keys.size() != trained.features) throw InputFault("keys: expected one for each feature");
    if (!trained.edges.empty() && trained.edges.size() != labels * (labels + 2))
        throw InputFault("edges: expected labels * (labels + 2) numbers, got " + std::to_string(trained.edges.size()));
    const std::vector<uint64_t> begins = begins_of(trained);
    require_finite(trained.weights);
    require_finite(trained.edges);
    // A model of numbered features is temporary: sharing equal weights would cost more than it saves.
    BlockWeights blocks =
        make_blocks(labels, begins, trained.has_all_cells() ? nullptr : trained.cell_labels.data(), std::move(trained.weights), !trained.numbered);
    Tensors tensors;
    write_labels(trained.labels, tensors);
    if (trained.numbered) FrozenIndex::write_numbered(std::move(blocks.places), "features", tensors);
    else FrozenIndex::write(trained.keys, blocks.places, "features", tensors);
    ModelWeights::write(std::move(blocks), labels, tensors);
    if (!trained.edges.empty()) {
        auto edges = std::make_shared<const std::vector<float>>(std::move(trained.edges));
        tensors.add("edges", Type::f32, {labels + 2, labels}, edges->data(), edges);
    }
    write_forbidden(std::move(trained.forbidden), labels, tensors);
    if (trained.program) write_program(*trained.program, "program", tensors);
    write_transition_weights(trained.transition_weights, labels, tensors);
    return tensors;
}

}  // namespace tagpool
