// Averaged stochastic gradient descent for the same objective (Bottou 2010; Xu 2011), one sentence a step, in single precision.
//
// w_{t+1} = (1 - eta_t l) w_t - eta_t grad_i(w_t),   eta_t = eta_0 / (1 + eta_0 l t)^0.75,   l = l2 / sentences.
// Shrinking touches no weight: w = weights / divisor. Neither does averaging: the average is (averages + fraction * weights) /
// average_divisor, and a step adds to `averages` only where it adds to `weights`.
#pragma once
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "random.hpp"
#include "training_set.hpp"

namespace tagpool {

struct SgdOptions {
    double l2 = 1;
    double step = 0;           // eta_0; 0: calibrated
    size_t average_from = 1;   // epochs before averaging begins
    uint64_t seed = 1;
};

class Sgd {
public:
    Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights);

    // Starts from these parameters instead of zero.
    void start_from(const std::vector<float>& parameters);
    // One pass over the sentences in a new order; returns the mean loss met on the way (before each step).
    double epoch();
    // The averaged parameters (the plain ones before averaging has begun).
    std::vector<float> parameters();
    double step() const { return step_; }

private:
    const float* example_weights() const { return example_weights_.empty() ? nullptr : example_weights_.data(); }
    double pass(const std::vector<uint32_t>& order, bool average);
    void calibrate();
    void settle();
    double objective_of(const std::vector<uint32_t>& sample);

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    SgdOptions options_;
    std::vector<float> example_weights_;
    double shrink_, step_;
    Random random_;
    std::vector<float> weights_, averages_, edge_gradients_;
    double divisor_ = 1, average_divisor_ = 1, fraction_ = 0;
    size_t epochs_ = 0, steps_ = 0, averaged_steps_ = 0;
    EdgeTable<float> edges_;
    ChainScratch<float> scratch_;
};

}  // namespace tagpool
