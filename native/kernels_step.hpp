// The kernels of stochastic training, in three parts so that threads can share a batch: what a sentence asks for, how far to go,
// and going there. Chosen together with the others (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "training_set.hpp"

namespace tagpool {

template <class T>
struct ChainScratch;
template <class T>
struct EdgeTable;

// Weights in memory, each in `copies` numbers (1, or 2 as in PairedWeights); what they stand for is weight * inverse_divisor.
template <class T>
struct WeightView {
    T* data;
    size_t copies;
    T inverse_divisor;

    // Such that edges(set)[set.transitions_begin()] is the first transition.
    const T* edges(const TrainingSet& set) const { return data + (copies - 1) * set.transitions_begin(); }
};

// Where steps go: PairedWeights, their seconds too if `both`, the free weights only (RowMasks; null: all are free).
template <class T>
struct PairedTarget {
    T* data;
    const uint8_t* masks;
    bool both;
};

// An addition that is to be made: `place` is a dense row, or a single weight; `from` a token of the batch, or its number for a label.
struct Addition {
    uint32_t place, from;
};

template <class T>
struct StepKernels {
    void (*make_edges)(const TrainingSet& set, const WeightView<T>& weights, EdgeTable<T>& edges);

    // The gradient of one sentence's loss: node gradients (length x stride) and edge gradients (but of triples) are written anew;
    // those of triples are left in the scratch. Returns the loss. `ahead` numbers of every row are fetched early.
    double (*differentiate)(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, size_t sentence, bool chain,
                            const float* example_weights, const EdgeTable<T>& edges, T* nodes, T* edge_gradients, ChainScratch<T>& scratch);

    // For PairedWeights: steps[t] = (-step * nodes[t], second * nodes[t]), rows of 2 * stride, and whether token t moves anything at all.
    void (*scale)(const TrainingSet& set, const T* nodes, size_t length, T step, T second, T* steps, uint8_t* moves);
    // Adds the steps of a sentence's tokens to PairedWeights.
    void (*add_tokens)(const TrainingSet& set, const PairedTarget<T>& target, size_t sentence, const T* steps, const uint8_t* moves);
    // The same for listed rows and single weights. `values` may be null (all 1).
    void (*add_rows)(const TrainingSet& set, const PairedTarget<T>& target, const Addition* additions, const float* values, size_t count,
                     const T* steps);
    void (*add_singles)(const TrainingSet& set, const PairedTarget<T>& target, const Addition* additions, const float* values, size_t count,
                        const T* steps);

    // The best labels of tokens [begin, begin + length), a sentence, or without `chain` any tokens: of all sequences into `best`, of those
    // that agree with the known labels into `held`. Of equal scores the smaller label.
    void (*best_labels)(const TrainingSet& set, const WeightView<T>& weights, bool chain, size_t begin, size_t length, int32_t* best,
                        int32_t* held, ChainScratch<T>& scratch);
};

}  // namespace tagpool
