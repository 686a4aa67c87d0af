#include "model_layout.hpp"

#include <algorithm>
#include <cmath>

#include "blocks.hpp"
#include "fault.hpp"
#include "json.hpp"
#include "program_file.hpp"
#include "slots.hpp"

namespace tagpool {
namespace {

std::string quoted_list(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        if (out.size() > 1) out.push_back(',');
        append_quoted(out, text);
    }
    return out + "]";
}

// The weights of each feature: from begins[k] to begins[k + 1].
std::vector<uint64_t> begins_of(const Trained& trained) {
    const size_t labels = trained.labels.size();
    std::vector<uint64_t> begins(size_t{trained.features} + 1);
    if (trained.has_all_pairs()) {
        if (trained.weights.size() != trained.features * labels) throw InputFault("the weights do not fit the features and labels");
        for (size_t feature = 0; feature < begins.size(); ++feature) begins[feature] = feature * labels;
        return begins;
    }
    if (trained.pair_features.size() != trained.weights.size() || trained.pair_labels.size() != trained.weights.size())
        throw InputFault("the weights do not fit the features and labels");
    for (size_t i = 0; i < trained.weights.size(); ++i) {
        const uint32_t feature = trained.pair_features[i];
        const bool follows = i == 0 || trained.pair_features[i - 1] < feature ||
                             (trained.pair_features[i - 1] == feature && trained.pair_labels[i - 1] < trained.pair_labels[i]);
        if (feature >= trained.features || trained.pair_labels[i] >= labels || !follows)
            throw InputFault("the weights' features and labels are out of range or out of order");
        ++begins[feature + 1];
    }
    for (size_t feature = 0; feature < trained.features; ++feature) begins[feature + 1] += begins[feature];
    return begins;
}

}  // namespace

uint32_t stride_of(size_t labels) {
    if (labels == 0 || labels > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(labels));
    return static_cast<uint32_t>((labels + 7) / 8 * 8);
}

Tensors laid_out(Trained trained) {
    const size_t labels = trained.labels.size(), stride = stride_of(labels);
    if (!trained.hash_size && trained.keys.size() != trained.features) throw InputFault("expected one key a feature");
    if (!trained.edges.empty() && trained.edges.size() != labels * (labels + 2)) throw InputFault("the edges do not fit the labels");
    const std::vector<uint64_t> begins = begins_of(trained);
    const auto is_finite = [](float weight) { return std::isfinite(weight); };
    if (!std::all_of(trained.weights.begin(), trained.weights.end(), is_finite) || !std::all_of(trained.edges.begin(), trained.edges.end(), is_finite))
        throw InputFault("a weight is not a finite number");
    // Features that are known by number belong to a model that is not kept: looking for equal weights would not pay.
    BlockWeights made_of = make_blocks(labels, begins, trained.has_all_pairs() ? nullptr : trained.pair_labels.data(), std::move(trained.weights),
                                       !trained.hash_size);
    Tensors made;
    made.set("format", "tagpool");
    made.set("version", std::to_string(kModelVersion));
    made.set("labels", quoted_list(trained.labels));
    std::string ends;
    for (const uint32_t end : made_of.blocks.ends) ends += (ends.empty() ? "[" : ",") + std::to_string(end);
    made.set("blocks", ends + "]");
    if (trained.hash_size) Slots::write_numbered(std::move(made_of.places), "features", made);
    else Slots::write(trained.keys, made_of.places, "features", made);
    made_of.weights.resize(made_of.weights.size() + stride, 0.0f);
    made.add("features.weights", std::move(made_of.weights));
    if (labels <= 256) made.add("features.labels", std::vector<uint8_t>(made_of.pair_labels.begin(), made_of.pair_labels.end()));
    else made.add("features.labels", std::move(made_of.pair_labels));
    if (!trained.edges.empty()) {
        auto edges = std::make_shared<const std::vector<float>>(std::move(trained.edges));
        made.add("edges", Type::f32, {labels + 2, labels}, edges->data(), edges);
    }
    if (trained.program) write_program(*trained.program, "program", made);
    lay_out_arcs(trained.arcs, labels, made);
    return made;
}

}  // namespace tagpool
