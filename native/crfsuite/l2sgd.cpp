#include "crfsuite/l2sgd.hpp"

#include <algorithm>
#include <cmath>

namespace tagpool {

double L2Sgd::initial_loss(size_t samples, InterruptCheck interrupt) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    double loss = 0;
    for (size_t i = 0; i < samples; ++i) {
        scorer_.set(order_[i], weights_.data(), 1);
        loss -= scorer_.score(scorer_.gold());
        loss += scorer_.sum_paths();
        interrupt.poll();
    }
    return loss;
}

double L2Sgd::try_step(double eta, size_t samples, InterruptCheck interrupt) {
    start(eta);
    return pass(samples, interrupt);
}

void L2Sgd::start(double eta) {
    std::fill(weights_.begin(), weights_.end(), 0.0);
    offset_ = 1 / (lambda_ * eta);
    updates_ = 0;
}

double L2Sgd::epoch(InterruptCheck interrupt) {
    shuffle();
    const double loss = pass(order_.size(), interrupt);
    if (loss < best_loss_) {
        best_loss_ = loss;
        best_ = weights_;
    }
    return loss;
}

// Learns from the first `count` sentences; returns the loss with the penalty, or a loss that is not finite.
double L2Sgd::pass(size_t count, InterruptCheck& interrupt) {
    double loss = 0, sum = 0, decay = 1;
    for (size_t i = 0; i < count; ++i) {
        step_ = 1 / (lambda_ * (offset_ + updates_));
        decay *= 1 - step_ * lambda_;
        const double gain = step_ / decay;
        scorer_.set(order_[i], weights_.data(), decay);
        const double norm = scorer_.sum_paths();
        scorer_.add_expectations(weights_.data(), gain);
        loss = norm - scorer_.score(scorer_.gold());
        sum += loss;
        ++updates_;
        interrupt.poll();
    }
    if (!std::isfinite(loss)) return loss;
    for (double& weight : weights_) weight *= decay;
    return sum + 0.5 * lambda_ * square(weights_) * static_cast<double>(count);
}

}  // namespace tagpool
