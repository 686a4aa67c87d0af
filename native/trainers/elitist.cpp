#include "trainers/elitist.hpp"

#include <algorithm>
#include <cmath>

#include "base/fault.hpp"
#include "base/portable.hpp"

namespace tagpool {
namespace {

constexpr double kSpread = 0.1;         // random weights are uniform in [-kSpread, kSpread]
constexpr size_t kGroupsPerTask = 256;  // a constant, so that sums do not depend on the threads
constexpr size_t kGroupsAhead = 8;      // to prefetch

// Calls work(task, first, last) for ranges of `count` groups.
template <class Work>
void for_groups(size_t count, ThreadPool& pool, Work&& work) {
    pool.run((count + kGroupsPerTask - 1) / kGroupsPerTask,
             [&](size_t task, unsigned) { work(task, task * kGroupsPerTask, std::min(count, (task + 1) * kGroupsPerTask)); });
}

// The nearest point with x >= 0, sum x = 1 (Duchi et al. 2008).
void project_onto_simplex(std::vector<double>& x) {
    std::vector<double> sorted(x);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0, threshold = 0;
    for (size_t k = 0; k < sorted.size(); ++k) {
        sum += sorted[k];
        const double candidate = (sum - 1) / static_cast<double>(k + 1);
        if (sorted[k] > candidate) threshold = candidate;
    }
    for (double& value : x) value = std::max(value - threshold, 0.0);
}

}  // namespace

Elitist::Elitist(const std::shared_ptr<const TrainingSet>& set, bool chain, const ElitistOptions& options, std::vector<float> example_weights)
    : ProximalTrainer(set, chain, options.steps, std::move(example_weights), penalty_of(options.penalty, options.strength, 0, options.alpha.size()),
                      options.mu > 0 ? options.alpha.size() + 1 : 1, options.mu),
      experts_(options.alpha.size()), learn_alpha_(options.learn_alpha), first_alpha_(options.alpha), last_round_(groups_.size()) {
    if (experts_ == 0 || experts_ > kMaxExperts)
        throw InputFault("alpha: expected 1 to " + std::to_string(kMaxExperts) + " experts, got " + std::to_string(experts_));
    for (const double alpha : options.alpha)
        if (!(alpha >= 0) || !std::isfinite(alpha)) throw InputFault("alpha: expected numbers of 0 or more");
    if (options.penalty != "l1" && !options.penalty.starts_with("elitist"))
        throw InputFault("penalty: expected l1, elitist or elitist-approximate, got " + options.penalty);
    if (!(options.mu >= 0 && options.mu <= 1)) throw InputFault("mu: expected a number from 0 to 1");
    // Rows are updated in whole vectors; their padding stays zero.
    for (WeightGroup& group : groups_)
        if (set_->is_in_row(group.begin) || (group.begin >= set_->transitions_begin() && group.begin < set_->transition_cells_begin()))
            group.count = set_->stride();
    weights_.resize(experts_ + 1);
    begin();
}

void Elitist::begin() {
    const size_t size = layout().size();
    random_ = Random(options_.seed);
    for (Buffer<double>& weights : weights_) weights.fill(set_->weight_count(), 0.0);
    for (size_t j = 0; j < experts_; ++j)
        layout().each([&](size_t i, size_t place, float) {
            weights_[j + 1][place] = start_.empty() ? kSpread * (2 * random_.uniform() - 1) : start_[j * size + i];
        });
    alpha_ = first_alpha_;
    if (!start_.empty()) alpha_.assign(start_.end() - static_cast<std::ptrdiff_t>(experts_), start_.end());
    reset_steps();
    step_sizes_.clear();
}

void Elitist::start_from(const double* parameters) {
    start_.assign(parameters, parameters + parameter_count());
    step_ = options_.step;
    begin();
}

void Elitist::finish_pass(bool diverged, ThreadPool& pool) {
    if (diverged) clear_pool();
    else update_all(pool);
}

// Also computes the weights of the pool.
void Elitist::update_groups(Batch batch, ThreadPool& pool) {
    in_batch_.clear();
    if (++round_ == 0) {
        std::fill(last_round_.begin(), last_round_.end(), 0u);
        round_ = 1;
    }
    const auto add = [&](uint32_t group) {
        if (last_round_[group] == round_) return;
        last_round_[group] = round_;
        in_batch_.push_back(group);
    };
    for (const uint32_t sentence : batch) groups_.each_in(sentence, add);
    groups_.each_common(add);
    for_groups(in_batch_.size(), pool, [&](size_t, size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            if (i + 2 * kGroupsAhead < last) prefetch_line(&groups_[in_batch_[i + 2 * kGroupsAhead]]);
            if (i + kGroupsAhead < last) prefetch(groups_[in_batch_[i + kGroupsAhead]]);
            update(groups_[in_batch_[i]]);
        }
    });
}

// Prefetches the weights of a group: they are scattered over memory.
void Elitist::prefetch(const WeightGroup& group) const {
    for (const Buffer<double>& weights : weights_)
        for (size_t k = 0; k < group.count; k += 8) prefetch_line(weights.data() + group.begin + k);
}

std::array<double*, kMaxExperts> Elitist::members_of(const WeightGroup& group) {
    std::array<double*, kMaxExperts> out;
    for (size_t j = 0; j < experts_; ++j) out[j] = weights(j + 1) + group.begin;
    return out;
}

// Applies the pending gradient and the missed proximal steps, then computes the weights of the pool.
void Elitist::update(WeightGroup& group) {
    penalty_.update_experts(members_of(group).data(), group.count, group.steps_applied, step_sizes_.data() + group.steps_applied * experts_,
                            alpha_.data(), weights(0) + group.begin);
    group.steps_applied = static_cast<uint32_t>(penalty_.steps());
}

void Elitist::update_all(ThreadPool& pool) {
    for_groups(groups_.size(), pool, [&](size_t, size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            if (i + kGroupsAhead < last) prefetch(groups_[i + kGroupsAhead]);
            update(groups_[i]);
            groups_[i].steps_applied = 0;
            std::fill_n(weights(0) + groups_[i].begin, groups_[i].count, 0.0);
        }
    });
    penalty_.restart();
    step_sizes_.clear();
}

// The gradient of the pool stays pending, in the memory of its weights, until a group occurs again.
void Elitist::apply_gradient(Batch batch, double eta, ThreadPool& pool) {
    clear_pool();
    add_gradients(batch, 0, 1.0);
    for (const double alpha : alpha_) step_sizes_.push_back(eta * (1 - mu_) * alpha);
    if (learn_alpha_) update_alpha(eta * (1 - mu_) / static_cast<double>(batch_tokens()), pool);
    for (size_t model = 1; model < models_; ++model) add_gradients(batch, model, -eta * mu_);
}

void Elitist::clear_pool() {
    for (const uint32_t number : in_batch_) std::fill_n(weights(0) + groups_[number].begin, groups_[number].count, 0.0);
}

// Adds `by` times the gradient of a model to its weights.
void Elitist::add_gradients(Batch batch, size_t model, double by) {
    for (size_t i = 0; i < batch.size(); ++i) {
        add_edges(batch, i, model, by);
        kernels().elitist.add_nodes(*set_, masks_.data(), batch[i], by, nodes(model, i), weights(model));
    }
}

// A step of alpha against its gradient, <G, W_j>.
void Elitist::update_alpha(double by, ThreadPool& pool) {
    slopes_.assign((in_batch_.size() + kGroupsPerTask - 1) / kGroupsPerTask * experts_, 0.0);
    for_groups(in_batch_.size(), pool, [&](size_t task, size_t first, size_t last) {
        for (size_t i = first; i < last; ++i) {
            const WeightGroup& group = groups_[in_batch_[i]];
            kernels().elitist.add_slopes(members_of(group).data(), experts_, group.count, weights(0) + group.begin, slopes_.data() + task * experts_);
        }
    });
    for (size_t i = 0; i < slopes_.size(); ++i) alpha_[i % experts_] -= by * slopes_[i];
    project_onto_simplex(alpha_);
}

std::vector<double> Elitist::parameters() {
    ThreadPool pool(options_.threads);
    update_all(pool);
    const size_t size = layout().size();
    std::vector<double> out(parameter_count());
    for (size_t j = 0; j < experts_; ++j) layout().each([&](size_t i, size_t place, float) { out[j * size + i] = weights_[j + 1][place]; });
    std::copy(alpha_.begin(), alpha_.end(), out.end() - static_cast<std::ptrdiff_t>(experts_));
    return out;
}

}  // namespace tagpool
