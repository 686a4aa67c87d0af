// AdaptiveSteps: the state of AdaGrad (Duchi, Hazan and Singer 2011). The step of a weight is eta / sqrt(1 + sum of its squared gradients).
//
// Rows of a feature share one sum, so that the state is small. Without it, transitions and frequent features would force a tiny step on all
// weights. Rows that occur in most batches move once per batch, by their summed gradient; the others move at each occurrence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "dataset/averaged_weights.hpp"
#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {

class AdaptiveSteps {
public:
    // `kept` is the part of the features that dropout keeps; `batch` the number of sentences in a step.
    AdaptiveSteps(const WeightLayout& weights, double kept, size_t batch);

    // Forgets all gradients.
    void restart();
    // Assumes the squared gradients of an earlier training that gave these weights, so that frequent features keep small steps. `earlier` is
    // the number of its sentences, as a multiple of these.
    void continue_from(const TrainingSet& set, const AveragedWeights& weights, double earlier);
    // Sets the state of the features of a shard.
    void set_target(StepTarget& target, size_t shard);

    // Turn a gradient into a step. The weight grows by `growth` times what the common divisor shrinks too much (StepTarget); at an
    // occurrence of a cell, by its share of that.
    float edge_step(size_t edge, float gradient, float weight, float growth) { return step(edges_[edge], gradient, growth * weight); }
    float cell_step(size_t cell, float gradient, float weight, float growth) {
        return step(cells_[cell].squares, gradient, growth * cells_[cell].share * weight);
    }

    template <class State>
    void visit_state(State& state) {
        visit(state, "row_squares", rows_);
        visit(state, "single_squares", singles_);
        visit(state, "cell_squares", cells_);
        state.array("edge_squares", edges_.data(), edges_.size());
    }

private:
    static float step(float& squares, float gradient, float growth);

    template <class State>
    static void visit(State& state, const char* name, std::vector<StepState>& states) {
        state.array(name, reinterpret_cast<float*>(states.data()), 2 * states.size());
    }

    std::vector<StepState> rows_, singles_, cells_;  // by row; by place, empty without single weights; by transition cell
    std::vector<float> edges_;
    uint32_t summed_count_ = 0;
    AlignedVector<float> sums_;
    std::vector<float> times_;
    std::vector<uint32_t> present_[Shards::kCount];
};

}  // namespace tagpool
