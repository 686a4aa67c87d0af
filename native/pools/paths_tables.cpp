// Learners over tables. What a state's experts lost is all that weights depend on, so only states that a sentence has are touched.
#include <algorithm>
#include <cmath>

#include "base/exponential.hpp"
#include "pools/paths.hpp"
#include "pools/paths_costs.hpp"
#include "base/random.hpp"

namespace tagpool {
namespace {

// Weighted majority: the weight of expert j at state k is β^(what it has lost there), and a state's weights sum to 1.
class TableWeights final : public PathLearner {
public:
    TableWeights(const Ballots& ballots, double beta)
        : PathLearner(ballots.states * ballots.experts), ballots_(ballots), rate_(-std::log(beta)), costs_(ballots, ballots.experts, rate_), lost_(sums_.size()),
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
            double* const lost = &lost_[state(token) * ballots_.experts];
            for (size_t j = 0; j < ballots_.experts; ++j) lost[j] += costs[j];
        }
        for (size_t token = begin; token < end; ++token) settle(state(token));
    }

    void begin_sum() override {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        std::fill(since_.begin(), since_.end(), round_);
        summing_ = true;
    }

    const std::vector<double>& sum() override {
        for (size_t s = 0; s < ballots_.states; ++s) add_up(s);
        return sums_;
    }

    const std::vector<double>& probabilities() override { return weights_; }

private:
    size_t state(size_t token) const { return static_cast<size_t>(ballots_.state_of[token]); }
    double* row(size_t token) { return &weights_[state(token) * ballots_.experts]; }

    // A state keeps its weights until it is met again: the rounds until then are added at once.
    void add_up(size_t state) {
        if (!summing_ || since_[state] == round_) return;
        const double rounds = static_cast<double>(round_ - since_[state]);
        for (size_t e = state * ballots_.experts; e < (state + 1) * ballots_.experts; ++e) sums_[e] += rounds * weights_[e];
        since_[state] = round_;
    }

    void settle(size_t state) {
        add_up(state);  // nothing the second time a sentence has the state; its weights are then the same, too
        const size_t begin = state * ballots_.experts, end = begin + ballots_.experts;
        const double least = *std::min_element(&lost_[begin], &lost_[end]);
        double total = 0.0;
        for (size_t e = begin; e < end; ++e) total += weights_[e] = exponential(-rate_ * (lost_[e] - least));
        for (size_t e = begin; e < end; ++e) weights_[e] /= total;
    }

    const Ballots& ballots_;
    double rate_;
    PathCosts costs_;
    std::vector<double> lost_, weights_;
    std::vector<size_t> since_;
    size_t round_ = 0;
    bool summing_ = false;
};

// Follow the perturbed leader: at each round and state, the expert that has lost least, with fresh noise in [0, 1/ε] added.
class TableLeader final : public PathLearner {
public:
    TableLeader(const Ballots& ballots, double epsilon, uint64_t seed)
        : PathLearner(ballots.states * ballots.experts), ballots_(ballots), costs_(ballots, ballots.experts, 0.0), noise_(1.0 / epsilon), random_(seed),
          lost_(sums_.size()), choice_(sums_.size()), leader_(ballots.states) {
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
            double* const lost = &lost_[static_cast<size_t>(ballots_.state_of[token]) * ballots_.experts];
            for (size_t j = 0; j < ballots_.experts; ++j) lost[j] += costs[j];
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
                const double found = lost_[s * ballots_.experts + j] + noise_ * random_.uniform();
                if (j == 0 || found < least) least = found, leader_[s] = j;
            }
            choice_[s * ballots_.experts + leader_[s]] = 1.0;
        }
    }

    const Ballots& ballots_;
    PathCosts costs_;
    double noise_;
    Random random_;
    std::vector<double> lost_, choice_;
    std::vector<size_t> leader_;
    bool summing_ = false;
};

}  // namespace

std::unique_ptr<PathLearner> table_learner(const Ballots& ballots, const LearnerKind& kind) {
    if (kind.leader) return std::make_unique<TableLeader>(ballots, kind.parameter, kind.seed);
    return std::make_unique<TableWeights>(ballots, kind.parameter);
}

}  // namespace tagpool
