#include "trainers/perceptron.hpp"

namespace tagpool {

Perceptron::Perceptron(const std::shared_ptr<const TrainingSet>& set, bool chain, uint64_t seed, std::vector<float> example_weights)
    : Trainer(set, chain, std::move(example_weights)), random_(seed), weights_(*set_), masks_(*set_) {
    set_->require_items();
    if (set_->stream()) throw InputFault("this trainer needs all sentences in memory");
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
    constrained_.resize(length);
    kernels().tagging.best_labels(set, {weights_.data(), 2, 1.0f}, chain_, begin, length, best_.data(), constrained_.data(), scratch_);
    size_t wrong = 0;
    for (size_t t = 0; t < length; ++t) {
        wrong += set.gold_[begin + t] != TrainingSet::kUnknown && set.gold_[begin + t] != best_[t];
        if (constrained_[t] != best_[t]) update_nodes(begin + t, constrained_[t], best_[t], weight);
    }
    if (chain_ && wrong > 0) {
        update_edges(constrained_.data(), begin, length, weight);
        update_edges(best_.data(), begin, length, -weight);
    }
    ++examples_;
    return wrong;
}

void Perceptron::update_nodes(size_t token, int32_t right, int32_t wrong, float weight) {
    const Items& items = set_->items();
    const size_t stride = set_->stride();
    const auto before = static_cast<float>(examples_);
    for (uint64_t i = items.row_starts[token]; i < items.row_starts[token + 1]; ++i) {
        const float by = items.row_values.empty() ? weight : weight * items.row_values[i];
        float* const row = weights_.data() + size_t{items.rows[i]} * 2 * stride;
        const auto add = [&](int32_t label, float sign) {
            const auto y = static_cast<size_t>(label);
            if (!masks_.is_free(items.rows[i], y)) return;
            row[y] += sign * by;
            row[stride + y] += sign * before * by;
        };
        add(right, 1);
        add(wrong, -1);
    }
    for (uint64_t i = items.single_starts[token]; i < items.single_starts[token + 1]; ++i) {
        const auto [place, score] = items.singles[i];
        const auto label = static_cast<int32_t>(score % stride);
        if (label != right && label != wrong) continue;
        const float by = (label == right ? weight : -weight) * (items.single_values.empty() ? 1.0f : items.single_values[i]);
        float* const single = weights_.data() + size_t{place} * 2;
        single[0] += by;
        single[1] += before * by;
    }
}

void Perceptron::update_edge(size_t place, float weight) {
    if (!set_->edge_mask().empty() && !set_->edge_mask()[place - set_->transitions_begin()]) return;  // not free
    weights_.data()[weights_.first(place)] += weight;
    weights_.data()[weights_.second(place)] += static_cast<float>(examples_) * weight;
}

void Perceptron::update_edges(const int32_t* labels, size_t begin, size_t length, float weight) {
    const auto label = [&](size_t t) { return static_cast<size_t>(labels[t]); };
    update_edge(set_->start_begin() + label(0), weight);
    update_edge(set_->end_begin() + label(length - 1), weight);
    for (size_t t = 1; t < length; ++t) update_edge(set_->transitions_begin() + label(t - 1) * set_->stride() + label(t), weight);
    const TransitionFeatures& features = set_->transition_features();
    features.each_cell(begin, length, [&](size_t t, uint32_t cell, float value) {
        if (features.bigram(cell) == label(t - 1) * set_->stride() + label(t)) update_edge(set_->transition_cells_begin() + cell, weight * value);
    });
}

std::vector<float> Perceptron::parameters() const {
    const double share = examples_ > 0 ? 1 / static_cast<double>(examples_) : 0;
    return weights_.parameters(layout(), 1, [&](double weight, double second) { return weight - share * second; });
}

}  // namespace tagpool
