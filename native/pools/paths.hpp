// Path experts (Cortes, Kuznetsov and Mohri 2014): an ensemble of black-box experts, learned from their label sequences. A path expert
// follows one expert at each token. The path experts are the paths of an acyclic automaton whose edges carry experts. A learner visits
// each sentence once, one per round. In each round it has a distribution over paths, stored as probabilities of edges.
// There are two kinds of automata. A *table* has a state for each position (or other key of tokens) and one edge per expert at each state;
// paths choose freely at every state. A general automaton is given by its edges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/interrupt_check.hpp"

namespace tagpool {

// Label sequences of the experts, and gold labels.
struct Ballots {
    size_t experts = 0, labels = 0, states = 0, sentences = 0;
    const uint32_t* offsets = nullptr;  // sentence s has the tokens offsets[s] to offsets[s + 1] - 1
    const int32_t* votes = nullptr;     // [token][expert]: a label; -1: the expert abstains
    const int32_t* gold = nullptr;      // [token]: a label; -1: unknown, which costs nothing
    const int32_t* state_of = nullptr;  // [token]: state of a table, or position in the sentence
    const double* costs = nullptr;      // [gold][label]

    size_t length(size_t sentence) const { return offsets[sentence + 1] - offsets[sentence]; }
    const int32_t* votes_at(size_t token) const { return votes + token * experts; }
    double cost(size_t token, int32_t label) const {
        return label < 0 || gold[token] < 0 ? 0.0 : costs[static_cast<size_t>(gold[token]) * labels + static_cast<size_t>(label)];
    }
};

// General automaton. It starts at state 0, and edges lead to states with higher numbers. The edges of a state are adjacent.
struct PathAutomaton {
    std::vector<uint32_t> first;  // state s has the edges first[s] to first[s + 1] - 1
    std::vector<uint32_t> to;
    std::vector<uint32_t> expert;
    std::vector<uint32_t> depth;  // [state]: length of the paths to it, which is the position that its edges read

    size_t states() const { return depth.size(); }
    size_t edges() const { return to.size(); }
};

class PathLearner {
public:
    PathLearner(const Ballots& ballots, size_t edges) : ballots_(ballots), losses_(edges), probabilities_(edges), sums_(edges) {}
    virtual ~PathLearner() = default;
    // Expected loss per token of the sentence under the current distribution.
    virtual double expected_loss(size_t sentence) = 0;
    // Updates the distribution with the sentence, and begins the next round.
    virtual void learn(size_t sentence) = 0;
    // Sums the distributions from this round on.
    virtual void begin_sum() {
        sums_.assign(sums_.size(), 0.0);
        summing_ = true;
    }
    virtual const std::vector<double>& sum() { return sums_; }
    // Current probability of each edge; and its conditional probability given its state, for drawing paths.
    const std::vector<double>& probabilities() const { return probabilities_; }
    virtual const std::vector<double>& outgoing() const { return probabilities_; }

protected:
    const Ballots& ballots_;
    std::vector<double> losses_, probabilities_, sums_;  // [edge]
    bool summing_ = false;
};

struct LearnerKind {
    bool leader = false;     // true: follow the perturbed leader; false: weighted majority
    double parameter = 0.0;  // ε of the leader, β of the majority
    uint64_t seed = 0;
};

std::unique_ptr<PathLearner> table_learner(const Ballots& ballots, const LearnerKind& kind);
std::unique_ptr<PathLearner> automaton_learner(const Ballots& ballots, const PathAutomaton& automaton, const LearnerKind& kind);

// Vote by weights of the edges of an automaton, or of a table if `automaton` is null.
class PathVote {
public:
    PathVote(const Ballots& ballots, const PathAutomaton* automaton, bool product);
    // Labels of a sentence (-1: all experts abstain), and the fraction of the votes that each received.
    void label(size_t sentence, const double* weights, int32_t* labels, double* fractions);
    // Adds up the weights of the labels that experts vote for at a token.
    void tally(size_t token, const double* row);
    double tally_of(int32_t label) const { return tallies_[static_cast<size_t>(label)]; }
    void clear(size_t token);
    // Mean loss of the sentences from `from` on.
    double loss(const double* weights, size_t from);

private:
    void label_by_best_path(size_t sentence, int32_t* labels);
    int32_t winner(size_t token) const;

    const Ballots& ballots_;
    const PathAutomaton* automaton_;
    bool product_;
    std::vector<double> tallies_, rows_, best_, scores_;
    std::vector<uint32_t> chosen_;
    std::vector<int32_t> labels_;
    std::vector<double> fractions_;
};

std::vector<double> expected_losses(PathLearner& learner, size_t rounds, InterruptCheck interrupt);
// Mean distribution of the rounds `from` to `until` - 1.
std::vector<double> average_distribution(PathLearner& learner, size_t from, size_t until, InterruptCheck interrupt);
// Conditional distributions of some rounds, one after another, for drawing paths.
std::vector<double> distributions(PathLearner& learner, const std::vector<uint32_t>& rounds, InterruptCheck interrupt);
// For each of these rounds, the mean loss on later sentences of the vote by its distribution.
std::vector<double> losses_ahead(const Ballots& ballots, const PathAutomaton* automaton, PathLearner& learner, const std::vector<uint32_t>& rounds,
                                 InterruptCheck interrupt);

// Labels of a random path for each sentence; the distribution of a sentence is also drawn at random.
std::vector<int32_t> draw_labels(const Ballots& ballots, const PathAutomaton* automaton, const std::vector<double>& outgoing, size_t edges,
                                 uint64_t seed);

// ESPBoost: each round adds the path with the least weighted error; the weights emphasise errors of earlier paths.
struct Boosting {
    std::vector<double> weights;  // [edge]: sum of the α of its paths
    std::vector<double> errors;   // [round]: ε
    std::vector<double> alphas;
};
Boosting boost(const Ballots& ballots, const PathAutomaton* automaton, size_t rounds, InterruptCheck interrupt);

// Forward stepwise selection of experts, with replacement.
struct Selection {
    std::vector<double> counts;  // [expert]: how often it was selected
    std::vector<double> losses;  // [round]
};
Selection select_stepwise(const Ballots& ballots, size_t rounds, bool stop, InterruptCheck interrupt);

}  // namespace tagpool
