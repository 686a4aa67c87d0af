// Trainer: the interface of the trainers that learn in epochs: Sgd, Perceptron, Fobos, Elitist. One class and one file each.
//
// To add a trainer: write a class that fulfils the concept, and bind it with bind_trainer (bindings/trainers.cpp). The trainers that see all
// sentences at once, L-BFGS and OWL-QN, have the signature Minimise (minimiser.hpp) and run on an Objective.
#pragma once
#include <concepts>
#include <cstddef>
#include <vector>

#include "base/interrupt_check.hpp"

namespace tagpool {

template <class T>
concept Trainer = requires(T trainer, const typename T::Number* parameters, InterruptCheck interrupt) {
    // Number of parameters, in the order of TrainingSet::places().
    { trainer.parameter_count() } -> std::same_as<size_t>;
    // Restarts from these parameters.
    trainer.start_from(parameters);
    // Trains on all sentences in a new order; returns the mean loss, or the number of errors. An exception from `interrupt` ends the epoch between
    // two steps.
    { trainer.epoch(interrupt) } -> std::convertible_to<double>;
    // The result so far.
    { trainer.parameters() } -> std::same_as<std::vector<typename T::Number>>;
};

}  // namespace tagpool
