#include "sgd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fault.hpp"

namespace tagpool {

Sgd::Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), options_(options), example_weights_(std::move(example_weights)),
      shrink_(options.l2 / static_cast<double>(set_->sentence_count())), step_(options.step), random_(options.seed) {
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "expected one weight a sentence" : "expected one weight a token");
    weights_.assign(set_->weight_count(), 0);
    edge_gradients_.assign((size_t{set_->labels()} + 2) * set_->stride(), 0);
}

void Sgd::start_from(const std::vector<float>& parameters) {
    for (size_t i = 0; i < parameters.size(); ++i) weights_[set_->places()[i]] = parameters[i];
}

double Sgd::pass(const std::vector<uint32_t>& order, bool average) {
    const Kernels<float>& run = kernels<float>();
    double loss = 0;
    for (uint32_t sentence : order) {
        if (divisor_ > 1e5 || average_divisor_ > 1e5) settle();
        const double eta = step_ / std::pow(1 + step_ * shrink_ * static_cast<double>(steps_++), 0.75);
        const double before = divisor_;
        divisor_ /= 1 - eta * shrink_;
        const double step = eta * divisor_;
        loss += run.descend(*set_, sentence, weights_.data(), static_cast<float>(before), chain_, example_weights(), static_cast<float>(step),
                            average && averaged_steps_ > 0 ? averages_.data() : nullptr, static_cast<float>(-fraction_ * step), edges_,
                            scratch_, edge_gradients_.data());
        if (!average) continue;
        // The average of n points moves by 1/n towards the next one.
        const double share = 1.0 / static_cast<double>(++averaged_steps_);
        if (share >= 1) {
            averages_.assign(weights_.size(), 0);
            average_divisor_ = divisor_;
            fraction_ = 1;
        } else {
            average_divisor_ /= 1 - share;
            fraction_ += share * average_divisor_ / divisor_;
        }
    }
    return loss / static_cast<double>(order.size());
}

// Folds the factors into the numbers before they grow too large for single precision.
void Sgd::settle() {
    const auto scale = static_cast<float>(1 / divisor_);
    if (averaged_steps_ > 0) {
        const auto own = static_cast<float>(1 / average_divisor_), other = static_cast<float>(fraction_ / average_divisor_);
        for (size_t i = 0; i < weights_.size(); ++i) averages_[i] = own * averages_[i] + other * weights_[i];
        average_divisor_ = 1;
        fraction_ = 0;
    }
    for (float& weight : weights_) weight *= scale;
    divisor_ = 1;
}

// The step that brings a sample's objective down furthest in one pass; they are tried by factors of two.
void Sgd::calibrate() {
    std::vector<uint32_t> sample(set_->sentence_count());
    std::iota(sample.begin(), sample.end(), 0u);
    Random random(options_.seed);
    random.shuffle(sample);
    sample.resize(std::min<size_t>(sample.size(), 1000));
    const std::vector<float> start = weights_;
    const auto reached = [&](double step) {
        step_ = step;
        pass(sample, false);
        settle();
        const double value = objective_of(sample);
        weights_ = start;
        steps_ = 0;
        return std::isfinite(value) ? value : INFINITY;
    };
    double best = 0.1, best_value = reached(best);
    for (const double factor : {2.0, 0.5}) {
        for (double step = best * factor; step > 1e-6 && step < 1e3; step *= factor) {
            const double value = reached(step);
            if (!(value < best_value)) break;
            best = step;
            best_value = value;
        }
    }
    step_ = best;
}

double Sgd::objective_of(const std::vector<uint32_t>& sample) {
    const Kernels<float>& run = kernels<float>();
    double loss = 0, squares = 0;
    // A step of length zero only looks.
    for (uint32_t sentence : sample)
        loss += run.descend(*set_, sentence, weights_.data(), 1.0f, chain_, example_weights(), 0.0f,
                            nullptr, 0.0f, edges_, scratch_, edge_gradients_.data());
    for (float weight : weights_) squares += static_cast<double>(weight) * static_cast<double>(weight);
    return loss / static_cast<double>(sample.size()) + 0.5 * shrink_ * squares;
}

double Sgd::epoch() {
    if (step_ <= 0) calibrate();
    std::vector<uint32_t> order(set_->sentence_count());
    std::iota(order.begin(), order.end(), 0u);
    random_.shuffle(order);
    return pass(order, ++epochs_ > options_.average_from);
}

std::vector<float> Sgd::parameters() {
    const size_t count = chain_ ? set_->places().size() : set_->pair_count();
    std::vector<float> out(count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t place = set_->places()[i];
        out[i] = averaged_steps_ > 0 ? static_cast<float>((static_cast<double>(averages_[place]) + fraction_ * static_cast<double>(weights_[place])) / average_divisor_)
                                     : static_cast<float>(static_cast<double>(weights_[place]) / divisor_);
    }
    return out;
}

}  // namespace tagpool
