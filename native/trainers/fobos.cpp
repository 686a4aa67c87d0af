#include "trainers/fobos.hpp"

#include <algorithm>

namespace tagpool {

Fobos::Fobos(const std::shared_ptr<const TrainingSet>& set, bool chain, const FobosOptions& options, std::vector<float> example_weights)
    : ProximalTrainer(set, chain, options.steps, std::move(example_weights),
                      penalty_of(options.penalty, options.strength, options.ridge, set->labels()), 1) {
    weights_[0].fill(set_->weight_count(), 0.0);
}

void Fobos::start_from(const double* parameters) {
    weights_[0].fill(weights_[0].size(), 0.0);
    layout().each([&](size_t i, size_t place, float) { weights_[0][place] = parameters[i]; });
    reset_steps();
    step_ = options_.step;
}

double Fobos::train(InterruptCheck interrupt) {
    const double loss = StochasticTrainer::train(interrupt);
    update_all();
    return loss;
}

std::function<void()> Fobos::make_undo(const Order&) {
    return [this, start = std::vector<double>(weights_[0].begin(), weights_[0].end())] {
        std::copy(start.begin(), start.end(), weights(0));
        reset_steps();
    };
}

void Fobos::update(WeightGroup& group) {
    penalty_.apply_missed_steps(weights(0) + group.begin, group.count, group.steps_applied);
    group.steps_applied = static_cast<uint32_t>(penalty_.steps());
}

void Fobos::update_groups(Batch batch, ThreadPool&) {
    const auto visit = [&](uint32_t group) { update(groups_[group]); };
    for (const uint32_t sentence : batch) groups_.each_in(sentence, visit);
    groups_.each_common(visit);
}

void Fobos::update_all(ThreadPool&) { update_all(); }

void Fobos::update_all() {
    for (WeightGroup& group : groups_) {
        update(group);
        group.steps_applied = 0;
    }
    penalty_.restart();
}

// Not the kernel of Elitist: that one fuses multiplication and addition, which rounds differently.
void Fobos::apply_gradient(Batch batch, double eta, ThreadPool&) {
    const Items& items = set_->items();
    const size_t stride = set_->stride();
    for (size_t i = 0; i < batch.size(); ++i) {
        add_edges(batch, i, 0, -eta);
        double* const to = weights(0);
        const double* const gradient = nodes(0, i);
        const size_t begin = set_->sentences_[batch[i]], end = set_->sentences_[batch[i] + 1];
        for (size_t token = begin; token < end; ++token) {
            const double* const from = gradient + (token - begin) * stride;
            for (uint64_t k = items.row_starts[token]; k < items.row_starts[token + 1]; ++k) {
                const double by = items.row_values.empty() ? eta : eta * static_cast<double>(items.row_values[k]);
                double* const row = to + size_t{items.rows[k]} * stride;
                if (masks_.data()) {
                    for (size_t y = 0; y < stride; ++y)
                        if (masks_.is_free(items.rows[k], y)) row[y] -= by * from[y];
                } else {
                    for (size_t y = 0; y < stride; ++y) row[y] -= by * from[y];
                }
            }
        }
        for (uint64_t k = items.single_starts[begin]; k < items.single_starts[end]; ++k) {
            const double by = items.single_values.empty() ? eta : eta * static_cast<double>(items.single_values[k]);
            to[items.singles[k].place] -= by * gradient[items.singles[k].to];
        }
    }
}

std::vector<double> Fobos::parameters() {
    update_all();
    std::vector<double> out(parameter_count());
    layout().each([&](size_t i, size_t place, float) { out[i] = weights_[0][place]; });
    return out;
}

}  // namespace tagpool
