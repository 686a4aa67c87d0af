// One sentence in log space: slow, and exact whatever the scores. The kernels fall back on it where probabilities underflow.
#pragma once
#include "kernels/kernels.hpp"

namespace tagpool {

// Adds the weighted gradient of -log p(gold | x), and returns the loss. The scratch has the node scores; the gradients of transition cells are
// added to those in the scratch, one number for each visit of TransitionFeatures::each_cell.
template <class T>
double log_space_sentence(const TrainingSet& set, const WeightView<T>& weights, const SentenceGradient<T>& sentence, ChainScratch<T>& scratch);

}  // namespace tagpool
