#include "pools/paths.hpp"

#include <algorithm>
#include <cmath>

#include "base/exponential.hpp"
#include "base/random.hpp"

namespace tagpool {
namespace {

// PathCosts: costs of a state's edges at a token. An expert that abstains is charged the average cost of the others; if abstaining were
// free, experts that abstain at difficult tokens would win. With weights w and discount β the average is that of weighted majority,
// -ln(Σ w β^cost / Σ w) / -ln β, which keeps the expert's fraction of the state's weight. Without weights it is the mean.
class PathCosts {
public:
    PathCosts(const Ballots& ballots, size_t most_edges, double rate) : ballots_(ballots), rate_(rate), costs_(most_edges) {}

    // Costs of `count` edges; edge i carries expert_of(i). `weights`, one per edge, may be null.
    template <class ExpertOf>
    const double* charge(size_t token, size_t count, const double* weights, const ExpertOf& expert_of) {
        const int32_t* const votes = ballots_.votes_at(token);
        bool abstains = false;
        for (size_t i = 0; i < count; ++i) {
            const int32_t vote = votes[expert_of(i)];
            costs_[i] = ballots_.cost(token, vote);
            abstains |= vote < 0;
        }
        if (!abstains) return costs_.data();
        double total = 0.0, sum = 0.0;
        for (size_t i = 0; i < count; ++i) {
            if (votes[expert_of(i)] < 0) continue;
            const double weight = weights ? weights[i] : 1.0;
            total += weight;
            sum += weight * (weights ? exponential(-rate_ * costs_[i]) : costs_[i]);
        }
        const double average = total <= 0.0 || sum <= 0.0 ? 0.0 : weights ? -logarithm(sum / total) / rate_ : sum / total;
        for (size_t i = 0; i < count; ++i)
            if (votes[expert_of(i)] < 0) costs_[i] = average;
        return costs_.data();
    }

private:
    const Ballots& ballots_;
    double rate_;
    std::vector<double> costs_;
};

// Learners over tables. The weights of a state depend only on its losses, so a sentence updates only its states.
class TableLearner : public PathLearner {
public:
    TableLearner(const Ballots& ballots, double rate)
        : PathLearner(ballots, ballots.states * ballots.experts), costs_(ballots, ballots.experts, rate) {}

    double expected_loss(size_t sentence) override {
        double loss = 0.0;
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token)
            for (size_t j = 0; j < ballots_.experts; ++j)
                loss += probabilities_[first_edge(token) + j] * ballots_.cost(token, ballots_.votes_at(token)[j]);
        return loss / static_cast<double>(std::max<size_t>(ballots_.length(sentence), 1));
    }

protected:
    size_t state(size_t token) const { return static_cast<size_t>(ballots_.state_of[token]); }
    size_t first_edge(size_t token) const { return state(token) * ballots_.experts; }

    // Adds the costs of a sentence to the losses.
    void add_losses(size_t sentence, bool weighted) {
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token) {
            const size_t first = first_edge(token);
            const double* const weights = weighted ? &probabilities_[first] : nullptr;
            const double* const costs = costs_.charge(token, ballots_.experts, weights, [](size_t j) { return j; });
            for (size_t j = 0; j < ballots_.experts; ++j) losses_[first + j] += costs[j];
        }
    }

private:
    PathCosts costs_;
};

// Weighted majority: the weight of an expert at a state is proportional to β^(its loss there), and the weights of a state sum to 1.
class TableWeights final : public TableLearner {
public:
    TableWeights(const Ballots& ballots, double beta) : TableLearner(ballots, -std::log(beta)), rate_(-std::log(beta)), since_(ballots.states) {
        std::fill(probabilities_.begin(), probabilities_.end(), 1.0 / static_cast<double>(ballots.experts));
    }

    void learn(size_t sentence) override {
        ++round_;
        add_losses(sentence, true);
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token) update(state(token));
    }

    void begin_sum() override {
        PathLearner::begin_sum();
        std::fill(since_.begin(), since_.end(), round_);
    }

    const std::vector<double>& sum() override {
        for (size_t s = 0; s < ballots_.states; ++s) add_rounds(s);
        return sums_;
    }

private:
    // Lazy sum: the weights of a state do not change between its updates, so the rounds since the last one are added at once.
    void add_rounds(size_t state) {
        if (!summing_ || since_[state] == round_) return;
        const double rounds = static_cast<double>(round_ - since_[state]);
        for (size_t e = state * ballots_.experts; e < (state + 1) * ballots_.experts; ++e) sums_[e] += rounds * probabilities_[e];
        since_[state] = round_;
    }

    void update(size_t state) {
        add_rounds(state);  // no effect if the sentence has the state again
        const size_t begin = state * ballots_.experts, end = begin + ballots_.experts;
        const double least = *std::min_element(&losses_[begin], &losses_[end]);
        double total = 0.0;
        for (size_t e = begin; e < end; ++e) total += probabilities_[e] = exponential(-rate_ * (losses_[e] - least));
        for (size_t e = begin; e < end; ++e) probabilities_[e] /= total;
    }

    double rate_;
    std::vector<size_t> since_;  // [state]: the first round that is not in the sum
    size_t round_ = 0;
};

// Follow the perturbed leader: in each round and state, the expert with the least loss after new noise in [0, 1/ε] is added.
class TableLeader final : public TableLearner {
public:
    TableLeader(const Ballots& ballots, double epsilon, uint64_t seed)
        : TableLearner(ballots, 0.0), noise_(1.0 / epsilon), random_(seed), leader_(ballots.states) {
        choose();
    }

    void learn(size_t sentence) override {
        if (summing_)
            for (size_t s = 0; s < ballots_.states; ++s) sums_[s * ballots_.experts + leader_[s]] += 1.0;
        add_losses(sentence, false);
        choose();
    }

private:
    void choose() {
        for (size_t s = 0; s < ballots_.states; ++s) {
            probabilities_[s * ballots_.experts + leader_[s]] = 0.0;
            double least = 0.0;
            for (size_t j = 0; j < ballots_.experts; ++j) {
                const double loss = losses_[s * ballots_.experts + j] + noise_ * random_.uniform();
                if (j == 0 || loss < least) least = loss, leader_[s] = j;
            }
            probabilities_[s * ballots_.experts + leader_[s]] = 1.0;
        }
    }

    double noise_;
    Random random_;
    std::vector<size_t> leader_;
};

// Learners over general automata. A round takes time linear in the number of edges.
class AutomatonLearner : public PathLearner {
public:
    AutomatonLearner(const Ballots& ballots, const PathAutomaton& automaton, double rate)
        : PathLearner(ballots, automaton.edges()), automaton_(automaton), costs_(ballots, most_edges(automaton), rate) {}

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

protected:
    virtual void update() = 0;                                   // computes the distribution from the losses
    virtual const double* weights(size_t first_edge) const = 0;  // null: no weights

    const PathAutomaton& automaton_;

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

    PathCosts costs_;
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

    const std::vector<double>& outgoing() const override { return outgoing_; }

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

// Runs the rounds; visit(t) is called before the learner is updated with sentence t.
template <class Visit>
void run(PathLearner& learner, size_t rounds, InterruptCheck interrupt, const Visit& visit) {
    for (size_t t = 0; t < rounds; ++t) {
        visit(t);
        learner.learn(t);
        interrupt.poll();
    }
}

}  // namespace

std::unique_ptr<PathLearner> table_learner(const Ballots& ballots, const LearnerKind& kind) {
    if (kind.leader) return std::make_unique<TableLeader>(ballots, kind.parameter, kind.seed);
    return std::make_unique<TableWeights>(ballots, kind.parameter);
}

std::unique_ptr<PathLearner> automaton_learner(const Ballots& ballots, const PathAutomaton& automaton, const LearnerKind& kind) {
    if (kind.leader) return std::make_unique<AutomatonLeader>(ballots, automaton, kind.parameter, kind.seed);
    return std::make_unique<AutomatonWeights>(ballots, automaton, kind.parameter);
}

std::vector<double> expected_losses(PathLearner& learner, size_t rounds, InterruptCheck interrupt) {
    std::vector<double> losses(rounds);
    run(learner, rounds, interrupt, [&](size_t t) { losses[t] = learner.expected_loss(t); });
    return losses;
}

std::vector<double> average_distribution(PathLearner& learner, size_t from, size_t until, InterruptCheck interrupt) {
    run(learner, until, interrupt, [&](size_t t) {
        if (t == from) learner.begin_sum();
    });
    std::vector<double> mean = learner.sum();
    for (double& probability : mean) probability /= static_cast<double>(until - from);
    return mean;
}

std::vector<double> distributions(PathLearner& learner, const std::vector<uint32_t>& rounds, InterruptCheck interrupt) {
    std::vector<double> out;
    size_t next = 0;
    run(learner, rounds.empty() ? 0 : rounds.back() + 1, interrupt, [&](size_t t) {
        if (t != rounds[next]) return;
        out.insert(out.end(), learner.outgoing().begin(), learner.outgoing().end());
        ++next;
    });
    return out;
}

std::vector<double> losses_ahead(const Ballots& ballots, const PathAutomaton* automaton, PathLearner& learner, const std::vector<uint32_t>& rounds,
                                 InterruptCheck interrupt) {
    PathVote vote(ballots, automaton, true);
    std::vector<double> losses;
    run(learner, rounds.empty() ? 0 : rounds.back() + 1, interrupt, [&](size_t t) {
        if (t == rounds[losses.size()]) losses.push_back(vote.loss(learner.probabilities().data(), t + 1));
    });
    return losses;
}

}  // namespace tagpool
