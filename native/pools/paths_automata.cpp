// Learners over general automata. A round takes time linear in the number of edges.
#include <algorithm>
#include <cmath>

#include "base/exponential.hpp"
#include "pools/paths.hpp"
#include "pools/paths_costs.hpp"
#include "base/random.hpp"

namespace tagpool {
namespace {

class AutomatonLearner : public PathLearner {
public:
    AutomatonLearner(const Ballots& ballots, const PathAutomaton& automaton, double rate)
        : PathLearner(automaton.edges()), ballots_(ballots), automaton_(automaton), costs_(ballots, most_edges(automaton), rate), losses_(automaton.edges()),
          probabilities_(automaton.edges()) {}

    double expected_loss(size_t sentence) override {
        double loss = 0.0;
        for_each_state(sentence, [&](size_t state, size_t token) {
            for (size_t e = automaton_.first[state]; e < automaton_.first[state + 1]; ++e)
                loss += probabilities_[e] * ballots_.cost(token, ballots_.votes_at(token)[automaton_.expert[e]]);
        });
        return loss / static_cast<double>(std::max<size_t>(ballots_.length(sentence), 1));
    }

    void learn(size_t sentence) override {
        if (summing_)
            for (size_t e = 0; e < sums_.size(); ++e) sums_[e] += probabilities_[e];
        for_each_state(sentence, [&](size_t state, size_t token) {
            const size_t first = automaton_.first[state], count = automaton_.first[state + 1] - first;
            const double* const costs = costs_.charge(token, count, weights(first), [&](size_t i) { return automaton_.expert[first + i]; });
            for (size_t i = 0; i < count; ++i) losses_[first + i] += costs[i];
        });
        update();
    }

    void begin_sum() override {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        summing_ = true;
    }
    const std::vector<double>& sum() override { return sums_; }
    const std::vector<double>& probabilities() override { return probabilities_; }

protected:
    virtual void update() = 0;                                   // computes the distribution from the losses
    virtual const double* weights(size_t first_edge) const = 0;  // null: no weights

    const Ballots& ballots_;
    const PathAutomaton& automaton_;
    PathCosts costs_;
    std::vector<double> losses_, probabilities_;

private:
    static size_t most_edges(const PathAutomaton& automaton) {
        size_t most = 0;
        for (size_t s = 0; s < automaton.states(); ++s) most = std::max<size_t>(most, automaton.first[s + 1] - automaton.first[s]);
        return most;
    }

    // Visits the states whose edges read a token of the sentence; deeper states are padding.
    template <class Visit>
    void for_each_state(size_t sentence, const Visit& visit) const {
        const size_t length = ballots_.length(sentence);
        for (size_t s = 0; s < automaton_.states(); ++s)
            if (automaton_.depth[s] < length) visit(s, ballots_.offsets[sentence] + automaton_.depth[s]);
    }

    bool summing_ = false;
};

// Weighted majority: the weight of a path is the product of β^loss over its edges. Weight pushing (Mohri 1997): d(q) is the total weight of
// the paths from q, and an edge from q to r gets w·d(r)/d(q). Then the edges of a state sum to 1, and the product over a path is its
// probability. Weights are computed in log space from the losses in every round, so that rounding errors do not accumulate.
class AutomatonWeights final : public AutomatonLearner {
public:
    AutomatonWeights(const Ballots& ballots, const PathAutomaton& automaton, double beta)
        : AutomatonLearner(ballots, automaton, -std::log(beta)), rate_(-std::log(beta)), outgoing_(automaton.edges()), ahead_(automaton.states()),
          reached_(automaton.states()) {
        update();
    }

    const std::vector<double>& outgoing() override { return outgoing_; }

protected:
    const double* weights(size_t first_edge) const override { return &outgoing_[first_edge]; }

    void update() override {
        for (size_t s = automaton_.states(); s-- > 0;) {
            const size_t begin = automaton_.first[s], end = automaton_.first[s + 1];
            ahead_[s] = 0.0;
            if (begin == end) continue;
            double best = -INFINITY, total = 0.0;
            for (size_t e = begin; e < end; ++e) best = std::max(best, outgoing_[e] = ahead_[automaton_.to[e]] - rate_ * losses_[e]);
            for (size_t e = begin; e < end; ++e) total += outgoing_[e] = exponential(outgoing_[e] - best);
            for (size_t e = begin; e < end; ++e) outgoing_[e] /= total;
            ahead_[s] = best + logarithm(total);
        }
        std::fill(reached_.begin(), reached_.end(), 0.0);
        reached_[0] = 1.0;
        for (size_t s = 0; s < automaton_.states(); ++s)
            for (size_t e = automaton_.first[s]; e < automaton_.first[s + 1]; ++e)
                reached_[automaton_.to[e]] += probabilities_[e] = reached_[s] * outgoing_[e];
    }

private:
    double rate_;
    std::vector<double> outgoing_, ahead_, reached_;
};

// Follow the perturbed leader: the path with the least loss, after new noise in [0, 1/ε] is added to each edge.
class AutomatonLeader final : public AutomatonLearner {
public:
    AutomatonLeader(const Ballots& ballots, const PathAutomaton& automaton, double epsilon, uint64_t seed)
        : AutomatonLearner(ballots, automaton, 0.0), noise_(1.0 / epsilon), random_(seed), ahead_(automaton.states()), leader_(automaton.states()) {
        update();
    }

protected:
    const double* weights(size_t) const override { return nullptr; }

    void update() override {
        for (size_t s = automaton_.states(); s-- > 0;) {
            ahead_[s] = automaton_.first[s] == automaton_.first[s + 1] ? 0.0 : INFINITY;
            for (size_t e = automaton_.first[s]; e < automaton_.first[s + 1]; ++e) {
                const double loss = losses_[e] + noise_ * random_.uniform() + ahead_[automaton_.to[e]];
                if (loss < ahead_[s]) ahead_[s] = loss, leader_[s] = e;
            }
        }
        std::fill(probabilities_.begin(), probabilities_.end(), 0.0);
        for (size_t s = 0; automaton_.first[s] < automaton_.first[s + 1]; s = automaton_.to[leader_[s]]) probabilities_[leader_[s]] = 1.0;
    }

private:
    double noise_;
    Random random_;
    std::vector<double> ahead_;
    std::vector<size_t> leader_;
};

}  // namespace

std::unique_ptr<PathLearner> automaton_learner(const Ballots& ballots, const PathAutomaton& automaton, const LearnerKind& kind) {
    if (kind.leader) return std::make_unique<AutomatonLeader>(ballots, automaton, kind.parameter, kind.seed);
    return std::make_unique<AutomatonWeights>(ballots, automaton, kind.parameter);
}

}  // namespace tagpool
