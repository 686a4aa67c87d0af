// One sentence in log space: slow, and exact whatever the scores. The kernels fall back on it where probabilities underflow.
#pragma once
#include <cstddef>

#include "dataset/training_set.hpp"

namespace tagpool {

// Adds `weight` times the gradient of -log p(gold | x), and returns the loss. `scores` are node scores, divided already, a [T][stride] matrix;
// `weights` are still to be divided by `divisor`. `triple_gradients` has one number for each visit of Arcs::each_triple.
template <class T>
double log_space_sentence(const TrainingSet& set, const T* weights, double divisor, size_t begin, size_t length, T weight, const T* scores,
                          T* node_gradients, T* edge_gradients, T* triple_gradients);

}  // namespace tagpool
