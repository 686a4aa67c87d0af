// The kernels of stochastic training, in parts so that threads can share a batch: what weights say of a sentence, what the sentence
// asks of them, and going there. Chosen together with the others (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"

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

// Where steps go: PairedWeights, by -step times a gradient; their seconds, if `both`, by second times it; the free weights only
// (RowMasks; null: all are free).
template <class T>
struct PairedTarget {
    T* data;
    const uint8_t* masks;
    T step, second;
    bool both;
};

template <class T>
struct StepKernels {
    void (*make_edges)(const TrainingSet& set, const WeightView<T>& weights, EdgeTable<T>& edges);

    // What a shard's weights add to the node scores of a sentence: length rows of stride. `ahead` numbers of every row are fetched early.
    void (*score_shard)(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, const Shards::List& rows, const Shards::List& singles,
                        size_t length, T* part);

    // The gradient of one sentence's loss: node gradients (length x stride) and edge gradients (but of triples) are written anew;
    // those of triples are left in the scratch. Returns the loss. `parts` are what score_shard wrote for each shard; where they are null the
    // sentence is scored here.
    double (*differentiate)(const TrainingSet& set, const WeightView<T>& weights, const T* const* parts, size_t sentence, bool chain,
                            const float* example_weights, const EdgeTable<T>& edges, T* nodes, T* edge_gradients, ChainScratch<T>& scratch);

    // Which tokens move anything at all; the gradients of the others become zero.
    void (*find_moves)(const TrainingSet& set, T* nodes, size_t length, uint8_t* moves);
    // Moves a shard's weights by the node gradients of a sentence.
    void (*descend)(const TrainingSet& set, const PairedTarget<T>& target, const Shards::List& rows, const Shards::List& singles, const T* nodes,
                    const uint8_t* moves);

    // The best labels of tokens [begin, begin + length), a sentence, or without `chain` any tokens: of all sequences into `best`, of those
    // that agree with the known labels into `held`. Of equal scores the smaller label.
    void (*best_labels)(const TrainingSet& set, const WeightView<T>& weights, bool chain, size_t begin, size_t length, int32_t* best,
                        int32_t* held, ChainScratch<T>& scratch);
};

}  // namespace tagpool
