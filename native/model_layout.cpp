#include "model_layout.hpp"

#include <algorithm>
#include <cmath>

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
    const float* const from = trained.weights.data();
    if (!std::all_of(trained.weights.begin(), trained.weights.end(), [](float weight) { return std::isfinite(weight); }) ||
        !std::all_of(trained.edges.begin(), trained.edges.end(), [](float weight) { return std::isfinite(weight); }))
        throw InputFault("a weight is not a finite number");
    std::vector<uint32_t> counts(trained.features);
    size_t kept = 0, used = 0;
    for (uint32_t feature = 0; feature < trained.features; ++feature) {
        uint32_t count = 0;
        for (uint64_t i = begins[feature]; i < begins[feature + 1]; ++i) count += from[i] != 0;
        counts[feature] = count;
        kept += count;
        used += count > 0;
    }
    // A row costs less than pairs where most of its labels are there: zeros among them are kept then.
    const bool full = kept * 5 >= used * labels * 4;
    // Elsewhere, the few features with many labels are rows too: they are frequent, and a row is one addition of vectors.
    constexpr uint32_t kRowFrom = 5;
    for (uint32_t& count : counts)
        if (count > 0 && (full || count >= kRowFrom)) count = static_cast<uint32_t>(labels);
    const bool as_it_is = full && trained.has_all_pairs() && trained.hash_size && used == trained.features;
    Slots::Plan plan = trained.hash_size ? Slots::numbered(counts) : Slots::plan(trained.keys, counts);
    std::vector<float> weights;
    if (as_it_is) weights = std::move(trained.weights);
    weights.resize(plan.slots.back().start + stride, 0.0f);
    std::vector<uint16_t> weight_labels(full ? 0 : plan.slots.back().start);
    for (uint32_t feature = 0; feature < trained.features && !as_it_is; ++feature) {
        if (counts[feature] == 0) continue;
        size_t place = plan.slots[plan.slot_of[feature]].start;
        if (!full && counts[feature] == labels)
            for (size_t label = 0; label < labels; ++label) weight_labels[place + label] = static_cast<uint16_t>(label);
        for (uint64_t i = begins[feature]; i < begins[feature + 1]; ++i) {
            const auto label = trained.has_all_pairs() ? static_cast<uint16_t>(i - begins[feature]) : trained.pair_labels[i];
            if (counts[feature] == labels) {
                weights[place + label] = from[i];
            } else if (from[i] != 0) {
                weights[place] = from[i];
                weight_labels[place++] = label;
            }
        }
    }
    Tensors made;
    made.set("format", "tagpool");
    made.set("version", std::to_string(kModelVersion));
    made.set("labels", quoted_list(trained.labels));
    made.set("index", "{\"capacity\":" + std::to_string(plan.capacity) + ",\"seed\":" + std::to_string(plan.seed) +
                          ",\"hash_size\":" + std::to_string(trained.hash_size) + "}");
    const size_t slot_count = plan.slots.size();
    auto slots = std::make_shared<const std::vector<Slot>>(std::move(plan.slots));
    made.add("features.slots", Type::u32, {slot_count, 2}, slots->data(), slots);
    made.add("features.weights", std::move(weights));
    if (!full && labels <= 256) made.add("features.labels", std::vector<uint8_t>(weight_labels.begin(), weight_labels.end()));
    else if (!full) made.add("features.labels", std::move(weight_labels));
    if (!trained.edges.empty()) {
        auto edges = std::make_shared<const std::vector<float>>(std::move(trained.edges));
        made.add("edges", Type::f32, {labels + 2, labels}, edges->data(), edges);
    }
    if (trained.program) write_program(*trained.program, "program", made);
    lay_out_arcs(trained.arcs, labels, made);
    return made;
}

}  // namespace tagpool
