#include "pools/paths.hpp"

#include <algorithm>


namespace tagpool {
namespace {

// Goes over the rounds; `visit` sees the learner before it learns from the round's sentence.
template <class Visit>
void go(PathLearner& learner, size_t rounds, InterruptCheck interrupt, const Visit& visit) {
    for (size_t t = 0; t < rounds; ++t) {
        visit(t);
        learner.learn(t);
        interrupt.poll();
    }
}

}  // namespace

std::vector<double> expected_losses(PathLearner& learner, size_t rounds, InterruptCheck interrupt) {
    std::vector<double> losses(rounds);
    go(learner, rounds, interrupt, [&](size_t t) { losses[t] = learner.expected_loss(t); });
    return losses;
}

std::vector<double> averaged(PathLearner& learner, size_t from, size_t until, InterruptCheck interrupt) {
    go(learner, until, interrupt, [&](size_t t) {
        if (t == from) learner.begin_sum();
    });
    std::vector<double> mean = learner.sum();
    for (double& each : mean) each /= static_cast<double>(until - from);
    return mean;
}

std::vector<double> distributions(PathLearner& learner, const std::vector<uint32_t>& rounds, InterruptCheck interrupt) {
    std::vector<double> found;
    size_t next = 0;
    go(learner, rounds.empty() ? 0 : rounds.back() + 1, interrupt, [&](size_t t) {
        if (t != rounds[next]) return;
        found.insert(found.end(), learner.outgoing().begin(), learner.outgoing().end());
        ++next;
    });
    return found;
}

std::vector<double> losses_ahead(const Ballots& ballots, const PathAutomaton* automaton, PathLearner& learner, const std::vector<uint32_t>& rounds,
                                 InterruptCheck interrupt) {
    PathVote vote(ballots, automaton, true);
    std::vector<double> losses;
    go(learner, rounds.empty() ? 0 : rounds.back() + 1, interrupt, [&](size_t t) {
        if (t == rounds[losses.size()]) losses.push_back(vote.loss(learner.probabilities().data(), t + 1));
    });
    return losses;
}

}  // namespace tagpool
