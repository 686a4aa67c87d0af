// Chain: the scores of one sentence, borrowed. A label sequence y scores
//   Σ_t node_t(y_t) + Σ_{t>0} edge_t(y_{t-1}, y_t) + start(y_0) + end(y_{T-1});  -inf forbids.
// Every pass begins at the last token, and what is read off it goes from the first one on. So one tie rule holds everywhere,
// and the messages of the backward pass make the chain a Markov chain that can be walked from the left.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/simd.hpp"

namespace tagpool {

// Edge scores made ready: [from][to], one matrix for every step or one a step. What is shared by many sentences is worked
// out once.
class Edges {
public:
    // How sums over sequences are to be computed; see chain_messages.cpp.
    enum class Space { steady, checked, logarithmic };

    // `scores` are borrowed: labels² of them, or with `vary` so many for each step.
    Edges(const double* scores, size_t labels, bool vary);

    size_t labels, width;  // width: padded(labels)
    bool vary;
    Space space;
    double shift = 0.0;  // the largest score
    // Only where the space is not logarithmic: e^(score - shift), as [from][to] and as [to][from]; padding is 0.
    std::vector<double> weights, weights_into;

    // The scores of the step into token t > 0, one row for each label before it.
    const double* row(size_t t, size_t from) const { return scores_ + ((vary ? t - 1 : 0) * labels + from) * labels; }
    // The same as [to][from], padded with -inf. `scratch` (width · labels) is used where edges vary.
    const double* into(size_t t, double* scratch) const;

private:
    void turn(const double* scores, double* out) const;

    const double* scores_;
    std::vector<double> into_;
};

struct Chain {
    const Edges* edges;
    const double* nodes;  // [token][label]
    size_t tokens;
    const double* start = nullptr;  // by label; none: 0
    const double* end = nullptr;

    size_t labels() const { return edges->labels; }
    size_t width() const { return edges->width; }
    double node(size_t t, size_t label) const {
        double score = nodes[t * labels() + label];
        if (t == 0 && start) score += start[label];
        if (t + 1 == tokens && end) score += end[label];
        return score;
    }
    // The node scores of a token, padded with -inf.
    void row(size_t t, double* out) const;
    // Summed from the last token to the first, as every search here does: equal to its result bit for bit.
    double score(const int32_t* sequence) const;
};

// --- Searching (chain_viterbi.cpp, chain_nbest.cpp, chain_once.cpp) ---

// values[t · width + i] = node_t(i) + the best score of what may follow label i at token t. `values` has tokens · width,
// `scratch` (labels + 1) · width numbers.
void best_completions(const Chain& chain, double* values, double* scratch);

// The best sequence, read off its completions: among equal scores the lexicographically smallest. Returns its score; -inf
// (and no labels) if no sequence is possible.
double read_best(const Chain& chain, const double* values, int32_t* sequence);

struct ViterbiScratch {
    Buffer<double> values, rows;
};
double best_sequence(const Chain& chain, ViterbiScratch& scratch, int32_t* sequence);

// Many sentences with the same edges: sentence s is the tokens offsets[s] to offsets[s + 1]. `scores` may be null. A sentence
// for which no sequence is possible gets the score -inf and labels -1.
void best_sequences(const Edges& edges, const double* nodes, const uint32_t* offsets, size_t sentences, const double* start,
                    const double* end, ViterbiScratch& scratch, int32_t* labels, double* scores);

struct Sequences {
    std::vector<int32_t> labels;  // one sequence after the other
    std::vector<double> scores;   // falling; equal scores in lexicographic order
};
Sequences best_sequences(const Chain& chain, size_t count);

// Groups of labels that may be entered once. A token enters the group of its label unless the token before it has a label of
// the same group and continues[before · labels + label].
struct Once {
    std::vector<int32_t> group_of;  // by label; -1: none
    size_t groups;
    const uint8_t* continues;
};
// As best_sequence, among the sequences that enter no group twice.
double best_sequence_once(const Chain& chain, const Once& once, int32_t* sequence);

// --- Summing (chain_messages.cpp, chain_marginals.cpp) ---

// What the backward pass leaves, in probabilities (or their logarithms, if `logarithmic`):
//   ahead_t(i)  = e^node_t(i) · after_t(i), divided by its largest value, whose logarithm level_t keeps
//   after_t(i)  = Σ_j e^edge(i, j) · ahead_{t+1}(j)
// so that P(y_0 = i) ∝ ahead_0(i) and P(y_{t+1} = j | y_t = i) = e^edge(i, j) · ahead_{t+1}(j) / after_t(i).
struct Messages {
    explicit Messages(const Chain& chain);

    bool logarithmic = false;
    bool possible = true;  // whether any sequence is; the rest means nothing if not
    Buffer<double> ahead, after;  // [token][width]
    Buffer<double> level;         // of each token
    double closing = 0.0;              // ln Σ ahead_0
    double log_partition() const;
};

// ln P(sequence); -inf if it is impossible.
double log_probability(const Chain& chain, const Messages& messages, const int32_t* sequence);
// out[t · labels + i] = P(y_t = i)
void marginals(const Chain& chain, const Messages& messages, double* out);
// out[(t · labels + i) · labels + j] = P(y_t = i, y_{t+1} = j), from the marginals.
void pair_marginals(const Chain& chain, const Messages& messages, const double* nodes, double* out);
// first[j] = ln P(y_0 = j), steps[(t · labels + i) · labels + j] = ln P(y_{t+1} = j | y_t = i) (chain_transitions.cpp). Rows of labels that
// nothing can follow are -inf throughout.
void log_transitions(const Chain& chain, const Messages& messages, double* first, double* steps);
// -Σ_y P(y) ln P(y), from the marginals.
double entropy(const Chain& chain, const Messages& messages, const double* nodes);
// `count` sequences one after the other; the first ones do not depend on how many are drawn.
void sample(const Chain& chain, const Messages& messages, size_t count, uint64_t seed, int32_t* out);

}  // namespace tagpool
