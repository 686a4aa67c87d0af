// The numeric kernels of linear-chain models, compiled for several instruction sets and chosen when the module loads.
//
// A sentence of T tokens and L labels has node scores S[t, y] = sum of the weights of its features, and
//     p(y | x) = exp( sum_t S[t, y_t] + sum_t A[y_{t-1}, y_t] + start[y_0] + end[y_{T-1}] ) / Z.
// Everything runs in probability space, each token's scores shifted by their maximum and each step of the recursions scaled to
// sum to one; a sentence that underflows all the same is done again in log space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "kernels/elitist.hpp"
#include "kernels/step.hpp"
#include "kernels/model_view.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

// Work space of one thread; grows to the longest sentence met.
template <class T>
struct ChainScratch {
    AlignedVector<T> scores, shifted, alpha, beta, weighted, clamped, row, scaled, nodes;
    AlignedVector<T> pairs, factors, triple_gradients, bundle_scores, bundle_gradients;
    AlignedVector<T> cell_sums;  // zero between sentences
    AlignedVector<double> shift;
};

// exp of the edge weights, shifted by their maximum, with the transpose beside it. Computed once per set of weights.
template <class T>
struct EdgeTable {
    AlignedVector<T> from_to, to_from, start, end;  // start and end: exp, shifted
    double shift = 0, start_shift = 0, end_shift = 0;
};

template <class T>
struct Kernels {
    const char* name;

    void (*make_edges)(const TrainingSet& set, const T* weights, EdgeTable<T>& edges);

    // For the sentences of one part: returns the loss -log p(gold | x), and adds its gradients: of shared features to `shared`, of the
    // others to `own` (both by place), of edges to `edge_gradients`. Tokens whose gold is unknown
    // are summed out. Without `chain` every token stands alone (MaxEnt): no transitions, no start, no end. `example_weights` may be null;
    // they are one a sentence in chains, one a token without.
    double (*add_gradient)(const TrainingSet& set, const T* weights, const EdgeTable<T>& edges, bool chain, const float* example_weights,
                           size_t part, T* shared, T* own, T* edge_gradients, ChainScratch<T>& scratch);

    StepKernels<T> step;

    // Tagging: the node scores of tokens [first, last), `stride` numbers each, and the best label sequences of sentences [first, last). Of
    // equal scores the smaller label.
    void (*score)(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t first, size_t last, float* scores);
    // `history` are the features of transitions; it may be null.
    void (*tag)(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t first, size_t last,
                int32_t* out, TagScratch& scratch);

    PoolKernels pool;
};

template <class T>
const Kernels<T>& kernels();

}  // namespace tagpool
