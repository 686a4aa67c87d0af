// Likelihood of a logarithmic opinion pool as a function of its member weights α (Smith, Cohn and Osborne 2005):
//   ln P(y|x) = Σ_j α_j s_j(y) - ln Σ_y' e^(Σ_j α_j s_j(y')),   ∂/∂α_j = s_j(y) - E[s_j],
// where s_j is member j's score of a label sequence (its normaliser cancels) and E the expectation under the pool.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

// Scores of one member: nodes [T][L], start [L], end [L], and edges [L][L], or [T][L][L] with `vary` (first tokens have unused ones).
struct MemberScores {
    const double* nodes;
    const double* edges;
    const double* start;
    const double* end;
};

struct ScoredSentences {
    std::vector<MemberScores> members;
    size_t labels;
    bool vary;
    const uint32_t* offsets;  // sentence s has the tokens offsets[s] to offsets[s + 1] - 1, at least one
    size_t sentences;
    const int32_t* gold;  // one label per token
};

// Returns the sum of ln P(gold labels) and writes the gradient, one number per member. The number of threads changes no bit.
double pool_likelihood(const ScoredSentences& scored, const double* weights, unsigned threads, double* gradient);

}  // namespace tagpool
