// One sentence over label pairs in log space: slow, and right whatever the scores. The kernels of arcs fall back on it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

// Scores of a sentence's steps, and recursions over states (pair_states.hpp); order 1 is order 2 with all pairs and none of trigrams.
class LogArcs {
public:
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    LogArcs(const TrainingSet& set, size_t length)
        : states_(set.arcs().second_order()
                      ? set.arcs().states()
                      : PairStates(set.labels(), set.stride(), std::vector<uint8_t>(size_t{set.labels()} * set.labels(), 1))),
          length_(length), labels_(set.labels()), pairs_(length * labels_ * labels_), start_(labels_), end_(labels_), nodes_(length * labels_),
          trigrams_(states_.size() * labels_) {}

    const PairStates& states() const { return states_; }
    double& pair(size_t t, size_t b, size_t c) { return pairs_[(t * labels_ + b) * labels_ + c]; }
    double& start(size_t c) { return start_[c]; }
    double& end(size_t c) { return end_[c]; }
    double& node(size_t t, size_t c) { return nodes_[t * labels_ + c]; }
    double& trigram(size_t state, size_t c) { return trigrams_[state * labels_ + c]; }

    // log Z.
    double run() {
        const size_t count = states_.size();
        alpha_.assign(length_ * count, kNever);
        beta_.assign(length_ * count, kNever);
        for (size_t c = 0; c < labels_; ++c) alpha_[c] = start(c) + node(0, c);
        for (size_t t = 1; t < length_; ++t)
            each_arc([&](size_t from, size_t b, size_t c, size_t to) { add(alpha_[t * count + to], alpha_[(t - 1) * count + from] + step(t, from, b, c)); });
        for (size_t state = 0; state < count; ++state) beta_[(length_ - 1) * count + state] = end(states_.last(static_cast<uint32_t>(state)));
        for (size_t t = length_ - 1; t > 0; --t)
            each_arc([&](size_t from, size_t b, size_t c, size_t to) { add(beta_[(t - 1) * count + from], step(t, from, b, c) + beta_[t * count + to]); });
        total_ = kNever;
        for (size_t state = 0; state < count; ++state) add(total_, alpha_[(length_ - 1) * count + state] + beta_[(length_ - 1) * count + state]);
        return total_;
    }

    double first_marginal(size_t c) const { return std::exp(alpha_[c] + beta_[c] - total_); }
    // The probability of the labels b, c at t - 1, t.
    double pair_marginal(size_t t, size_t b, size_t c) const {
        const uint32_t state = states_.number(static_cast<uint32_t>(b), static_cast<uint32_t>(c));
        return state == PairStates::kNone ? 0 : std::exp(alpha_[t * states_.size() + state] + beta_[t * states_.size() + state] - total_);
    }
    // Of the step from a state at t - 1 to label c at t.
    double arc_marginal(size_t t, size_t from, size_t c) {
        const size_t b = states_.last(static_cast<uint32_t>(from));
        const uint32_t to = states_.number(static_cast<uint32_t>(b), static_cast<uint32_t>(c));
        return std::exp(alpha_[(t - 1) * states_.size() + from] + step(t, from, b, c) + beta_[t * states_.size() + to] - total_);
    }

private:
    // sum = log(exp(sum) + exp(term))
    static void add(double& sum, double term) {
        if (term == kNever) return;
        const double most = std::max(sum, term);
        sum = most + std::log(std::exp(sum - most) + std::exp(term - most));
    }
    double step(size_t t, size_t from, size_t b, size_t c) { return pair(t, b, c) + trigram(from, c) + node(t, c); }
    template <class Visit>
    void each_arc(Visit&& visit) const {
        for (size_t from = 0; from < states_.size(); ++from)
            for (size_t c = 0; c < labels_; ++c) {
                const size_t b = states_.last(static_cast<uint32_t>(from));
                const uint32_t to = states_.number(static_cast<uint32_t>(b), static_cast<uint32_t>(c));
                if (to != PairStates::kNone) visit(from, b, c, size_t{to});
            }
    }

    PairStates states_;
    size_t length_, labels_;
    std::vector<double> pairs_, start_, end_, nodes_, trigrams_, alpha_, beta_;
    double total_ = 0;
};

// Adds `weight` times the gradient of -log p(gold | x), and returns the loss. `scores` are the node scores (divided already), `weights`
// the weights that are to be divided by `divisor`; triples' gradients are one for each visit of Arcs::each_triple.
template <class T>
double arc_log_space_sentence(const TrainingSet& set, const T* weights, double divisor, size_t begin, size_t length, T weight, const T* scores,
                              T* node_gradients, T* edge_gradients, T* triple_gradients) {
    const Arcs& arcs = set.arcs();
    const size_t stride = set.stride(), labels = set.labels();
    const auto at = [&](size_t place) { return static_cast<double>(weights[place]) / divisor; };
    LogArcs chain(set, length);
    for (size_t c = 0; c < labels; ++c) {
        chain.start(c) = at(set.start_begin() + c);
        chain.end(c) = at(set.end_begin() + c);
        for (size_t t = 0; t < length; ++t) chain.node(t, c) = static_cast<double>(scores[t * stride + c]);
        for (size_t t = 1; t < length; ++t)
            for (size_t b = 0; b < labels; ++b) chain.pair(t, b, c) = at(set.transitions_begin() + b * stride + c);
    }
    for (size_t state = 0; arcs.second_order() && state < arcs.states().size(); ++state)
        for (size_t i = arcs.trigram_starts_[state]; i < arcs.trigram_starts_[state + 1]; ++i)
            chain.trigram(state, arcs.trigram_labels_[i]) = at(set.trigrams_begin() + i);
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
        const size_t cell = arcs.triple_cells_[triple];
        chain.pair(t, cell / stride, cell % stride) += at(set.triples_begin() + triple) * static_cast<double>(value);
    });
    const auto add = [&](double by) {
        for (size_t c = 0; c < labels; ++c) {
            const double first = by * chain.first_marginal(c);
            node_gradients[c] += static_cast<T>(first);
            edge_gradients[labels * stride + c] += static_cast<T>(first);
            if (length == 1) edge_gradients[(labels + 1) * stride + c] += static_cast<T>(first);
            for (size_t t = 1; t < length; ++t)
                for (size_t b = 0; b < labels; ++b) {
                    const auto pair = static_cast<T>(by * chain.pair_marginal(t, b, c));
                    node_gradients[t * stride + c] += pair;
                    edge_gradients[b * stride + c] += pair;
                    if (t + 1 == length) edge_gradients[(labels + 1) * stride + c] += pair;
                }
        }
        for (size_t state = 0; arcs.second_order() && state < arcs.states().size(); ++state)
            for (size_t i = arcs.trigram_starts_[state]; i < arcs.trigram_starts_[state + 1]; ++i) {
                T& to = edge_gradients[set.trigrams_begin() - set.transitions_begin() + i];
                for (size_t t = 1; t < length; ++t) to += static_cast<T>(by * chain.arc_marginal(t, state, arcs.trigram_labels_[i]));
            }
        size_t i = 0;
        arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
            const size_t cell = arcs.triple_cells_[triple];
            triple_gradients[i++] += static_cast<T>(by * static_cast<double>(value) * chain.pair_marginal(t, cell / stride, cell % stride));
        });
    };
    const double all = chain.run();
    add(static_cast<double>(weight));
    for (size_t t = 0; t < length; ++t) {
        const int32_t gold = set.gold_[begin + t];
        for (size_t y = 0; gold != TrainingSet::kUnknown && y < labels; ++y)
            if (y != static_cast<size_t>(gold)) chain.node(t, y) = LogArcs::kNever;
    }
    const double known = chain.run();
    add(-static_cast<double>(weight));
    return static_cast<double>(weight) * (all - known);
}

}  // namespace tagpool
