// Averaged stochastic gradient descent for the objective (Bottou 2010; Xu 2011), in single precision and in mini-batches, with the steps of
// AdaGrad (adaptive_steps.hpp):
//
//     w_{t+1} = w_t - eta_t S_t (g_t + l w_t),   g_t: sum of the gradients of the batch,   l = l2 * batch / sentences,
//     eta_t = eta_0 / (1 + eta_0 * l2 / sentences * sentences seen)^0.75,   S_t = diag(1 / sqrt(1 + sums of squared gradients)).
// Updates are lazy. A divisor shrinks all weights at the rate eta_t: w = weights / divisor. Gradient steps restore what that shrinks too much.
// The average is (seconds + fraction * weights) / average_divisor, and a step changes a second only where it changes the weight. Later steps
// weigh more in the average (polynomial decay, Shamir and Zhang 2013).
//
// Threads share a batch in two rounds. In the first, each thread owns a shard of the weights (shards.hpp): it applies the pending gradient of
// the previous batch, in the order of that batch, and scores this one. In the second, each thread owns sentences. The result is the same
// bits for every number of threads, and weights stay in the cache of one core.
#pragma once
#include <memory>
#include <vector>

#include "base/thread_pool.hpp"
#include "dataset/averaged_weights.hpp"
#include "dataset/dropout.hpp"
#include "dataset/row_masks.hpp"
#include "dataset/shards.hpp"
#include "trainers/adaptive_steps.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

struct SgdOptions {
    double l2 = 1;
    size_t average_from = 1;  // epochs before averaging begins
    double dropout = 0;       // dropout.hpp
    size_t trained_on = 0;    // sentences that the first parameters were trained on, for start_from
    StepOptions steps;
    std::vector<uint16_t> groups = {};  // of features that are dropped together
};

class Sgd final : public StochasticTrainer {
public:
    using Number = float;

    Sgd(const std::shared_ptr<const TrainingSet>& set, bool chain, const SgdOptions& options, std::vector<float> example_weights);

    // Restarts from these parameters instead of zero.
    void start_from(const float* parameters);
    // Averaged parameters (before averaging begins: the current ones), and current parameters.
    std::vector<float> parameters() const;
    std::vector<float> current() const { return weights_.parameters(layout(), divisor_); }

    template <class State>
    void visit_state(State& state) {
        StochasticTrainer::visit_state(state);
        state.array("weights", weights_.data(), weights_.size());
        adaptive_.visit_state(state);
        state.number("divisor", divisor_);
        state.number("average_divisor", average_divisor_);
        state.number("fraction", fraction_);
        state.number("epochs", epochs_);
        state.number("seen", seen_);
        state.number("averaged_steps", averaged_steps_);
        state.number("from_zero", from_zero_);
    }

private:
    struct Batch {
        const uint32_t* sentences = nullptr;
        size_t count = 0;
        std::vector<size_t> first_tokens;  // of each sentence within the batch; the last is the total
        double eta = 0, step = 0;          // step of weights, and of weights times the divisor
        double fraction = 0;               // of the average
        uint64_t first_visit = 0;          // sentences seen before
        bool both = false;                 // whether seconds are updated, too
    };

    double pass(const Order& order, double bound, InterruptCheck interrupt) override;
    double pass(const Order& order, double loss, double bound, InterruptCheck interrupt);
    double train(InterruptCheck interrupt) override;
    void choose_step(InterruptCheck interrupt) override;

    void grow_work_space(Batch& batch);
    void update_and_score(const Batch& batch, ThreadPool& pool);
    double differentiate(const Batch& batch, ThreadPool& pool);
    void update_shard(size_t shard);
    void sample_small_gradients(uint64_t visit, size_t sentence, size_t first);
    Shards::List rows(const Batch& batch, size_t i, size_t shard) const;
    void update_edges();
    void finish_batch();
    double uniform_loss() const;
    void enter(const std::vector<uint32_t>& chunks, Order& sentences);
    void apply_divisors();
    // Sentences of an earlier training, as a multiple of these.
    double earlier() const { return from_zero_ ? 0 : static_cast<double>(trained_on_) / static_cast<double>(set_->weights().sentence_count()); }
    // The set with the sentences that are trained now.
    const TrainingSet& block() const { return block_ ? *block_ : *set_; }
    size_t length(size_t sentence) const { return block().sentences_[sentence + 1] - block().sentences_[sentence]; }
    WeightView<float> view() const { return {weights_.data(), 2, static_cast<float>(1 / divisor_)}; }

    const size_t average_from_, trained_on_;
    const double l2_, shrink_;  // shrink_: for each sentence
    AveragedWeights weights_;
    RowMasks masks_;
    Chunks chunks_;
    std::shared_ptr<TrainingSet> block_;    // of a stream; else null
    std::shared_ptr<const Shards> shards_;  // of the block
    Dropout dropout_;
    AdaptiveSteps adaptive_;
    double divisor_ = 1, average_divisor_ = 1, fraction_ = 0;
    size_t epochs_ = 0, seen_ = 0, averaged_steps_ = 0;
    bool from_zero_ = true, averages_ = false;  // averages_: in this epoch

    // Work space of a batch. nodes_, edge_gradients_ and cell_gradients_ hold the pending gradient of the previous batch until its weights are
    // loaded again.
    Batch pending_;
    EdgeTable<float> edges_;
    std::vector<ChainScratch<float>> scratch_;          // by worker
    std::vector<double> losses_;                        // by sentence
    std::vector<AlignedVector<float>> cell_gradients_;  // by sentence: one for each visit of TransitionFeatures::each_cell
    AlignedVector<float> nodes_;                        // by token: gradients
    std::vector<float> edge_gradients_;                 // by sentence
    std::vector<TokenGradient> tokens_;                 // by token
    AlignedVector<float> parts_[Shards::kCount];        // by token: scores of a shard
    Dropout::Rows selected_[Shards::kCount];            // by sentence, of the batch that was scored last
    std::vector<uint32_t> longest_first_;
};

}  // namespace tagpool
