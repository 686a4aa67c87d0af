#include "trainers/proximal_trainer.hpp"

#include <algorithm>
#include <cmath>

namespace tagpool {

ProximalTrainer::ProximalTrainer(const std::shared_ptr<const TrainingSet>& set, bool chain, const StepOptions& options,
                                 std::vector<float> example_weights, const Penalty& penalty, size_t models, double mu)
    : StochasticTrainer(set, chain, options, std::move(example_weights), models), penalty_(penalty), masks_(*set), groups_(*set, chain),
      models_(models), mu_(mu), weights_(models), first_tokens_(options_.batch + 1), edges_(models), scratch_(options_.threads),
      edge_gradients_(models * options_.batch * set->common_edge_size()), losses_(models * options_.batch), cell_gradients_(losses_.size()) {
    set_->require_items();
}

double ProximalTrainer::pass(const Order& order, double bound, InterruptCheck interrupt) {
    const auto sentences = static_cast<double>(set_->sentence_count());
    const double steps_per_epoch = std::ceil(sentences / static_cast<double>(options_.batch));
    ThreadPool pool(options_.threads);
    double loss = 0;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        const Batch batch(order.data() + first, std::min(options_.batch, order.size() - first));
        if (penalty_.is_full()) update_all(pool);
        update_groups(batch, pool);
        const double batch_loss = differentiate(batch, pool);
        loss += batch_loss;
        if (!std::isfinite(batch_loss) || loss > bound) {
            finish_pass(true, pool);
            return kDiverged;
        }
        const double eta = step_ / std::sqrt(1 + static_cast<double>(steps_++) / steps_per_epoch);
        apply_gradient(batch, eta, pool);
        penalty_.step(eta * static_cast<double>(batch.size()) / sentences);
        interrupt.poll();
    }
    finish_pass(false, pool);
    return loss;
}

// Loss of the second pass over a sample with this step, or infinity as soon as it exceeds `bound`. The first pass depends mostly on the start.
double ProximalTrainer::try_step(double step, double bound, const Order& sample, const std::function<void()>& undo, InterruptCheck interrupt) {
    const auto restore = [&] {
        undo();
        step_ = 0;
    };
    try {
        step_ = step;
        double loss = pass(sample, kDiverged, interrupt);
        if (std::isfinite(loss)) loss = pass(sample, bound, interrupt);
        restore();
        return loss;
    } catch (...) {
        restore();
        throw;
    }
}

// Chooses the step with the least loss on a sample of the sentences: by factors of two, first up, then down. 0 if no step has a finite loss.
void ProximalTrainer::choose_step(InterruptCheck interrupt) {
    constexpr double kFirst = 0.1;
    // Some trials take less time than an epoch, unless the set is small.
    const size_t sentences = set_->sentence_count();
    Order sample = Random(options_.seed).permutation(sentences);
    sample.resize(std::min(sentences, std::clamp<size_t>(sentences / 16, 125, 500)));
    const std::function<void()> undo = make_undo(sample);
    double best = 0, least = kDiverged;
    const auto is_better = [&](double step) {
        const double loss = try_step(step, least, sample, undo, interrupt);
        if (!(loss < least)) return false;
        best = step;
        least = loss;
        return true;
    };
    is_better(kFirst);
    for (int power = 1; power <= 12 && best > 0 && is_better(kFirst * std::exp2(power)); ++power) {
    }
    for (int power = 1; power <= 30 && best <= kFirst && (is_better(kFirst * std::exp2(-power)) || best == 0); ++power) {
    }
    step_ = best;
}

// Returns the loss of a batch; leaves the gradients in the work space.
double ProximalTrainer::differentiate(Batch batch, ThreadPool& pool) {
    const GradientKernels<double>& run = kernels().doubles;
    const Examples all = examples();
    count_ = batch.size();
    for (size_t i = 0; i < count_; ++i) first_tokens_[i + 1] = first_tokens_[i] + all.length(batch[i]);
    const size_t stride = set_->stride(), nodes = batch_tokens() * stride, edges = set_->common_edge_size();
    if (nodes_.size() < models_ * nodes) nodes_.resize(models_ * nodes);
    for (size_t model = 0; chain_ && model < models_; ++model) run.make_edges(*set_, {weights(model), 1, 1.0}, edges_[model]);
    pool.run(models_ * count_, [&](size_t task, unsigned worker) {
        const size_t model = task / count_, i = task % count_;
        losses_[task] =
            run.differentiate(all, {weights(model), 1, 1.0}, nullptr, batch[i], edges_[model],
                              nodes_.data() + model * nodes + first_tokens_[i] * stride, edge_gradients_.data() + task * edges, scratch_[worker]);
        cell_gradients_[task].swap(scratch_[worker].cell_gradients);
    });
    double loss = 0;
    for (size_t task = 0; task < models_ * count_; ++task) loss += (task < count_ ? 1 - mu_ : mu_) * losses_[task];
    return loss;
}

void ProximalTrainer::add_edges(Batch batch, size_t i, size_t model, double by) {
    if (!chain_) return;
    const TrainingSet& set = *set_;
    const size_t task = model * count_ + i, edges = set.common_edge_size();
    double* const to = weights(model);
    for (size_t k = 0; k < edges; ++k) to[set.transitions_begin() + k] += by * edge_gradients_[task * edges + k];
    const double* gradient = cell_gradients_[task].data();
    set.transition_features().each_cell(set.sentences_[batch[i]], examples().length(batch[i]),
                                        [&](size_t, uint32_t cell, float) { to[set.transition_cells_begin() + cell] += by * *gradient++; });
}

void ProximalTrainer::reset_steps() {
    for (WeightGroup& group : groups_) group.steps_applied = 0;
    penalty_.restart();
    steps_ = 0;
}

}  // namespace tagpool
