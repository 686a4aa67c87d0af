// Base classes of the trainers, which have one class and one file each:
//     Trainer            a training set with weighted examples, and its parameters: Objective (L-BFGS, OWL-QN), Perceptron
//     StochasticTrainer  epochs of mini-batches: Sgd
//     ProximalTrainer    (proximal_trainer.hpp) gradient steps of a calibrated size, then proximal steps of a penalty: Fobos, Elitist
//
// Every trainer has parameter_count() and start_from(parameters). Trainers in epochs also have epoch(interrupt), which returns the mean loss or
// the number of errors, and parameters(), the result so far, and visit_state(state) for
// checkpoints; bindings/trainers.cpp binds them with bind_trainer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/interrupt_check.hpp"
#include "base/random.hpp"
#include "base/state.hpp"
#include "dataset/training_set.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {

class Trainer {
public:
    Trainer(const Trainer&) = delete;
    size_t parameter_count() const { return layout().size(); }

protected:
    // `example_weights` has one number for each sentence of a chain, else for each token; empty: all are 1.
    Trainer(const std::shared_ptr<const TrainingSet>& set, bool chain, std::vector<float> example_weights);
    ~Trainer() = default;

    ParameterLayout layout() const { return set_->layout(chain_); }
    Examples examples() const { return {*set_, chain_, example_weights_.empty() ? nullptr : example_weights_.data()}; }

    const std::shared_ptr<const TrainingSet> set_;
    const bool chain_;
    const std::vector<float> example_weights_;
};

struct StepOptions {
    double step = 0;  // eta_0; 0: chosen by the trainer
    uint64_t seed = 1;
    size_t batch = 8;      // sentences in a step
    unsigned threads = 1;  // the result does not depend on it
};

class StochasticTrainer : public Trainer {
public:
    // Trains on all sentences in a new order; returns the mean loss before each step, or infinity as soon as training diverges. An exception
    // from `interrupt` ends the epoch between two steps.
    double epoch(InterruptCheck interrupt);
    // First step size; 0 before it is chosen, or if no step has a finite loss.
    double step() const { return step_; }

    // Writes or reads the state between two epochs (state.hpp).
    template <class State>
    void visit_state(State& state) {
        state.number("step", step_);
        state.random(random_);
    }

protected:
    static constexpr double kDiverged = std::numeric_limits<double>::infinity();
    using Order = std::vector<uint32_t>;  // sentences

    // At most one thread works on a sentence under one of `models`.
    StochasticTrainer(const std::shared_ptr<const TrainingSet>& set, bool chain, const StepOptions& options, std::vector<float> example_weights,
                      size_t models = 1);
    virtual ~StochasticTrainer() = default;

    // Trains once on these sentences; returns the summed loss, or infinity as soon as it exceeds `bound` or is not a number.
    virtual double pass(const Order& order, double bound, InterruptCheck interrupt) = 0;
    // Trains on all sentences in a new order; returns the summed loss.
    virtual double train(InterruptCheck interrupt);
    // Sets step_, unless no step has a finite loss.
    virtual void choose_step(InterruptCheck interrupt) = 0;

    StepOptions options_;
    double step_;
    Random random_;
};

}  // namespace tagpool
