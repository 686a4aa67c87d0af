// Objective: the summed negative log-likelihood of a training set with an l2 penalty, and its gradient, over free parameters.
//     f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2
#pragma once
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "training_set.hpp"

namespace tagpool {

class Objective {
public:
    // With `chain` false, tokens stand alone (MaxEnt). `example_weights` is empty (all 1), or one a sentence in chains, one a token without.
    Objective(std::shared_ptr<const TrainingSet> set, bool chain, double l2, std::vector<float> example_weights, unsigned threads);

    // Parameters: pairs (feature, label), and with `chain` transitions, start and end.
    size_t parameter_count() const { return count_; }

    // The value; the gradient is written beside it. The same whatever the number of threads.
    double operator()(const double* parameters, double* gradient);

private:
    static constexpr size_t kShards = 64;

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    double l2_;
    std::vector<float> example_weights_;
    unsigned threads_;
    size_t count_;
    std::vector<double> weights_, gradient_, node_gradients_, edge_gradients_, losses_;
    EdgeTable<double> edges_;
    std::vector<ChainScratch<double>> scratch_;
};

}  // namespace tagpool
