// The numeric kernels of linear-chain models, compiled for several instruction sets and chosen at run time (docs/project/kernels.md).
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
    AlignedVector<T> bigrams, factors, cell_gradients, bundle_scores, bundle_gradients;
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

// Weights in memory, one or (AveragedWeights) two numbers per weight: `copies`. A weight is its number times inverse_divisor.
template <class T>
struct WeightView {
    const T* data;
    size_t copies;
    T inverse_divisor;

    // edges(set)[set.transitions_begin()] is the first transition.
    const T* edges(const TrainingSet& set) const { return data + (copies - 1) * set.transitions_begin(); }
};

// Examples of a training set: sentences of a chain, or independent tokens (MaxEnt).
struct Examples {
    const TrainingSet& set;
    bool chain;
    const float* weights;  // one for each sentence of a chain, else for each token; null: all are 1

    size_t begin(size_t sentence) const { return set.sentences_[sentence]; }
    size_t length(size_t sentence) const { return set.sentences_[sentence + 1] - set.sentences_[sentence]; }
    template <class T>
    T weight_of_sentence(size_t sentence) const {
        return chain && weights ? static_cast<T>(weights[sentence]) : T{1};
    }
};

// A sentence of a chain, and the memory to which its gradient is added.
template <class T>
struct SentenceGradient {
    size_t begin, length;  // tokens
    T weight;              // of the example
    T* nodes;              // [T][stride]
    T* edges;              // transitions [L][stride], start and end [stride]
};

template <class T>
struct GradientKernels {
    void (*make_edges)(const TrainingSet& set, const WeightView<T>& weights, EdgeTable<T>& edges);

    // Returns the loss of a sentence and overwrites `nodes` [T][stride] and `edge_gradients` with its gradient. Gradients of transition
    // features stay in the scratch. `parts` has the node scores of each shard; null: they are computed here.
    double (*differentiate)(const Examples& examples, const WeightView<T>& weights, const T* const* parts, size_t sentence, const EdgeTable<T>& edges,
                            T* nodes, T* edge_gradients, ChainScratch<T>& scratch);
};

// Gradient of a part of the sentences, by place: of features that are shared with other parts, of the others, and of edges; and the loss of
// earlier sentences of the part.
struct PartGradient {
    double* shared;
    double* unshared;
    double* edges;
    double loss = 0;
};

struct ObjectiveKernels {
    // Adds the gradient of the loss -log p(gold | x) of the sentences of one part; returns the sum of their losses and the earlier one. Tokens
    // without a gold label are summed out.
    double (*add_gradient)(const Examples& examples, const double* weights, const EdgeTable<double>& edges, size_t part, const PartGradient& gradient,
                           ChainScratch<double>& scratch);
};

// State of AdaGrad (trainers/adaptive_steps.hpp) for a row or a single weight.
struct StepState {
    float squares;  // 1 + sum of squared gradients
    float share;    // 1 / number of occurrences
};

// The gradient of a token's scores: its squared norm, and the number of occurrences that it stands for (0: the token is left out).
struct TokenGradient {
    float square = 0, times = 0;
};

// Rows whose gradient is summed over the batch before their step: rows [0, count).
struct SummedRows {
    uint32_t count;
    float* sums;                     // [count][stride]; zero between batches
    float* times;                    // occurrences in the batch, by row
    std::vector<uint32_t>* present;  // rows with occurrences
};

// AveragedWeights to update: weights by -step / sqrt(squares) times the gradient and, with `both`, their second numbers by -fraction times the
// change. Only free weights move (RowMasks; null: all are free).
//
// The common divisor of all weights shrinks them for the penalty l2 at the rate eta. Weights with smaller steps shrink too much: each
// occurrence of their feature restores its share of the difference.
struct StepTarget {
    float* data;
    const uint8_t* masks;
    float shrinkage;  // eta * l2
    float step, fraction;
    bool both;
    StepState* rows = nullptr;     // by row
    StepState* singles = nullptr;  // by place
    SummedRows summed = {};
};

struct SgdKernels {
    // Writes the node scores [T][stride] that a shard adds to a sentence. Prefetches `ahead` numbers of every row.
    void (*score_shard)(const TrainingSet& set, const WeightView<float>& weights, size_t ahead, const Shards::List& rows, const Shards::List& singles,
                        size_t length, float* part);
    // Writes the squared norms of the gradients of tokens, each for one occurrence; sets negligible gradients to zero.
    void (*square_norms)(const TrainingSet& set, float* nodes, size_t length, TokenGradient* tokens);
    // Updates the weights of a shard by the node gradients of a sentence, or adds to the sums.
    void (*apply_gradient)(const TrainingSet& set, const StepTarget& target, const Shards::List& rows, const Shards::List& singles,
                           const float* nodes, const TokenGradient* tokens);
    // Updates the rows of a shard with summed gradients, and clears the sums.
    void (*apply_sums)(const TrainingSet& set, const StepTarget& target);
};

// Viterbi. Ties go to the smaller label.
struct TaggingKernels {
    // The best labels of tokens [begin, begin + length), a sentence (without `chain`: any tokens): of all sequences into `best`, of those
    // that agree with the known labels into `constrained`.
    void (*best_labels)(const TrainingSet& set, const WeightView<float>& weights, bool chain, size_t begin, size_t length, int32_t* best,
                        int32_t* constrained, ChainScratch<float>& scratch);
    // Node scores of tokens [first, last), a [T][stride] matrix.
    void (*score)(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t first, size_t last, float* scores);
    // The best label sequences of sentences [first, last). `history` has the transition features; it may be null.
    void (*tag)(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t first, size_t last,
                int32_t* out, TagScratch& scratch);
};

constexpr size_t kMaxExperts = 32;

// Missed proximal steps of groups that have one weight of each expert (trainers/penalty.hpp).
struct ExpertSteps {
    size_t size;            // number of experts
    double threshold;       // l1: the sum of all thresholds
    const double* factors;  // elitist, else null: the first threshold is the sum of the k chosen weights times factors[k - 1]
    bool exact;
    const double* shares;      // part of their sum that each of k nonzero weights loses in the later steps; null: there are no later steps
    const double* step_sizes;  // of the pending gradient, which is applied first, by expert
    const double* alpha;
};

struct ElitistKernels {
    // Updates groups [0, count), where members[m][i] is weight m of group i and `pooled` holds a gradient:
    //     members[m] -= step_sizes[m] * pooled,  the steps,  pooled = sum_m alpha[m] * members[m].
    // Where a later step would zero a weight, only the first step is done. `unfinished` gets the numbers of these groups; returns their count.
    size_t (*apply_missed_steps)(const ExpertSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* unfinished);
    // pooled = sum_m alpha[m] * members[m].
    void (*mix)(const double* alpha, double* const* members, size_t size, size_t count, double* pooled);
    // Adds <gradient, members[m]> to slopes[m].
    void (*add_slopes)(double* const* members, size_t size, size_t count, const double* gradient, double* slopes);
    // Adds `by` times the node gradients of a sentence to the free weights (RowMasks; null: all are free).
    void (*add_nodes)(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights);
};

struct Kernels {
    const char* name;
    uint32_t double_row_unit;  // TrainingOptions::row_unit of sets for the objective only
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
