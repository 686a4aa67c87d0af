// Batch ensembles: ESPBoost and forward stepwise selection of experts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pools/paths.hpp"

namespace tagpool {
namespace {

constexpr double kLeastError = 1e-12;  // keeps the α of a path without errors finite
constexpr double kWeak = 0.5 - 1e-9;   // a path that is chosen again has error 1/2, up to rounding
constexpr double kSame = 1e-12;        // sums that differ by less count as equal

// Expert and edge at each position.
struct Path {
    std::vector<size_t> experts, edges;
};

// Path with the least sum of errors [state][expert]; ties go to the first.
Path best_path(const Ballots& ballots, const PathAutomaton* automaton, const std::vector<double>& errors) {
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
            // Positions beyond all sentences are padding.
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

Boosting boost(const Ballots& ballots, const PathAutomaton* automaton, size_t rounds, InterruptCheck interrupt) {
    const size_t tokens = ballots.offsets[ballots.sentences], p = ballots.experts;
    Boosting boosting;
    boosting.weights.resize(automaton ? automaton->edges() : ballots.states * p);
    std::vector<double> importance(tokens), errors(ballots.states * p);
    size_t known = 0;
    for (size_t i = 0; i < tokens; ++i) known += ballots.gold[i] >= 0;
    for (size_t i = 0; i < tokens; ++i) importance[i] = ballots.gold[i] >= 0 ? 1.0 / static_cast<double>(std::max<size_t>(known, 1)) : 0.0;
    // An abstention counts as half an error.
    const auto error_of = [&](size_t token, int32_t vote) { return vote < 0 ? 0.5 : vote == ballots.gold[token] ? 0.0 : 1.0; };
    for (size_t round = 0; round < rounds; ++round) {
        interrupt.poll();
        std::fill(errors.begin(), errors.end(), 0.0);
        for (size_t i = 0; i < tokens; ++i)
            if (importance[i] > 0.0)
                for (size_t j = 0; j < p; ++j)
                    errors[static_cast<size_t>(ballots.state_of[i]) * p + j] += importance[i] * error_of(i, ballots.votes_at(i)[j]);
        const Path path = best_path(ballots, automaton, errors);
        double error = 0.0;
        for (size_t s = 0; s < ballots.states; ++s) error += errors[s * p + path.experts[s]];
        const bool weak = error >= kWeak;
        if (weak && round > 0) break;
        const double bounded = std::max(error, kLeastError), alpha = weak ? 1.0 : 0.5 * std::log((1.0 - bounded) / bounded);
        boosting.errors.push_back(error);
        boosting.alphas.push_back(alpha);
        for (const size_t edge : path.edges) boosting.weights[edge] += alpha;
        if (weak || error < kLeastError) break;
        double total = 0.0;
        for (size_t i = 0; i < tokens; ++i) {
            const double margin = 1.0 - 2.0 * error_of(i, ballots.votes_at(i)[path.experts[static_cast<size_t>(ballots.state_of[i])]]);
            total += importance[i] *= std::exp(-alpha * margin);
        }
        for (double& weight : importance) weight /= total;
    }
    return boosting;
}

Selection select_stepwise(const Ballots& ballots, size_t rounds, bool stop, InterruptCheck interrupt) {
    const size_t p = ballots.experts;
    std::vector<double> counts(p), losses(p), tallies(ballots.labels);
    std::vector<size_t> first_expert(ballots.labels);
    Selection selection{std::vector<double>(p), {}};
    double least = std::numeric_limits<double>::infinity();
    for (size_t round = 0; round < rounds; ++round) {
        interrupt.poll();
        std::fill(losses.begin(), losses.end(), 0.0);
        for (size_t s = 0; s < ballots.sentences; ++s) {
            const double per_token = 1.0 / static_cast<double>(std::max<size_t>(ballots.length(s), 1));
            for (size_t token = ballots.offsets[s]; token < ballots.offsets[s + 1]; ++token) {
                const int32_t* const votes = ballots.votes_at(token);
                // Tally of the selected experts, and the first expert that votes for each label. Ties go to the first expert.
                for (size_t j = p; j-- > 0;)
                    if (votes[j] >= 0) tallies[static_cast<size_t>(votes[j])] += counts[j], first_expert[static_cast<size_t>(votes[j])] = j;
                int32_t winner = -1;
                for (size_t j = 0; j < p; ++j)
                    if (votes[j] >= 0 && (winner < 0 || tallies[static_cast<size_t>(votes[j])] > tallies[static_cast<size_t>(winner)]))
                        winner = votes[j];
                const double winning = winner < 0 ? 0.0 : ballots.cost(token, winner) * per_token;
                for (size_t j = 0; j < p; ++j) {
                    const bool wins = votes[j] >= 0 && votes[j] != winner && [&] {
                        const size_t label = static_cast<size_t>(votes[j]), best = static_cast<size_t>(winner);
                        return tallies[label] + 1.0 > tallies[best] ||
                               (tallies[label] + 1.0 == tallies[best] && first_expert[label] < first_expert[best]);
                    }();
                    losses[j] += wins ? ballots.cost(token, votes[j]) * per_token : winning;
                }
                for (size_t j = 0; j < p; ++j)
                    if (votes[j] >= 0) tallies[static_cast<size_t>(votes[j])] = 0.0;
            }
        }
        size_t selected = 0;
        for (double& loss : losses) loss /= static_cast<double>(std::max<size_t>(ballots.sentences, 1));
        // Ties go to the expert selected least often. Otherwise the first would be selected forever if no single expert helps.
        for (size_t j = 1; j < p; ++j)
            if (losses[j] < losses[selected] - kSame || (losses[j] < losses[selected] + kSame && counts[j] < counts[selected])) selected = j;
        const double loss = losses[selected];
        counts[selected] += 1.0;
        selection.losses.push_back(loss);
        if (loss < least - kSame) {
            least = loss;
            selection.counts = counts;
        } else if (stop) {
            break;
        }
    }
    return selection;
}

}  // namespace tagpool
