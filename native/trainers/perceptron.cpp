#include "trainers/perceptron.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

Perceptron::Perceptron(std::shared_ptr<const TrainingSet> set, bool chain, uint64_t seed, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), example_weights_(std::move(example_weights)), random_(seed), weights_(*set_), masks_(*set_) {
    set_->demand_tokens();
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
}

void Perceptron::start_from(const float* parameters) {
    weights_.each([](float& weight, float& second) { weight = second = 0; });
    set_->places().each(parameter_count(), [&](size_t i, size_t place, float factor) {
        weights_.data()[weights_.first(place)] = factor * parameters[i];
    });
    examples_ = 0;
}

size_t Perceptron::epoch(InterruptCheck interrupt) {
    const std::vector<uint32_t> order = random_.permutation(set_->sentence_count());
    const auto weight = [&](size_t example) { return example_weights_.empty() ? 1.0f : example_weights_[example]; };
    size_t wrong = 0;
    for (uint32_t sentence : order) {
        const size_t begin = set_->sentences_[sentence], end = set_->sentences_[sentence + 1];
        if (chain_) {
            wrong += learn(begin, end - begin, weight(sentence));
        } else {
            for (size_t token = begin; token < end; ++token) wrong += learn(token, 1, weight(token));
        }
        interrupt.poll();
    }
    return wrong;
}

// Learns one example; returns its number of wrong tokens.
size_t Perceptron::learn(size_t begin, size_t length, float weight) {
    const TrainingSet& set = *set_;
    best_.resize(length);
    held_.resize(length);
    kernels().tagging.best_labels(set, {weights_.data(), 2, 1.0f}, chain_, begin, length, best_.data(), held_.data(), scratch_);
    size_t wrong = 0;
    for (size_t t = 0; t < length; ++t) {
        wrong += set.gold_[begin + t] != TrainingSet::kUnknown && set.gold_[begin + t] != best_[t];
        if (held_[t] != best_[t]) move(begin + t, held_[t], best_[t], weight);
    }
    if (chain_ && wrong > 0) {
        move_edges(held_.data(), begin, length, weight);
        move_edges(best_.data(), begin, length, -weight);
    }
    ++examples_;
    return wrong;
}

void Perceptron::move(size_t token, int32_t right, int32_t wrong, float weight) {
    const TrainingSet& set = *set_;
    const size_t stride = set.stride();
    const auto before = static_cast<float>(examples_);
    for (uint64_t i = set.items().row_starts[token]; i < set.items().row_starts[token + 1]; ++i) {
        const float by = set.items().row_values.empty() ? weight : weight * set.items().row_values[i];
        float* const row = weights_.data() + size_t{set.items().rows[i]} * 2 * stride;
        const auto add = [&](int32_t label, float sign) {
            const auto y = static_cast<size_t>(label);
            if (!masks_.is_free(set.items().rows[i], y)) return;
            row[y] += sign * by;
            row[stride + y] += sign * before * by;
        };
        add(right, 1);
        add(wrong, -1);
    }
    for (uint64_t i = set.items().single_starts[token]; i < set.items().single_starts[token + 1]; ++i) {
        const auto [place, score] = set.items().singles[i];
        const auto label = static_cast<int32_t>(score % stride);
        if (label != right && label != wrong) continue;
        const float by = (label == right ? weight : -weight) * (set.items().single_values.empty() ? 1.0f : set.items().single_values[i]);
        float* const single = weights_.data() + size_t{place} * 2;
        single[0] += by;
        single[1] += before * by;
    }
}

void Perceptron::move_edge(size_t place, float weight) {
    if (!set_->edge_mask_.empty() && !set_->edge_mask_[place - set_->transitions_begin()]) return;  // not free
    weights_.data()[weights_.first(place)] += weight;
    weights_.data()[weights_.second(place)] += static_cast<float>(examples_) * weight;
}

void Perceptron::move_edges(const int32_t* labels, size_t begin, size_t length, float weight) {
    const auto label = [&](size_t t) { return static_cast<size_t>(labels[t]); };
    move_edge(set_->start_begin() + label(0), weight);
    move_edge(set_->end_begin() + label(length - 1), weight);
    for (size_t t = 1; t < length; ++t) move_edge(set_->transitions_begin() + label(t - 1) * set_->stride() + label(t), weight);
    const Arcs& arcs = set_->arcs();
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
        if (arcs.triple_cells_[triple] == label(t - 1) * set_->stride() + label(t)) move_edge(set_->triples_begin() + triple, weight * value);
    });
}

std::vector<float> Perceptron::parameters() const {
    std::vector<float> out(parameter_count());
    const double share = examples_ > 0 ? 1 / static_cast<double>(examples_) : 0;
    set_->places().each(out.size(), [&](size_t i, size_t place, float factor) {
        const auto weight = static_cast<double>(weights_.data()[weights_.first(place)]), second = static_cast<double>(weights_.data()[weights_.second(place)]);
        out[i] = static_cast<float>((weight - share * second) / static_cast<double>(factor));
    });
    return out;
}

std::vector<float> Perceptron::current() const {
    std::vector<float> out(parameter_count());
    set_->places().each(out.size(), [&](size_t i, size_t place, float factor) { out[i] = weights_.data()[weights_.first(place)] / factor; });
    return out;
}

}  // namespace tagpool
