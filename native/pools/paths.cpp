#include "pools/paths.hpp"

#include <algorithm>

namespace tagpool {
namespace {

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
