// ProximalTrainer: forward-backward splitting (Duchi and Singer 2009), in mini-batches and double precision:
//
//     w <- w - eta_t g_t,  then the proximal step of the penalty with length eta_t * batch / sentences,  eta_t = eta_0 / sqrt(1 + t/T),
// t the steps taken, T those of an epoch. The penalty is that of the summed objective. Proximal steps are lazy: they are applied when a
// feature occurs again, with the same result (penalty.hpp).
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/thread_pool.hpp"
#include "dataset/row_masks.hpp"
#include "dataset/weight_groups.hpp"
#include "trainers/penalty.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

class ProximalTrainer : public StochasticTrainer {
public:
    // The state between two epochs, when no step is pending; model `first` is the first one with weights.
    template <class State>
    void visit_state(State& state, size_t first = 0) {
        StochasticTrainer::visit_state(state);
        state.number("steps", steps_);
        for (size_t model = first; model < weights_.size(); ++model) state.array(concat("weights.", model), weights(model), weights_[model].size());
    }

protected:
    using Batch = std::span<const uint32_t>;  // sentences

    // Training minimises (1 - mu) times the loss of model 0 plus mu times the losses of the other models.
    ProximalTrainer(const std::shared_ptr<const TrainingSet>& set, bool chain, const StepOptions& options, std::vector<float> example_weights,
                    const Penalty& penalty, size_t models, double mu = 0);

    double pass(const Order& order, double bound, InterruptCheck interrupt) override;
    // Returns a function that restores the present state after passes over a sample.
    virtual std::function<void()> make_undo(const Order& sample) = 0;
    // Applies pending steps to the groups that occur in a batch; to all groups.
    virtual void update_groups(Batch batch, ThreadPool& pool) = 0;
    virtual void update_all(ThreadPool& pool) = 0;
    // A gradient step.
    virtual void apply_gradient(Batch batch, double eta, ThreadPool& pool) = 0;
    // After the last batch, or after a batch that diverged.
    virtual void finish_pass(bool diverged, ThreadPool& pool) = 0;

    // Forgets all steps.
    void reset_steps();
    double* weights(size_t model) { return weights_[model].data(); }
    // Gradient of the nodes of sentence i of the batch, a [T][stride] matrix.
    const double* nodes(size_t model, size_t i) const { return nodes_.data() + (model * first_tokens_[count_] + first_tokens_[i]) * set_->stride(); }
    size_t batch_tokens() const { return first_tokens_[count_]; }
    // Adds `by` times the gradient of edges and transition cells to the weights of a model.
    void add_edges(Batch batch, size_t i, size_t model, double by);

    Penalty penalty_;
    RowMasks masks_;
    WeightGroups groups_;
    const size_t models_;
    const double mu_;
    std::vector<Buffer<double>> weights_;  // by model; there may be more models than those above

private:
    double differentiate(Batch batch, ThreadPool& pool);
    void choose_step(InterruptCheck interrupt) override;
    double try_step(double step, double bound, const Order& sample, const std::function<void()>& undo, InterruptCheck interrupt);

    size_t steps_ = 0;

    // Work space of a batch.
    size_t count_ = 0;                                     // sentences
    std::vector<size_t> first_tokens_;                     // of each sentence, and the total
    std::vector<EdgeTable<double>> edges_;                 // by model
    std::vector<ChainScratch<double>> scratch_;            // by worker
    std::vector<double> nodes_, edge_gradients_, losses_;  // by model, then token or sentence
    std::vector<AlignedVector<double>> cell_gradients_;    // by model and sentence
};

}  // namespace tagpool
