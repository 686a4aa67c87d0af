// Ensembles that are not learned online: ESPBoost, and forward stepwise selection of whole experts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pools/paths.hpp"

namespace tagpool {
namespace {

constexpr double kLeastError = 1e-12;  // a path without errors gets a large α, but a finite one
constexpr double kWeak = 0.5 - 1e-9;   // a path chosen again errs just half the time, but for rounding: nothing more is to be had
constexpr double kSame = 1e-12;        // sums that differ by less are equal, whatever the order they were taken in

// Which expert each state follows, and which edges that is.
struct Path {
    std::vector<size_t> experts, edges;
};

// The path with the least sum of errors, given by state (position) and expert; the first of equal ones.
Path least_wrong(const Ballots& ballots, const PathAutomaton* automaton, const std::vector<double>& errors) {
    const size_t p = ballots.experts;
    Path path;
    if (!automaton) {
        for (size_t s = 0; s < ballots.states; ++s) {
            size_t least = 0;
            for (size_t j = 1; j < p; ++j)
                if (errors[s * p + j] < errors[s * p + least] - kSame) least = j;
            path.experts.push_back(least);
            path.edges.push_back(s * p + least);
        }
        return path;
    }
    std::vector<double> ahead(automaton->states());
    std::vector<size_t> chosen(automaton->states());
    for (size_t s = automaton->states(); s-- > 0;) {
        const size_t position = automaton->depth[s];
        ahead[s] = automaton->first[s] == automaton->first[s + 1] ? 0.0 : INFINITY;
        for (size_t e = automaton->first[s]; e < automaton->first[s + 1]; ++e) {
            // Positions that no sentence has are padding.
            const double error = position < ballots.states ? errors[position * p + automaton->expert[e]] : 0.0;
            if (error + ahead[automaton->to[e]] < ahead[s] - kSame) ahead[s] = error + ahead[automaton->to[e]], chosen[s] = e;
        }
    }
    for (size_t s = 0; automaton->first[s] < automaton->first[s + 1]; s = automaton->to[chosen[s]]) {
        path.edges.push_back(chosen[s]);
        path.experts.push_back(automaton->expert[chosen[s]]);
    }
    return path;
}

}  // namespace

Boosted boosted(const Ballots& ballots, const PathAutomaton* automaton, size_t rounds, InterruptCheck interrupt) {
    const size_t tokens = ballots.offsets[ballots.sentences], p = ballots.experts;
    Boosted found;
    found.weights.resize(automaton ? automaton->edges() : ballots.states * p);
    std::vector<double> importance(tokens), errors(ballots.states * p);
    size_t known = 0;
    for (size_t i = 0; i < tokens; ++i) known += ballots.gold[i] >= 0;
    for (size_t i = 0; i < tokens; ++i) importance[i] = ballots.gold[i] >= 0 ? 1.0 / static_cast<double>(std::max<size_t>(known, 1)) : 0.0;
    // 1 for an error; an expert that abstains does what a coin would do.
    const auto wrong = [&](size_t token, int32_t vote) { return vote < 0 ? 0.5 : vote == ballots.gold[token] ? 0.0 : 1.0; };
    for (size_t round = 0; round < rounds; ++round) {
        interrupt.poll();
        std::fill(errors.begin(), errors.end(), 0.0);
        for (size_t i = 0; i < tokens; ++i)
            if (importance[i] > 0.0)
                for (size_t j = 0; j < p; ++j) errors[static_cast<size_t>(ballots.state_of[i]) * p + j] += importance[i] * wrong(i, ballots.votes_at(i)[j]);
        const Path path = least_wrong(ballots, automaton, errors);
        double error = 0.0;
        for (size_t s = 0; s < ballots.states; ++s) error += errors[s * p + path.experts[s]];
        const bool weak = error >= kWeak;
        if (weak && round > 0) break;
        const double bounded = std::max(error, kLeastError), alpha = weak ? 1.0 : 0.5 * std::log((1.0 - bounded) / bounded);
        found.errors.push_back(error);
        found.alphas.push_back(alpha);
        for (const size_t edge : path.edges) found.weights[edge] += alpha;
        if (weak || error < kLeastError) break;
        double total = 0.0;
        for (size_t i = 0; i < tokens; ++i) {
            const double margin = 1.0 - 2.0 * wrong(i, ballots.votes_at(i)[path.experts[static_cast<size_t>(ballots.state_of[i])]]);
            total += importance[i] *= std::exp(-alpha * margin);
        }
        for (double& each : importance) each /= total;
    }
    return found;
}

Stepwise stepwise(const Ballots& ballots, size_t rounds, bool stop, InterruptCheck interrupt) {
    const size_t p = ballots.experts;
    std::vector<double> counts(p), losses(p), tallies(ballots.labels);
    std::vector<size_t> place(ballots.labels);
    Stepwise found{std::vector<double>(p), {}};
    double least = std::numeric_limits<double>::infinity();
    for (size_t round = 0; round < rounds; ++round) {
        interrupt.poll();
        std::fill(losses.begin(), losses.end(), 0.0);
        for (size_t s = 0; s < ballots.sentences; ++s) {
            const double share = 1.0 / static_cast<double>(std::max<size_t>(ballots.length(s), 1));
            for (size_t token = ballots.offsets[s]; token < ballots.offsets[s + 1]; ++token) {
                const int32_t* const votes = ballots.votes_at(token);
                // Votes so far, and who says each label first; the winner has the most, of equal ones the first.
                for (size_t j = p; j-- > 0;)
                    if (votes[j] >= 0) tallies[static_cast<size_t>(votes[j])] += counts[j], place[static_cast<size_t>(votes[j])] = j;
                int32_t winner = -1;
                for (size_t j = 0; j < p; ++j)
                    if (votes[j] >= 0 && (winner < 0 || tallies[static_cast<size_t>(votes[j])] > tallies[static_cast<size_t>(winner)])) winner = votes[j];
                const double winning = winner < 0 ? 0.0 : ballots.cost(token, winner) * share;
                for (size_t j = 0; j < p; ++j) {
                    const bool wins = votes[j] >= 0 && votes[j] != winner && [&] {
                        const size_t mine = static_cast<size_t>(votes[j]), best = static_cast<size_t>(winner);
                        return tallies[mine] + 1.0 > tallies[best] || (tallies[mine] + 1.0 == tallies[best] && place[mine] < place[best]);
                    }();
                    losses[j] += wins ? ballots.cost(token, votes[j]) * share : winning;
                }
                for (size_t j = 0; j < p; ++j)
                    if (votes[j] >= 0) tallies[static_cast<size_t>(votes[j])] = 0.0;
            }
        }
        size_t taken = 0;
        for (double& each : losses) each /= static_cast<double>(std::max<size_t>(ballots.sentences, 1));
        // Of experts that help alike the one taken least so far: else the first would be taken for ever where no single one helps.
        for (size_t j = 1; j < p; ++j)
            if (losses[j] < losses[taken] - kSame || (losses[j] < losses[taken] + kSame && counts[j] < counts[taken])) taken = j;
        const double loss = losses[taken];
        counts[taken] += 1.0;
        found.losses.push_back(loss);
        if (loss < least - kSame) {
            least = loss;
            found.counts = counts;
        } else if (stop) {
            break;
        }
    }
    return found;
}

}  // namespace tagpool
