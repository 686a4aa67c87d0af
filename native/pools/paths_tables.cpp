// Learners over tables. The weights of a state depend only on its losses, so a sentence updates only its states.
#include <algorithm>
#include <cmath>

#include "base/exponential.hpp"
#include "pools/paths.hpp"
#include "pools/paths_costs.hpp"
#include "base/random.hpp"

namespace tagpool {
namespace {

// Weighted majority: the weight of an expert at a state is proportional to β^(its loss there), and the weights of a state sum to 1.
class TableWeights final : public PathLearner {
public:
    TableWeights(const Ballots& ballots, double beta)
        : PathLearner(ballots.states * ballots.experts), ballots_(ballots), rate_(-std::log(beta)), costs_(ballots, ballots.experts, rate_), losses_(sums_.size()),
          weights_(sums_.size(), 1.0 / static_cast<double>(ballots.experts)), since_(ballots.states) {}

    double expected_loss(size_t sentence) override {
        double loss = 0.0;
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token)
            for (size_t j = 0; j < ballots_.experts; ++j) loss += row(token)[j] * ballots_.cost(token, ballots_.votes_at(token)[j]);
        return loss / static_cast<double>(std::max<size_t>(ballots_.length(sentence), 1));
    }

    void learn(size_t sentence) override {
        const size_t begin = ballots_.offsets[sentence], end = ballots_.offsets[sentence + 1];
        ++round_;
        for (size_t token = begin; token < end; ++token) {
            const double* const costs = costs_.charge(token, ballots_.experts, row(token), [](size_t j) { return j; });
            double* const losses = &losses_[state(token) * ballots_.experts];
            for (size_t j = 0; j < ballots_.experts; ++j) losses[j] += costs[j];
        }
        for (size_t token = begin; token < end; ++token) update(state(token));
    }

    void begin_sum() override {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(since_.begin(), since_.end(), round_);
        summing_ = true;
    }

    const std::vector<double>& sum() override {
        for (size_t s = 0; s < ballots_.states; ++s) add_rounds(s);
        return sums_;
    }

    const std::vector<double>& probabilities() override { return weights_; }

private:
    size_t state(size_t token) const { return static_cast<size_t>(ballots_.state_of[token]); }
    double* row(size_t token) { return &weights_[state(token) * ballots_.experts]; }

    // Lazy sum: the weights of a state do not change between its updates, so the rounds since the last one are added at once.
    void add_rounds(size_t state) {
        if (!summing_ || since_[state] == round_) return;
        const double rounds = static_cast<double>(round_ - since_[state]);
        for (size_t e = state * ballots_.experts; e < (state + 1) * ballots_.experts; ++e) sums_[e] += rounds * weights_[e];
        since_[state] = round_;
    }

    void update(size_t state) {
        add_rounds(state);  // no effect if the sentence has the state again
        const size_t begin = state * ballots_.experts, end = begin + ballots_.experts;
        const double least = *std::min_element(&losses_[begin], &losses_[end]);
        double total = 0.0;
        for (size_t e = begin; e < end; ++e) total += weights_[e] = exponential(-rate_ * (losses_[e] - least));
        for (size_t e = begin; e < end; ++e) weights_[e] /= total;
    }

    const Ballots& ballots_;
    double rate_;
    PathCosts costs_;
    std::vector<double> losses_, weights_;
    std::vector<size_t> since_;
    size_t round_ = 0;
    bool summing_ = false;
};

// Follow the perturbed leader: in each round and state, the expert with the least loss after new noise in [0, 1/ε] is added.
class TableLeader final : public PathLearner {
public:
    TableLeader(const Ballots& ballots, double epsilon, uint64_t seed)
        : PathLearner(ballots.states * ballots.experts), ballots_(ballots), costs_(ballots, ballots.experts, 0.0), noise_(1.0 / epsilon), random_(seed),
          losses_(sums_.size()), choice_(sums_.size()), leader_(ballots.states) {
        choose();
    }

    double expected_loss(size_t sentence) override {
        double loss = 0.0;
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token)
            loss += ballots_.cost(token, ballots_.votes_at(token)[leader_[static_cast<size_t>(ballots_.state_of[token])]]);
        return loss / static_cast<double>(std::max<size_t>(ballots_.length(sentence), 1));
    }

    void learn(size_t sentence) override {
        if (summing_)
            for (size_t s = 0; s < ballots_.states; ++s) sums_[s * ballots_.experts + leader_[s]] += 1.0;
        for (size_t token = ballots_.offsets[sentence]; token < ballots_.offsets[sentence + 1]; ++token) {
            const double* const costs = costs_.charge(token, ballots_.experts, nullptr, [](size_t j) { return j; });
            double* const losses = &losses_[static_cast<size_t>(ballots_.state_of[token]) * ballots_.experts];
            for (size_t j = 0; j < ballots_.experts; ++j) losses[j] += costs[j];
        }
        choose();
    }

    void begin_sum() override {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        summing_ = true;
    }
    const std::vector<double>& sum() override { return sums_; }
    const std::vector<double>& probabilities() override { return choice_; }

private:
    void choose() {
        for (size_t s = 0; s < ballots_.states; ++s) {
            choice_[s * ballots_.experts + leader_[s]] = 0.0;
            double least = 0.0;
            for (size_t j = 0; j < ballots_.experts; ++j) {
                const double loss = losses_[s * ballots_.experts + j] + noise_ * random_.uniform();
                if (j == 0 || loss < least) least = loss, leader_[s] = j;
            }
            choice_[s * ballots_.experts + leader_[s]] = 1.0;
        }
    }

    const Ballots& ballots_;
    PathCosts costs_;
    double noise_;
    Random random_;
    std::vector<double> losses_, choice_;
    std::vector<size_t> leader_;
    bool summing_ = false;
};

}  // namespace

std::unique_ptr<PathLearner> table_learner(const Ballots& ballots, const LearnerKind& kind) {
    if (kind.leader) return std::make_unique<TableLeader>(ballots, kind.parameter, kind.seed);
    return std::make_unique<TableWeights>(ballots, kind.parameter);
}

}  // namespace tagpool
