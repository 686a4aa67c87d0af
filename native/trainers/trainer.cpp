#include "trainers/trainer.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

Trainer::Trainer(const std::shared_ptr<const TrainingSet>& set, bool chain, std::vector<float> example_weights)
    : set_(set), chain_(chain), example_weights_(std::move(example_weights)) {
    if (set_->stream() && !example_weights_.empty()) throw InputFault("example_weights: expected none for sentences that are not in memory");
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
}

StochasticTrainer::StochasticTrainer(const std::shared_ptr<const TrainingSet>& set, bool chain, const StepOptions& options,
                                     std::vector<float> example_weights, size_t models)
    : Trainer(set, chain, std::move(example_weights)), options_(options), step_(options.step), random_(options.seed) {
    if (options_.batch == 0) throw InputFault("batch: expected at least 1 sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->weights().sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch * models, 1024)));
}

double StochasticTrainer::epoch(InterruptCheck interrupt) {
    if (step_ <= 0) choose_step(interrupt);
    if (step_ <= 0) return kDiverged;
    return train(interrupt) / static_cast<double>(set_->weights().sentence_count());
}

double StochasticTrainer::train(InterruptCheck interrupt) {
    if (set_->stream()) throw InputFault("this trainer needs all sentences in memory");
    return pass(random_.permutation(set_->sentence_count()), kDiverged, interrupt);
}

}  // namespace tagpool
