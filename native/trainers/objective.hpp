// Objective: the summed negative log-likelihood of a training set with an l2 penalty, and its gradient, over free parameters.
//     f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2
#pragma once
#include <memory>
#include <vector>

#include "base/interrupt_check.hpp"
#include "dataset/free_weights.hpp"
#include "kernels/kernels.hpp"
#include "dataset/training_set.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {

class Objective {
public:
    // Without `chain` tokens are independent (MaxEnt). `example_weights` has one number for each sentence of a chain, else for each token; empty:
    // all are 1.
    Objective(std::shared_ptr<const TrainingSet> set, bool chain, double l2, std::vector<float> example_weights, unsigned threads);

    // Parameters: cells (feature, label), and with `chain` the free transitions, start, end and triples.
    size_t parameter_count() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    unsigned threads() const { return threads_; }

    // Returns the value and writes the gradient. The result does not depend on the number of threads.
    double operator()(const double* parameters, double* gradient);

    // The same for minimisers: memory_size() numbers in the order of memory, where twins are one.
    size_t memory_size() const { return free_.size(); }
    double evaluate(const double* weights, double* gradient);
    // Minimises from the current point: by OWL-QN with l1, else by L-BFGS. An exception from `interrupt` ends it between two evaluations.
    LbfgsResult minimise(LbfgsOptions options, InterruptCheck interrupt, const Report& report);
    // The current point of a minimiser.
    AlignedVector<double>& point() { return point_; }
    // Sets the point to these parameters (null: zero).
    template <class Number>
    void start_from(const Number* parameters);
    // Calls visit(i, parameter) for all parameters at the point.
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
    std::vector<float> scales_;                           // of free weights with twins_by_weight; else empty
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
