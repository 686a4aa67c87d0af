#include "trainers/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "base/fault.hpp"

namespace tagpool {

Trainer::Trainer(const std::shared_ptr<const TrainingSet>& set, bool chain, std::vector<float> example_weights)
    : set_(set), chain_(chain), example_weights_(std::move(example_weights)) {
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
}

StochasticTrainer::StochasticTrainer(const std::shared_ptr<const TrainingSet>& set, bool chain, const StepOptions& options,
                                     std::vector<float> example_weights, size_t models)
    : Trainer(set, chain, std::move(example_weights)), options_(options), step_(options.step), random_(options.seed) {
    if (options_.batch == 0) throw InputFault("batch: expected at least 1 sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch * models, 1024)));
}

double StochasticTrainer::epoch(InterruptCheck interrupt) {
    if (step_ <= 0) calibrate(interrupt);
    if (step_ <= 0) return kDiverged;
    const Order order = random_.permutation(set_->sentence_count());
    return train(order, interrupt) / static_cast<double>(order.size());
}

// Loss of the second pass over a sample with this step, or infinity as soon as it exceeds `bound`. The first pass depends mostly on the start.
double StochasticTrainer::try_step(double step, double bound, const Order& sample, const std::function<void()>& undo, InterruptCheck interrupt) {
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
void StochasticTrainer::calibrate(InterruptCheck interrupt) {
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

}  // namespace tagpool
