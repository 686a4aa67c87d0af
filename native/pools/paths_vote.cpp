// Labels from weights of edges: by majority at each token, by the best path of an automaton, or by a random path.
#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "pools/paths.hpp"

namespace tagpool {
namespace {

constexpr double kAbstains = -1e6;  // score of an edge whose expert abstains: chosen only if all experts abstain

// Draws an index by weight among those that `allowed` accepts; `count` if it accepts none.
template <class Allowed>
size_t draw(Random& random, const double* weights, size_t count, const Allowed& allowed) {
    double total = 0.0;
    size_t last = count;
    for (size_t i = 0; i < count; ++i)
        if (allowed(i)) {
            total += weights[i];
            if (last == count || weights[i] > 0.0) last = i;
        }
    double left = random.uniform() * total;
    for (size_t i = 0; i < count; ++i)
        if (allowed(i) && weights[i] > 0.0 && (left -= weights[i]) < 0.0) return i;
    return last;  // after rounding errors
}

}  // namespace

PathVote::PathVote(const Ballots& ballots, const PathAutomaton* automaton, bool product)
    : ballots_(ballots), automaton_(automaton), product_(product), tallies_(ballots.labels) {
    size_t longest = 0;
    for (size_t s = 0; s < ballots.sentences; ++s) longest = std::max(longest, ballots.length(s));
    labels_.resize(longest);
    fractions_.resize(longest);
    if (!automaton) return;
    rows_.resize(longest * ballots.experts);
    best_.resize(automaton->states());
    chosen_.resize(automaton->states());
}

void PathVote::tally(size_t token, const double* row) {
    const int32_t* const votes = ballots_.votes_at(token);
    for (size_t j = 0; j < ballots_.experts; ++j)
        if (votes[j] >= 0) tallies_[static_cast<size_t>(votes[j])] += row[j];
}

void PathVote::clear(size_t token) {
    const int32_t* const votes = ballots_.votes_at(token);
    for (size_t j = 0; j < ballots_.experts; ++j)
        if (votes[j] >= 0) tallies_[static_cast<size_t>(votes[j])] = 0.0;
}

// Ties go to the label of the first expert, so that the order of labels does not matter.
int32_t PathVote::winner(size_t token) const {
    const int32_t* const votes = ballots_.votes_at(token);
    int32_t best = -1;
    for (size_t j = 0; j < ballots_.experts; ++j)
        if (votes[j] >= 0 && (best < 0 || tally_of(votes[j]) > tally_of(best))) best = votes[j];
    return best;
}

void PathVote::label(size_t sentence, const double* weights, int32_t* labels, double* fractions) {
    const size_t begin = ballots_.offsets[sentence], length = ballots_.length(sentence), p = ballots_.experts;
    if (automaton_) {
        std::fill(rows_.begin(), rows_.end(), 0.0);
        for (size_t s = 0; s < automaton_->states(); ++s)
            if (automaton_->depth[s] < length)
                for (size_t e = automaton_->first[s]; e < automaton_->first[s + 1]; ++e)
                    rows_[automaton_->depth[s] * p + automaton_->expert[e]] += weights[e];
        label_by_best_path(sentence, labels);
    }
    for (size_t t = 0; t < length; ++t) {
        const size_t token = begin + t;
        const double* const row = automaton_ ? &rows_[t * p] : weights + static_cast<size_t>(ballots_.state_of[token]) * p;
        tally(token, row);
        if (!automaton_ || labels[t] < 0) labels[t] = winner(token);
        double total = 0.0;
        for (size_t j = 0; j < p; ++j) total += ballots_.votes_at(token)[j] >= 0 ? row[j] : 0.0;
        fractions[t] = labels[t] < 0 || total <= 0.0 ? 0.0 : std::min(tally_of(labels[t]) / total, 1.0);
        clear(token);
    }
}

// Label sequence of the path with the highest product (or sum) of the tallies of its labels. The score depends only on the labels, so the
// best path has the best of all possible label sequences.
void PathVote::label_by_best_path(size_t sentence, int32_t* labels) {
    const size_t begin = ballots_.offsets[sentence], length = ballots_.length(sentence);
    scores_.assign(automaton_->edges(), 0.0);
    for (size_t s = 0; s < automaton_->states();) {  // states of the same depth are adjacent
        const size_t depth = automaton_->depth[s], token = begin + depth;
        size_t end = s;
        while (end < automaton_->states() && automaton_->depth[end] == depth) ++end;
        if (depth < length) {
            const int32_t* const votes = ballots_.votes_at(token);
            tally(token, &rows_[depth * ballots_.experts]);
            for (size_t e = automaton_->first[s]; e < automaton_->first[end]; ++e) {
                const int32_t label = votes[automaton_->expert[e]];
                const double weight = label < 0 ? 0.0 : tally_of(label);
                scores_[e] = label < 0 ? kAbstains : !product_ ? weight : weight > 0.0 ? std::log(weight) : kAbstains / 10;
            }
            clear(token);
        }
        s = end;
    }
    for (size_t s = automaton_->states(); s-- > 0;) {
        best_[s] = automaton_->depth[s] >= length ? 0.0 : -INFINITY;
        if (automaton_->depth[s] >= length) continue;
        for (size_t e = automaton_->first[s]; e < automaton_->first[s + 1]; ++e)
            if (const double score = scores_[e] + best_[automaton_->to[e]]; score > best_[s]) best_[s] = score, chosen_[s] = static_cast<uint32_t>(e);
    }
    size_t s = 0;
    for (size_t t = 0; t < length; ++t, s = automaton_->to[chosen_[s]]) labels[t] = ballots_.votes_at(begin + t)[automaton_->expert[chosen_[s]]];
}

double PathVote::loss(const double* weights, size_t from) {
    double total = 0.0;
    for (size_t s = from; s < ballots_.sentences; ++s) {
        label(s, weights, labels_.data(), fractions_.data());
        double loss = 0.0;
        for (size_t t = 0; t < ballots_.length(s); ++t) loss += ballots_.cost(ballots_.offsets[s] + t, labels_[t]);
        total += loss / static_cast<double>(std::max<size_t>(ballots_.length(s), 1));
    }
    return total / static_cast<double>(std::max<size_t>(ballots_.sentences - from, 1));
}

std::vector<int32_t> draw_labels(const Ballots& ballots, const PathAutomaton* automaton, const std::vector<double>& outgoing, size_t edges,
                                 uint64_t seed) {
    Random random(seed);
    const size_t count = outgoing.size() / edges, p = ballots.experts;
    std::vector<int32_t> labels(ballots.offsets[ballots.sentences], -1);
    std::vector<size_t> expert_at(ballots.states), drawn_in(ballots.states, ballots.sentences);
    for (size_t s = 0; s < ballots.sentences; ++s) {
        const double* const weights = &outgoing[random.below(count) * edges];
        size_t state = 0;
        for (size_t t = 0; t < ballots.length(s); ++t) {
            const size_t token = ballots.offsets[s] + t;
            const int32_t* const votes = ballots.votes_at(token);
            if (automaton) {
                const size_t first = automaton->first[state], edge_count = automaton->first[state + 1] - first;
                size_t edge = draw(random, weights + first, edge_count, [&](size_t i) { return votes[automaton->expert[first + i]] >= 0; });
                if (edge == edge_count) edge = draw(random, weights + first, edge_count, [](size_t) { return true; });
                labels[token] = votes[automaton->expert[first + edge]];
                state = automaton->to[first + edge];
                continue;
            }
            // A path expert follows the same expert at all tokens of a state.
            const size_t here = static_cast<size_t>(ballots.state_of[token]);
            if (drawn_in[here] != s) expert_at[here] = draw(random, weights + here * p, p, [](size_t) { return true; });
            drawn_in[here] = s;
            size_t expert = expert_at[here];
            if (votes[expert] < 0) expert = draw(random, weights + here * p, p, [&](size_t j) { return votes[j] >= 0; });
            if (expert < p) labels[token] = votes[expert];
        }
    }
    return labels;
}

}  // namespace tagpool
