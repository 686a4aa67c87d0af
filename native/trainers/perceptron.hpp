// The averaged structured perceptron (Collins 2002), by sentence or, without a chain, by token.
//
// After the example number s = 1, 2, ... whose best labels are wrong:  w += c_s * (phi(x, gold) - phi(x, best)).
// The average of w over all T examples is w - seconds / T, where `seconds` has received (s - 1) times each update.
// Unknown labels are completed by the best sequence that agrees with the known ones (Fernandes and Brefeld 2011).
#pragma once
#include <memory>
#include <vector>

#include "dataset/averaged_weights.hpp"
#include "dataset/row_masks.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

class Perceptron final : public Trainer {
public:
    using Number = float;

    // The example weights are the c_s.
    Perceptron(const std::shared_ptr<const TrainingSet>& set, bool chain, uint64_t seed, std::vector<float> example_weights);

    // Restarts from these parameters instead of zero.
    void start_from(const float* parameters) {
        weights_.load(layout(), parameters);
        examples_ = 0;
    }
    // Trains on all sentences in a new order; returns the number of wrong tokens among those with a gold label. An exception from `interrupt`
    // ends the epoch between two sentences.
    size_t epoch(InterruptCheck interrupt);
    // Averaged parameters, and current parameters.
    std::vector<float> parameters() const;
    std::vector<float> current() const { return weights_.parameters(layout(), 1); }

    template <class State>
    void visit_state(State& state) {
        state.random(random_);
        state.array("weights", weights_.data(), weights_.size());
        state.number("examples", examples_);
    }

private:
    size_t learn(size_t begin, size_t length, float weight);
    void update_nodes(size_t token, int32_t right, int32_t wrong, float weight);
    void update_edge(size_t place, float weight);
    void update_edges(const int32_t* labels, size_t begin, size_t length, float weight);

    Random random_;
    AveragedWeights weights_;
    RowMasks masks_;
    size_t examples_ = 0;
    ChainScratch<float> scratch_;
    std::vector<int32_t> best_, constrained_;
};

}  // namespace tagpool
