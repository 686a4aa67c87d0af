// Path experts (Cortes, Kuznetsov and Mohri 2014): an ensemble of black boxes that is learned from their label sequences alone. A path
// expert follows one expert at each place of a sequence; all of them are the paths of an acyclic automaton whose edges carry an expert. A
// learner goes over the sentences once, one a round, and has at each a distribution over paths, kept as the probabilities of edges.
// Two kinds of automata: a *table* (a state for each position, or for each other key of places; at each, one edge an expert; paths choose
// freely at every state), and a general one, given by its edges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/interrupt_check.hpp"

namespace tagpool {

// What the experts say of sentences, and what is right.
struct Ballots {
    size_t experts = 0, labels = 0, states = 0, sentences = 0;
    const uint32_t* offsets = nullptr;  // sentence s is the tokens offsets[s] to offsets[s + 1]
    const int32_t* votes = nullptr;     // [token][expert]: a label, or -1 for an expert that abstains
    const int32_t* gold = nullptr;      // a label, or -1 where it is not known: then nobody loses
    const int32_t* state_of = nullptr;  // [token]: its state in a table, its position in a general automaton
    const double* costs = nullptr;      // [gold][label]

    size_t length(size_t sentence) const { return offsets[sentence + 1] - offsets[sentence]; }
    const int32_t* votes_at(size_t token) const { return votes + token * experts; }
    double cost(size_t token, int32_t label) const {
        return label < 0 || gold[token] < 0 ? 0.0 : costs[static_cast<size_t>(gold[token]) * labels + static_cast<size_t>(label)];
    }
};

// A general automaton. States are numbered so that edges lead to higher numbers; state 0 is the first. The edges of a state stand together.
struct PathAutomaton {
    std::vector<uint32_t> first;   // state s has the edges first[s] to first[s + 1]
    std::vector<uint32_t> to;
    std::vector<uint32_t> expert;
    std::vector<uint32_t> depth;   // of each state: how many edges lead there, which is the position its edges read

    size_t states() const { return depth.size(); }
    size_t edges() const { return to.size(); }
};

class PathLearner {
public:
    explicit PathLearner(size_t edges) : sums_(edges) {}
    virtual ~PathLearner() = default;
    // The mean loss of a token of the sentence, expected under the distribution there is now.
    virtual double expected_loss(size_t sentence) = 0;
    // Learns from the sentence: the next round.
    virtual void learn(size_t sentence) = 0;
    // From this round on, distributions are summed.
    virtual void begin_sum() = 0;
    virtual const std::vector<double>& sum() = 0;
    // The probability of each edge now; and given its state, by which paths are drawn.
    virtual const std::vector<double>& probabilities() = 0;
    virtual const std::vector<double>& outgoing() { return probabilities(); }

protected:
    std::vector<double> sums_;
};

struct LearnerKind {
    bool leader = false;     // follow the perturbed leader, else weighted majority
    double parameter = 0.0;  // its ε, or β
    uint64_t seed = 0;
};


std::unique_ptr<PathLearner> table_learner(const Ballots& ballots, const LearnerKind& kind);
std::unique_ptr<PathLearner> automaton_learner(const Ballots& ballots, const PathAutomaton& automaton, const LearnerKind& kind);

// What has votes: weights of a table's or an automaton's edges. `automaton` may be null.
class PathVote {
public:
    PathVote(const Ballots& ballots, const PathAutomaton* automaton, bool product);
    // The labels of a sentence (-1 where nobody votes), and the share of the votes that each got.
    void of_sentence(size_t sentence, const double* weights, int32_t* labels, double* shares);
    // The weight of every label at a token, of which there are `experts` at most: those that somebody votes for.
    void tally(size_t token, const double* row);
    double tallied(int32_t label) const { return tallies_[static_cast<size_t>(label)]; }
    void clear(size_t token);
    // The mean of the sentences' losses, from a sentence on.
    double loss(const double* weights, size_t from);

private:
    void by_paths(size_t sentence, int32_t* labels);
    int32_t most(size_t token) const;

    const Ballots& ballots_;
    const PathAutomaton* automaton_;
    bool product_;
    std::vector<double> tallies_, rows_, best_, scores_;
    std::vector<uint32_t> chosen_;
    std::vector<int32_t> labels_;
    std::vector<double> shares_;
};

std::vector<double> expected_losses(PathLearner& learner, size_t rounds, InterruptCheck interrupt);
// The mean of the distributions of the rounds `from` to `until`, the latter not among them.
std::vector<double> averaged(PathLearner& learner, size_t from, size_t until, InterruptCheck interrupt);
// The distributions of some rounds, one after another, as paths are drawn by them.
std::vector<double> distributions(PathLearner& learner, const std::vector<uint32_t>& rounds, InterruptCheck interrupt);
// For each of these rounds the mean loss, on the rounds behind it, of the vote by the distribution of the round alone.
std::vector<double> losses_ahead(const Ballots& ballots, const PathAutomaton* automaton, PathLearner& learner, const std::vector<uint32_t>& rounds,
                                 InterruptCheck interrupt);

// Labels by a path for each sentence, drawn from one of the distributions.
std::vector<int32_t> drawn(const Ballots& ballots, const PathAutomaton* automaton, const std::vector<double>& outgoing, size_t edges, uint64_t seed);

// ESPBoost: in each round the path that errs least where the paths before it erred.
struct Boosted {
    std::vector<double> weights;  // of edges: the sum of the α of the paths they are on
    std::vector<double> errors;   // ε of each round
    std::vector<double> alphas;
};
Boosted boosted(const Ballots& ballots, const PathAutomaton* automaton, size_t rounds, InterruptCheck interrupt);

// Forward stepwise selection of whole experts, with replacement: how often each was taken, and the loss after each round.
struct Stepwise {
    std::vector<double> counts;
    std::vector<double> losses;
};
Stepwise stepwise(const Ballots& ballots, size_t rounds, bool stop, InterruptCheck interrupt);

}  // namespace tagpool
