// L2Sgd: CRFsuite's stochastic gradient descent with an L2 penalty, whose steps decrease with 1/t (Pegasos).
#pragma once
#include <cstddef>
#include <limits>
#include <vector>

#include "crfsuite/online_trainer.hpp"

namespace tagpool {

class L2Sgd : public OnlineTrainer {
public:
    L2Sgd(const CrfsuiteData& data, double c2) : OnlineTrainer(data), lambda_(2 * c2 / static_cast<double>(order_.size())), best_(weights_.size()) {}

    // Calibration: choose an order of the sentences, then compute losses of the first `samples` of them with weights of 0, and after
    // one pass that begins with the step `eta`. A loss that is not finite shows an overflow.
    void begin_calibration() { shuffle(); }
    double initial_loss(size_t samples, InterruptCheck interrupt);
    double try_step(double eta, size_t samples, InterruptCheck interrupt);

    // Restarts from weights of 0 with the first step `eta`.
    void start(double eta);
    double epoch(InterruptCheck interrupt) override;
    // Returns to the weights of the epoch with the least loss.
    void restore_best() { weights_ = best_; }
    double step() const { return step_; }             // of the last sentence
    double update_count() const { return updates_; }  // since start()

private:
    double pass(size_t count, InterruptCheck& interrupt);

    double lambda_, offset_ = 0;  // the step of update t is 1 / (lambda_ * (offset_ + t))
    double updates_ = 0, step_ = 0;
    double best_loss_ = std::numeric_limits<double>::max();
    std::vector<double> best_;
};

}  // namespace tagpool
