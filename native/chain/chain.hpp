// Chain: a linear chain over one sentence, as in a CRF. The score of a label sequence y is
//   Σ_t node_t(y_t) + Σ_{t>0} edge_t(y_{t-1}, y_t) + start(y_0) + end(y_{T-1});  -inf forbids a label or transition.
// Every dynamic program runs from the last token to the first; results are then read from left to right. So all searches break ties
// in the same way, and the backward messages give the transition probabilities of a Markov chain.
// A sentence without tokens has one sequence, the empty one, with score 0.
// T is the number of tokens, L of labels, and P = padded(L).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"

namespace tagpool {

// Edges: edge scores as an [L][L] matrix [from][to], or a [T-1][L][L] array with one matrix per step. Derived matrices are computed
// once, since many sentences may share the edges.
class Edges {
public:
    // Arithmetic for sums over sequences; see messages.cpp.
    enum class Space { steady, checked, logarithmic };

    // `scores` is borrowed; with `vary` it has one matrix per step.
    Edges(const double* scores, size_t labels, bool vary);

    size_t labels, width;  // L and P
    bool vary;
    Space space;
    double shift = 0.0;  // the largest score
    // e^(score - shift) as [L][P] matrices [from][to] and [to][from], padded with 0; empty if the space is logarithmic.
    std::vector<double> weights, transposed_weights;

    // Scores of the step to token t > 0 from one label: an [L] array.
    const double* row(size_t t, size_t from) const { return scores_ + ((vary ? t - 1 : 0) * labels + from) * labels; }
    // Scores of the step to token t as an [L][P] matrix [to][from], padded with -inf. Written to `scratch` (same shape) if edges vary.
    const double* transposed(size_t t, double* scratch) const;

private:
    void transpose(const double* scores, double* out) const;

    const double* scores_;
    std::vector<double> transposed_;
};

struct Chain {
    const Edges* edges;
    const double* nodes;  // a [T][L] matrix
    size_t tokens;
    const double* start = nullptr;  // an [L] array; null: 0
    const double* end = nullptr;    // an [L] array; null: 0

    size_t labels() const { return edges->labels; }
    size_t width() const { return edges->width; }
    double node(size_t t, size_t label) const {
        double score = nodes[t * labels() + label];
        if (t == 0 && start) score += start[label];
        if (t + 1 == tokens && end) score += end[label];
        return score;
    }
    // Writes the node scores of a token to a [P] array, padded with -inf.
    void row(size_t t, double* out) const;
    // Sums from the last token to the first, like every search here, so that the result is equal bit for bit.
    double score(const int32_t* sequence) const;
};

// --- Search (viterbi.cpp, nbest.cpp, at_most_once.cpp) ---

// values[t][i] = node_t(i) + the best score of the labels after label i at token t: a [T][P] matrix. `scratch` is [L + 1][P].
void best_completions(const Chain& chain, double* values, double* scratch);

// Reads the best sequence from the completions; ties go to the lexicographically smallest. Returns its score, or -inf (and writes no
// labels) if no sequence is possible.
double read_best(const Chain& chain, const double* values, int32_t* sequence);

struct ViterbiScratch {
    Buffer<double> values, rows;  // [T][P] and [L + 1][P] matrices
};
double best_sequence(const Chain& chain, ViterbiScratch& scratch, int32_t* sequence);

// Sentences with common edges and boundary scores.
struct ChainBatch {
    const Edges* edges;
    const double* nodes;      // a [tokens][L] matrix
    const uint32_t* offsets;  // a [sentences + 1] array: sentence s is tokens offsets[s]..offsets[s + 1]
    size_t sentences;
    const double* start = nullptr;
    const double* end = nullptr;
};
// The best sequence of each sentence. `labels` is [tokens]; those of a sentence without a possible sequence are -1.
void best_sequences(const ChainBatch& batch, int32_t* labels);

struct Sequences {
    std::vector<int32_t> labels;  // a [count][T] matrix
    std::vector<double> scores;   // a [count] array, falling; ties in lexicographic order
};
Sequences n_best_sequences(const Chain& chain, size_t count);

// AtMostOnce: groups of labels that a sequence may enter once. A token enters the group of its label unless the previous token has a label
// of the same group and continues[previous][label].
struct AtMostOnce {
    std::vector<int32_t> group_of;  // an [L] array; -1: no group
    size_t groups;
    const uint8_t* continues;  // an [L][L] matrix
};
// The best sequence that enters no group twice.
double best_sequence_at_most_once(const Chain& chain, const AtMostOnce& rule, int32_t* sequence);

// --- Sums over sequences (messages.cpp, marginals.cpp, transitions.cpp) ---

// Messages of the backward pass, as probabilities or (if `logarithmic`) their logarithms:
//   ahead_t(i)  = e^node_t(i) · after_t(i), divided by its largest value, whose logarithm is level_t
//   after_t(i)  = Σ_j e^edge(i, j) · ahead_{t+1}(j)
// so that P(y_0 = i) ∝ ahead_0(i) and P(y_{t+1} = j | y_t = i) = e^edge(i, j) · ahead_{t+1}(j) / after_t(i).
struct Messages {
    explicit Messages(const Chain& chain);

    bool logarithmic = false;
    bool possible = true;         // false if every sequence is forbidden; the rest is then undefined
    Buffer<double> ahead, after;  // [T][P] matrices
    Buffer<double> level;         // a [T] array
    double log_total = 0.0;       // ln Σ_i ahead_0(i)
    double log_partition() const;
};

// ln P(sequence); -inf if it is forbidden.
double log_probability(const Chain& chain, const Messages& messages, const int32_t* sequence);
// out[t][i] = P(y_t = i), a [T][L] matrix.
void marginals(const Chain& chain, const Messages& messages, double* out);
// out[t][i][j] = P(y_t = i, y_{t+1} = j), a [T-1][L][L] array, from the [T][L] marginals.
void bigram_marginals(const Chain& chain, const Messages& messages, const double* marginals, double* out);
// first[j] = ln P(y_0 = j), an [L] array; steps[t][i][j] = ln P(y_{t+1} = j | y_t = i), a [T-1][L][L] array. The rows of labels
// without a possible successor are -inf.
void log_transitions(const Chain& chain, const Messages& messages, double* first, double* steps);
// -Σ_y P(y) ln P(y), from the [T][L] marginals.
double entropy(const Chain& chain, const Messages& messages, const double* marginals);
// Draws `count` sequences, a [count][T] matrix; the first ones do not depend on `count`.
void sample(const Chain& chain, const Messages& messages, size_t count, uint64_t seed, int32_t* out);

}  // namespace tagpool
