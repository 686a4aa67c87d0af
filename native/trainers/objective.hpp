// Objective: the summed negative log-likelihood of a training set with an l2 penalty, and its gradient, over free parameters.
//     f(w) = sum_i c_i * -log p(y_i | x_i) + l2/2 * |w|^2
#pragma once
#include <memory>
#include <vector>

#include "base/fault.hpp"
#include "dataset/free_weights.hpp"
#include "trainers/minimiser.hpp"
#include "trainers/part_gradients.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

class Objective final : public Trainer {
public:
    Objective(const std::shared_ptr<const TrainingSet>& set, bool chain, double l2, std::vector<float> example_weights, unsigned threads);
    // An objective of parts that are computed elsewhere; `set` needs no sentences.
    Objective(const std::shared_ptr<const TrainingSet>& set, bool chain, double l2, SumParts sum_parts);

    // Returns the value and writes the gradient. The result does not depend on the number of threads.
    double operator()(const double* parameters, double* gradient);

    // Minimises from the current point: by OWL-QN with l1, else by L-BFGS. An exception from `interrupt` ends it between two evaluations.
    // Continues from the state of an iteration if there is one.
    LbfgsResult minimise(LbfgsOptions options, InterruptCheck interrupt, const Report& report, StateReader* state = nullptr);
    // State after an iteration; only during its report.
    std::string state() const;
    // Sets the point to these parameters (null: zero).
    template <class Number>
    void start_from(const Number* parameters);
    // Calls visit(i, parameter) for all parameters at the current point. Throws InputFault before the first start_from.
    template <class Visit>
    void each_parameter(Visit&& visit);
    std::vector<double> parameters();

private:
    // The same over the free weights in the order of memory, where twins are one.
    double evaluate(const double* weights, double* gradient);
    double evaluate_loss();
    double evaluate_here();
    void add_elsewhere(size_t part, const PartSum& sum);
    double scale(size_t i) const { return scales_.empty() ? 1.0 : static_cast<double>(scales_[i]); }
    size_t wave() const;
    void add_copies(size_t copies);
    double finish(const double* weights, double* gradient);

    FreeWeights free_;
    SumParts sum_parts_;  // empty: the parts are in the training set
    double l2_;
    unsigned threads_;
    const std::function<std::string()>* write_state_ = nullptr;  // during a report
    AlignedVector<double> point_;                                // of a minimiser, by free weight
    AlignedVector<double> weights_, gradient_;                   // by place
    std::vector<float> scales_;                                  // of free weights with twins_by_weight; else empty
    AlignedVector<double> copies_;                               // of shared gradients; that of the first part is gradient_ itself
    AlignedVector<double> edge_gradients_, losses_;              // by part
    EdgeTable<double> edges_;
    std::vector<ChainScratch<double>> scratch_;
};

template <class Number>
void Objective::start_from(const Number* parameters) {
    point_.assign(free_.size(), 0.0);
    if (!parameters) return;
    layout().each([&](size_t i, size_t place, float factor) { weights_[place] = static_cast<double>(factor) * static_cast<double>(parameters[i]); });
    free_.each(0, free_.size(), [&](size_t i, size_t place) { point_[i] = weights_[place]; });
}

template <class Visit>
void Objective::each_parameter(Visit&& visit) {
    if (point_.size() != free_.size()) throw InputFault("the objective has no point; call minimise first");
    free_.each(0, free_.size(), [&](size_t i, size_t place) { weights_[place] = point_[i]; });
    layout().each([&](size_t i, size_t place, float factor) { visit(i, weights_[place] / static_cast<double>(factor)); });
}

}  // namespace tagpool
