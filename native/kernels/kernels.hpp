// The numeric kernels of linear-chain models, compiled for several instruction sets and chosen at run time (docs/kernels.md).
//
// A sentence of T tokens and L labels has node scores S[t, y], the sums of the weights of its features, and
//     p(y | x) = exp( sum_t S[t, y_t] + sum_t A[y_{t-1}, y_t] + start[y_0] + end[y_{T-1}] ) / Z.
// Kernels work in probability space: the scores of each token are shifted by their maximum, and each step of the recursions is scaled to
// sum to one. A sentence that underflows is computed again in log space (chain_log.hpp).
//
// Rows of labels have `stride` numbers, L rounded up to whole vectors. Shapes are written [T][stride].
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"
#include "kernels/model_view.hpp"

namespace tagpool {

// Work space of one thread; grows to the longest sentence.
template <class T>
struct ChainScratch {
    AlignedVector<T> scores, shifted, alpha, beta, weighted, clamped, row, scaled, nodes;
    AlignedVector<T> pairs, factors, triple_gradients, bundle_scores, bundle_gradients;
    AlignedVector<T> cell_sums;  // zero between sentences
    AlignedVector<double> shift;
};

// exp of the edge weights, shifted by their maximum, with the transpose. Computed once for each set of weights.
template <class T>
struct EdgeTable {
    AlignedVector<T> from_to, to_from;  // [L][stride]
    AlignedVector<T> start, end;        // [stride]
    double shift = 0, start_shift = 0, end_shift = 0;
};

// Weights in memory, each in `copies` numbers (1, or 2 for AveragedWeights). A weight is its number times inverse_divisor.
template <class T>
struct WeightView {
    T* data;
    size_t copies;
    T inverse_divisor;

    // edges(set)[set.transitions_begin()] is the first transition.
    const T* edges(const TrainingSet& set) const { return data + (copies - 1) * set.transitions_begin(); }
};

template <class T>
struct GradientKernels {
    void (*make_edges)(const TrainingSet& set, const WeightView<T>& weights, EdgeTable<T>& edges);

    // Returns the loss of a sentence and overwrites `nodes` [T][stride] and `edge_gradients` with its gradient. Gradients of transition
    // features stay in the scratch. `parts` has the node scores of each shard; null: they are computed here.
    double (*differentiate)(const TrainingSet& set, const WeightView<T>& weights, const T* const* parts, size_t sentence, bool chain,
                            const float* example_weights, const EdgeTable<T>& edges, T* nodes, T* edge_gradients, ChainScratch<T>& scratch);
};

struct ObjectiveKernels {
    // Returns the loss -log p(gold | x) of the sentences of one part and adds its gradient: of shared features to `shared`, of the others
    // to `own` (both by place), of edges to `edge_gradients`. Tokens without a gold label are summed out. Without `chain` tokens are
    // independent (MaxEnt). `example_weights` has one number for each sentence of a chain, else for each token; null: all are 1.
    double (*add_gradient)(const TrainingSet& set, const double* weights, const EdgeTable<double>& edges, bool chain, const float* example_weights,
                           size_t part, double* shared, double* own, double* edge_gradients, ChainScratch<double>& scratch);
};

// AveragedWeights to update: weights by -step times the gradient and, with `both`, their second numbers by second times it. Only free weights
// move (RowMasks; null: all are free).
struct StepTarget {
    float* data;
    const uint8_t* masks;
    float step, second;
    bool both;
};

struct SgdKernels {
    // Writes the node scores [T][stride] that a shard adds to a sentence. Prefetches `ahead` numbers of every row.
    void (*score_shard)(const TrainingSet& set, const WeightView<float>& weights, size_t ahead, const Shards::List& rows,
                        const Shards::List& singles, size_t length, float* part);
    // Marks the tokens whose gradient is not negligible; sets the gradients of the others to zero.
    void (*find_moves)(const TrainingSet& set, float* nodes, size_t length, uint8_t* moves);
    // Updates the weights of a shard by the node gradients of a sentence.
    void (*descend)(const TrainingSet& set, const StepTarget& target, const Shards::List& rows, const Shards::List& singles, const float* nodes,
                    const uint8_t* moves);
};

// Viterbi. Ties go to the smaller label.
struct TaggingKernels {
    // The best labels of tokens [begin, begin + length), a sentence (without `chain`: any tokens): of all sequences into `best`, of those
    // that agree with the known labels into `held`.
    void (*best_labels)(const TrainingSet& set, const WeightView<float>& weights, bool chain, size_t begin, size_t length, int32_t* best,
                        int32_t* held, ChainScratch<float>& scratch);
    // Node scores of tokens [first, last), a [T][stride] matrix.
    void (*score)(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t first, size_t last, float* scores);
    // The best label sequences of sentences [first, last). `history` has the transition features; it may be null.
    void (*tag)(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t first, size_t last,
                int32_t* out, TagScratch& scratch);
};

constexpr size_t kMostAcross = 32;  // weights of a group that lies across arrays

// Postponed proximal steps of groups of `size` weights that lie across arrays (trainers/penalty.hpp).
struct AcrossSteps {
    size_t size;
    double threshold;       // l1: the sum of all thresholds
    const double* factors;  // elitist, else null: the first threshold is the sum of the k chosen weights times factors[k - 1]
    bool exact;
    const double* shares;   // part of their sum that each of k nonzero weights loses in the later steps; null: there are no later steps
    const double* moves;    // gradient steps of the members, taken first
    const double* alpha;
};

struct ElitistKernels {
    // Catches up groups [0, count), where members[m][i] is weight m of group i and `pooled` holds a gradient:
    //     members[m] -= moves[m] * pooled,  the steps,  pooled = sum_m alpha[m] * members[m].
    // Where a later step would zero a weight, only the first step is done: `rest` gets the numbers of these groups. Returns their count.
    size_t (*catch_up)(const AcrossSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* rest);
    // pooled = sum_m alpha[m] * members[m].
    void (*mix)(const double* alpha, double* const* members, size_t size, size_t count, double* pooled);
    // Adds <gradient, members[m]> to slopes[m].
    void (*add_slopes)(double* const* members, size_t size, size_t count, const double* gradient, double* slopes);
    // Adds `by` times the node gradients of a sentence to the free weights (RowMasks; null: all are free).
    void (*add_nodes)(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights);
};

struct Kernels {
    const char* name;
    GradientKernels<float> floats;
    GradientKernels<double> doubles;
    ObjectiveKernels objective;
    SgdKernels sgd;
    TaggingKernels tagging;
    ElitistKernels elitist;
};

// The kernels for this processor.
const Kernels& kernels();

}  // namespace tagpool
