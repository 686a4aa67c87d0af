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

template <class Value>
void add_table(Tensors& to, const std::string& name, Type type, std::vector<Value> values, size_t columns) {
    auto kept = std::make_shared<const std::vector<Value>>(std::move(values));
    to.add(name, type, {kept->size() / columns, columns}, kept->data(), kept);
}

void lay_out_states(const TrainedArcs& trained, size_t labels, Tensors& to) {
    std::vector<uint16_t> trigrams;
    std::vector<float> weights;
    if (trained.trigrams.size() != 3 * trained.trigram_weights.size()) throw InputFault("the weights do not fit the trigrams");
    for (size_t i = 0; i < trained.trigram_weights.size(); ++i) {
        if (trained.trigram_weights[i] == 0) continue;
        trigrams.insert(trigrams.end(), {trained.trigrams[3 * i], trained.trigrams[3 * i + 1], trained.trigrams[3 * i + 2]});
        weights.push_back(trained.trigram_weights[i]);
    }
    if (std::any_of(trained.states.begin(), trained.states.end(), [&](uint16_t label) { return label >= labels; }))
        throw InputFault("a state has a label that is not there");
    add_table(to, "arcs.states", Type::u16, trained.states, 2);
    add_table(to, "arcs.trigrams", Type::u16, std::move(trigrams), 3);
    to.add("arcs.weights", std::move(weights));
}

void lay_out_history(const TrainedArcs& trained, size_t labels, Tensors& to) {
    const size_t count = trained.triple_weights.size();
    if (trained.triple_features.size() != count || trained.triple_pairs.size() != count)
        throw InputFault("the weights do not fit the transition features");
    std::vector<uint32_t> starts(trained.features + size_t{1}, 0), cells;
    std::vector<float> weights;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t feature = trained.triple_features[i];
        const bool follows = i == 0 || trained.triple_features[i - 1] < feature ||
                             (trained.triple_features[i - 1] == feature && trained.triple_pairs[i - 1] < trained.triple_pairs[i]);
        if (feature >= trained.features || trained.triple_pairs[i] >= labels * labels || !follows)
            throw InputFault("the transition features are out of range or out of order");
        if (trained.triple_weights[i] == 0) continue;
        if (weights.size() >= FrozenIndex::kNone) throw InputFault("more than 4 billion weights of transition features");
        ++starts[feature + 1];
        cells.push_back(trained.triple_pairs[i]);
        weights.push_back(trained.triple_weights[i]);
    }
    if (trained.program && trained.keys.size() != trained.features) throw InputFault("expected one key a transition feature");
    // Where nothing was learned of them, their templates stay, for those who train further.
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
    if (!all_finite(trained.trigram_weights) || !all_finite(trained.triple_weights)) throw InputFault("a weight is not a finite number");
    if (!trained.states.empty()) lay_out_states(trained, labels, to);
    if (!trained.triple_features.empty() || trained.program) lay_out_history(trained, labels, to);
}

ModelArcs::ModelArcs(const Tensors& tensors, uint32_t labels, uint32_t stride, const float* transitions) : labels_(labels), stride_(stride) {
    const bool second_order = tensors.find("arcs.states") != nullptr, history = tensors.find("history.starts") != nullptr;
    if (!second_order && !history) return;
    pairs_.assign(size_t{labels} * stride, -std::numeric_limits<float>::infinity());
    if (second_order) {
        read_states(tensors, labels, stride, transitions);
    } else {
        for (size_t b = 0; b < labels; ++b) std::copy_n(transitions + b * stride, labels, pairs_.data() + b * stride);
    }
    if (history) read_history(tensors, labels, stride);
    view_.pairs = pairs_.data();
}

void ModelArcs::read_states(const Tensors& tensors, uint32_t labels, uint32_t stride, const float* transitions) {
    const auto pairs = tensors.array<uint16_t>("arcs.states");
    const auto trigrams = tensors.array<uint16_t>("arcs.trigrams");
    const auto weights = tensors.array<float>("arcs.weights");
    if (pairs.size() % 2 != 0 || trigrams.size() != 3 * weights.size()) throw InputFault("the weights do not fit the trigrams");
    std::vector<uint8_t> there(size_t{labels} * labels, 0);
    for (size_t i = 0; i < pairs.size(); i += 2) {
        if (pairs[i] >= labels || pairs[i + 1] >= labels) throw InputFault("a state has a label that is not there");
        there[size_t{pairs[i]} * labels + pairs[i + 1]] = 1;
    }
    states_ = PairStates(labels, stride, std::move(there));
    for (size_t cell = 0; cell < pairs_.size(); ++cell)
        if (states_.numbers[cell] != PairStates::kNone) pairs_[cell] = transitions[cell];
    trigrams_.assign(states_.size() * stride, 0.0f);
    for (size_t i = 0; i < weights.size(); ++i) {
        const uint16_t a = trigrams[3 * i], b = trigrams[3 * i + 1], c = trigrams[3 * i + 2];
        const uint32_t state = a <= labels && b < labels && c < labels ? states_.number(a, b) : PairStates::kNone;
        if (state == PairStates::kNone) throw InputFault("a trigram has no state to start from");
        trigrams_[size_t{state} * stride + c] = weights[i];
    }
    view_.states = &states_;
    view_.trigrams = trigrams_.data();
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
    if (cells.size() != weights.size()) throw InputFault("the weights do not fit the transition features");
    for (const uint32_t cell : cells) {
        if (cell >= size_t{labels} * labels) throw InputFault("a transition feature is for labels that are not there");
        cells_.push_back(cell / labels * stride + cell % labels);
    }
    if (starts.empty() || starts[0] != 0 || starts.back() != weights.size() || !std::is_sorted(starts.begin(), starts.end()))
        throw InputFault("the index of transition features does not fit the weights");
    features_ = starts.size() - 1;
    view_.starts = starts.data();
    view_.cells = cells_.data();
    view_.weights = weights.data();
    if (!tensors.find_text("history")) return;
    program_ = read_program(tensors, "history");
    slots_ = FrozenIndex(tensors, "history");
    if (slots_.hash_size()) throw InputFault("the index of transition features cannot be");
    for (uint32_t slot = 0; slot < slots_.size(); ++slot)
        if (slots_.place(slot) != FrozenIndex::kNone && slots_.place(slot) >= features_) throw InputFault("the index of transition features does not fit the weights");
}

uint32_t ModelArcs::feature_of(std::string_view name) const {
    return has_history() && program_ ? slots_.find(Encoder::key_of(*program_, name)) : FrozenIndex::kNone;
}

TrainedArcs ModelArcs::pruned(const Tensors& tensors, float least, const std::vector<std::string>& names) const {
    TrainedArcs out;
    if (!states_.empty()) {
        out.states = states_.as_pairs();
        const auto trigrams = tensors.array<uint16_t>("arcs.trigrams");
        const auto weights = tensors.array<float>("arcs.weights");
        for (size_t i = 0; i < weights.size(); ++i) {
            if (!(std::abs(weights[i]) > least)) continue;
            out.trigrams.insert(out.trigrams.end(), {trigrams[3 * i], trigrams[3 * i + 1], trigrams[3 * i + 2]});
            out.trigram_weights.push_back(weights[i]);
        }
    }
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
