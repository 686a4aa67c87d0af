// The likelihood of a logarithmic opinion pool as a function of its members' shares α (Smith, Cohn and Osborne 2005):
//   ln P(y|x) = Σ_j α_j s_j(y) - ln Σ_y' e^(Σ_j α_j s_j(y')),   ∂/∂α_j = s_j(y) - E[s_j],
// where s_j is the score that member j gives a label sequence (its normaliser cancels) and E is taken under the pool.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

// The scores of one member for all tokens; edges are labels², or with `vary` so many for each token (those of first tokens are not used).
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
    const uint32_t* offsets;  // sentence s is the tokens offsets[s] to offsets[s + 1], at least one
    size_t sentences;
    const int32_t* gold;      // one label a token
};

// The summed ln P of the gold labels; `gradient` has one number a member. The same bits whatever the number of threads.
double pool_likelihood(const ScoredSentences& scored, const double* shares, unsigned threads, double* gradient);

}  // namespace tagpool
