// Objective: the summed negative log-likelihood of a training set with an l2 penalty, and its gradient, over free parameters.
//     f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2
#pragma once
#include <memory>
#include <vector>

#include "dataset/free_weights.hpp"
#include "kernels/kernels.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class Objective {
public:
    // With `chain` false, tokens stand alone (MaxEnt). `example_weights` is empty (all 1), or one a sentence in chains, one a token without.
    Objective(std::shared_ptr<const TrainingSet> set, bool chain, double l2, std::vector<float> example_weights, unsigned threads);

    // Parameters: pairs (feature, label), and with `chain` the free ones of transitions, start and end.
    size_t parameter_count() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    unsigned threads() const { return threads_; }

    // The value; the gradient is written beside it. The same whatever the number of threads.
    double operator()(const double* parameters, double* gradient);

    // The same for parameters and gradient in the order of memory, as minimisers have them: memory_size() numbers, twins but once.
    size_t memory_size() const { return free_.size(); }
    double evaluate(const double* weights, double* gradient);
    // Where a minimiser stands.
    AlignedVector<double>& point() { return point_; }
    // Puts it at these parameters (null: at zero).
    template <class Number>
    void start_from(const Number* parameters);
    // Calls visit(i, parameter) for all parameters there.
    template <class Visit>
    void each_here(Visit&& visit);

private:
    double evaluate_loss();
    double scale(size_t i) const { return scales_.empty() ? 1.0 : static_cast<double>(scales_[i]); }
    void add_copies();
    double finish(const double* weights, double* gradient);

    std::shared_ptr<const TrainingSet> set_;
    FreeWeights free_;
    bool chain_;
    double l2_;
    std::vector<float> example_weights_;
    unsigned threads_;
    AlignedVector<double> point_;
    AlignedVector<double> weights_, gradient_;            // by place
    std::vector<float> scales_;                           // of free weights, where twins have no values (twins_by_weight); else empty
    AlignedVector<double> copies_, edge_gradients_, losses_; // by part; the first part's copy of shared gradients is gradient_ itself
    EdgeTable<double> edges_;
    std::vector<ChainScratch<double>> scratch_;
};

template <class Number>
void Objective::start_from(const Number* parameters) {
    point_.assign(free_.size(), 0.0);
    if (!parameters) return;
    set_->places().each(parameter_count(), [&](size_t i, size_t place, float factor) {
        weights_[place] = static_cast<double>(factor) * static_cast<double>(parameters[i]);
    });
    free_.each(0, free_.size(), [&](size_t i, size_t place) { point_[i] = weights_[place]; });
}

template <class Visit>
void Objective::each_here(Visit&& visit) {
    free_.each(0, free_.size(), [&](size_t i, size_t place) { weights_[place] = point_[i]; });
    set_->places().each(parameter_count(), [&](size_t i, size_t place, float factor) { visit(i, weights_[place] / static_cast<double>(factor)); });
}

}  // namespace tagpool
