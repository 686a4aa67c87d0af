#include "model/transition_weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/fault.hpp"
#include "features/encode.hpp"
#include "features/program_file.hpp"
#include "model/weights.hpp"

namespace tagpool {
namespace {

void write_cells(const TransitionWeights& trained, size_t labels, Tensors& to) {
    const size_t count = trained.weights.size();
    if (trained.cells.features.size() != count || trained.cells.bigrams.size() != count)
        throw InputFault("transition features: expected one weight for each feature and bigram");
    if (!are_sorted(trained.cells.features, trained.features, trained.cells.bigrams, labels * labels))
        throw InputFault("transition features are out of range or out of order");
    std::vector<uint32_t> starts(trained.features + size_t{1}, 0), cells;
    std::vector<float> weights;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t feature = trained.cells.features[i];
        if (trained.weights[i] == 0) continue;
        if (weights.size() >= FrozenIndex::kNone) throw InputFault("more than 4 billion weights of transition features");
        ++starts[feature + 1];
        cells.push_back(trained.cells.bigrams[i]);
        weights.push_back(trained.weights[i]);
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

void write_transition_weights(const TransitionWeights& trained, size_t labels, Tensors& to) {
    require_finite(trained.weights);
    if (!trained.cells.features.empty() || trained.program) write_cells(trained, labels, to);
}

ModelTransitionFeatures::ModelTransitionFeatures(const Tensors& tensors, uint32_t labels, uint32_t stride, const std::optional<Program>* shared)
    : labels_(labels), stride_(stride) {
    if (tensors.find("arcs.states")) throw InputFault("the transitions look two labels back (order=2), which only tagpool 0.1 supports; train again");
    if (tensors.find("history.starts")) read_history(tensors, labels, stride, shared);
}

void ModelTransitionFeatures::read_history(const Tensors& tensors, uint32_t labels, uint32_t stride, const std::optional<Program>* shared) {
    const auto starts = tensors.array<uint32_t>("history.starts");
    const auto cells = tensors.array<uint32_t>("history.cells");
    const std::span<const float> weights = read_weights(tensors, "history.weights", wide_weights_);
    if (cells.size() != weights.size()) throw InputFault("transition features: expected one weight for each feature and bigram");
    if (starts.empty() || starts[0] != 0 || starts.back() != weights.size() || !std::is_sorted(starts.begin(), starts.end()))
        throw InputFault("damaged model: the index of transition features does not fit 'history.weights'");
    bigrams_.reserve(cells.size());
    for (const uint32_t cell : cells) {
        if (cell >= size_t{labels} * labels) throw InputFault("damaged model: 'history.cells' has a label out of range");
        bigrams_.push_back(cell / labels * stride + cell % labels);
    }
    for (size_t feature = 0; feature + 1 < starts.size(); ++feature)
        for (size_t k = starts[feature] + size_t{1}; k < starts[feature + 1]; ++k)
            if (cells[k - 1] >= cells[k]) throw InputFault("damaged model: 'history.cells' is out of order");
    features_ = starts.size() - 1;
    view_.starts = starts.data();
    view_.bigrams = bigrams_.data();
    view_.weights = weights.data();
    if (!tensors.find_text("history")) return;
    program_ = shared ? *shared : read_program(tensors, "history");
    if (!program_) throw InputFault("damaged pool: a member has other templates");
    slots_ = FrozenIndex(tensors, "history");
    slots_.for_each_place([&](uint32_t feature) {
        if (feature >= features_) throw InputFault("damaged model: the index of transition features does not fit 'history.weights'");
    });
}

uint32_t ModelTransitionFeatures::feature_of(std::string_view name) const {
    return has_history() && program_ ? slots_.find(Encoder::key_of(*program_, name)) : FrozenIndex::kNone;
}

TransitionWeights ModelTransitionFeatures::pruned(float least, const std::vector<std::string>& names) const {
    TransitionWeights out;
    if (!has_history()) return out;
    out.program = program_;
    size_t cells = 0;
    for (const std::string& name : names) {
        const uint32_t feature = feature_of(name);
        if (feature == FrozenIndex::kNone) continue;
        out.keys.push_back(Encoder::key_of(*program_, name));
        for (uint32_t k = view_.starts[feature]; k < view_.starts[feature + 1]; ++k, ++cells) {
            if (!(std::abs(view_.weights[k]) > least)) continue;
            out.cells.features.push_back(out.features);
            out.cells.bigrams.push_back(bigrams_[k] / stride_ * labels_ + bigrams_[k] % stride_);
            out.weights.push_back(view_.weights[k]);
        }
        ++out.features;
    }
    if (cells != bigrams_.size()) throw InputFault("the names are not those of this model's transition features");
    return out;
}

}  // namespace tagpool
