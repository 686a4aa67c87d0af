#include "model/transition_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "features/encode.hpp"
#include "base/fault.hpp"
#include "base/half.hpp"
#include "features/program_file.hpp"

namespace tagpool {
namespace {

bool all_finite(const std::vector<float>& weights) {
    return std::all_of(weights.begin(), weights.end(), [](float weight) { return std::isfinite(weight); });
}

void lay_out_history(const TrainedArcs& trained, size_t labels, Tensors& to) {
    const size_t count = trained.triple_weights.size();
    if (trained.triple_features.size() != count || trained.triple_pairs.size() != count)
        throw InputFault("transition features: expected one weight for each feature and bigram");
    std::vector<uint32_t> starts(trained.features + size_t{1}, 0), cells;
    std::vector<float> weights;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t feature = trained.triple_features[i];
        const bool follows = i == 0 || trained.triple_features[i - 1] < feature ||
                             (trained.triple_features[i - 1] == feature && trained.triple_pairs[i - 1] < trained.triple_pairs[i]);
        if (feature >= trained.features || trained.triple_pairs[i] >= labels * labels || !follows)
            throw InputFault("transition features are out of range or out of order");
        if (trained.triple_weights[i] == 0) continue;
        if (weights.size() >= FrozenIndex::kNone) throw InputFault("more than 4 billion weights of transition features");
        ++starts[feature + 1];
        cells.push_back(trained.triple_pairs[i]);
        weights.push_back(trained.triple_weights[i]);
    }
    if (trained.program && trained.keys.size() != trained.features) throw InputFault("keys: expected one for each transition feature");
    // Templates without weights stay in the model, for further training.
    if (cells.empty() && !trained.program) return;
    std::vector<uint32_t> numbers(trained.features, FrozenIndex::kNone);
    for (uint32_t feature = 0; feature < trained.features; ++feature) {
        if (starts[feature + 1] > 0) numbers[feature] = feature;
        starts[feature + 1] += starts[feature];
    }
    if (trained.program) FrozenIndex::write(trained.keys, numbers, "history", to);
    to.add("history.starts", std::move(starts));
    to.add("history.cells", std::move(cells));
    to.add("history.weights", std::move(weights));
    if (trained.program) write_program(*trained.program, "history", to);
}

}  // namespace

void lay_out_arcs(const TrainedArcs& trained, size_t labels, Tensors& to) {
    if (!all_finite(trained.triple_weights)) throw InputFault("a weight is infinite or not a number");
    if (!trained.triple_features.empty() || trained.program) lay_out_history(trained, labels, to);
}

ModelArcs::ModelArcs(const Tensors& tensors, uint32_t labels, uint32_t stride) : labels_(labels), stride_(stride) {
    if (tensors.find("arcs.states")) throw InputFault("the transitions look two labels back (order=2), which only tagpool 0.1 supports; train again");
    if (tensors.find("history.starts")) read_history(tensors, labels, stride);
}

void ModelArcs::read_history(const Tensors& tensors, uint32_t labels, uint32_t stride) {
    const auto starts = tensors.array<uint32_t>("history.starts");
    const auto cells = tensors.array<uint32_t>("history.cells");
    const Tensor* const kept = tensors.find("history.weights");
    const bool half = kept && kept->type == Type::f16;
    if (half) {
        const auto* halves = reinterpret_cast<const uint16_t*>(kept->data);
        wide_weights_.resize(kept->bytes / 2);
        std::transform(halves, halves + wide_weights_.size(), wide_weights_.begin(), from_half);
    }
    const std::span<const float> weights = half ? std::span<const float>(wide_weights_) : tensors.array<float>("history.weights");
    if (cells.size() != weights.size()) throw InputFault("transition features: expected one weight for each feature and bigram");
    for (const uint32_t cell : cells) {
        if (cell >= size_t{labels} * labels) throw InputFault("damaged model: 'history.cells' has a label out of range");
        cells_.push_back(cell / labels * stride + cell % labels);
    }
    if (starts.empty() || starts[0] != 0 || starts.back() != weights.size() || !std::is_sorted(starts.begin(), starts.end()))
        throw InputFault("damaged model: the index of transition features does not fit 'history.weights'");
    features_ = starts.size() - 1;
    view_.starts = starts.data();
    view_.cells = cells_.data();
    view_.weights = weights.data();
    if (!tensors.find_text("history")) return;
    program_ = read_program(tensors, "history");
    slots_ = FrozenIndex(tensors, "history");
    for (uint32_t slot = 0; slot < slots_.size(); ++slot)
        if (slots_.place(slot) != FrozenIndex::kNone && slots_.place(slot) >= features_) throw InputFault("damaged model: the index of transition features does not fit 'history.weights'");
}

uint32_t ModelArcs::feature_of(std::string_view name) const {
    return has_history() && program_ ? slots_.find(Encoder::key_of(*program_, name)) : FrozenIndex::kNone;
}

TrainedArcs ModelArcs::pruned(float least, const std::vector<std::string>& names) const {
    TrainedArcs out;
    if (!has_history()) return out;
    out.program = program_;
    size_t met = 0;
    for (const std::string& name : names) {
        const uint32_t feature = feature_of(name);
        if (feature == FrozenIndex::kNone) continue;
        out.keys.push_back(Encoder::key_of(*program_, name));
        for (uint32_t k = view_.starts[feature]; k < view_.starts[feature + 1]; ++k, ++met) {
            if (!(std::abs(view_.weights[k]) > least)) continue;
            out.triple_features.push_back(out.features);
            out.triple_pairs.push_back(cells_[k] / stride_ * labels_ + cells_[k] % stride_);
            out.triple_weights.push_back(view_.weights[k]);
        }
        ++out.features;
    }
    if (met != cells_.size()) throw InputFault("the names are not those of this model's transition features");
    return out;
}

}  // namespace tagpool
