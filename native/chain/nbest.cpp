// The n best sequences in order, for any n: the recursive enumeration algorithm (Jiménez and Marzal 1999), on the completions of Viterbi.
//
// The r-th best suffix of state (t, i) is some label j followed by the k-th best suffix of (t + 1, j). The next suffix of (t, i) is either j
// with its (k + 1)-th suffix, or the best other candidate. So each further sequence needs at most one further suffix per token, and only
// states on its path. Candidates of one state have different labels, so "higher score, then smaller label" is the lexicographic order
// among equal scores, for suffixes and for whole sequences.
#include <algorithm>
#include <deque>

#include "chain/chain.hpp"

namespace tagpool {
namespace {

struct Suffix {
    double score;  // of the labels after the state
    uint32_t label, rank;

    bool operator<(const Suffix& other) const {  // has a lower priority
        return score != other.score ? score < other.score : label > other.label;
    }
};

struct State {
    size_t token;                    // the next token; the root has token 0 and no label
    size_t label;                    // of the previous token
    std::vector<Suffix> suffixes;    // best first
    std::vector<Suffix> candidates;  // a heap
    bool exhausted = false;
};

class Enumeration {
public:
    explicit Enumeration(const Chain& chain) : chain_(chain), state_index_(chain.tokens * chain.labels(), kNone) {
        std::vector<double> scratch((chain.labels() + 1) * chain.width());
        values_.resize_uninitialized(chain.tokens * chain.width());
        if (chain.tokens > 0) best_completions(chain, values_.data(), scratch.data());
        states_.push_back({0, 0, {}, {}});
        expand(states_[0]);
    }

    // Finds the sequence of this rank (0: the best) after all better ones; false if there are fewer sequences.
    bool find(size_t rank) {
        std::vector<State*> path;
        State* state = &states_[0];
        size_t state_rank = rank;
        bool available = false;
        for (;;) {
            if (state_rank < state->suffixes.size()) {
                available = true;
                break;
            }
            if (state->exhausted) break;
            path.push_back(state);
            state_rank = state->suffixes.back().rank + 1;
            state = &state_at(state->token, state->suffixes.back().label);
        }
        for (; !path.empty(); path.pop_back()) available = extend(*path.back(), available);
        return available;
    }

    double read(size_t rank, int32_t* sequence) {
        const State* state = &states_[0];
        const double score = state->suffixes[rank].score;
        for (size_t t = 0; t < chain_.tokens; ++t) {
            const Suffix& suffix = state->suffixes[rank];
            sequence[t] = static_cast<int32_t>(suffix.label);
            rank = suffix.rank;
            if (t + 1 < chain_.tokens) state = &state_at(t, suffix.label);
        }
        return score;
    }

private:
    static constexpr uint32_t kNone = 0xFFFFFFFF;

    double edge(const State& state, size_t to) const { return state.token == 0 ? 0.0 : chain_.edges->row(state.token, state.label)[to]; }

    State& state_at(size_t token, size_t label) {
        uint32_t& index = state_index_[token * chain_.labels() + label];
        if (index == kNone) {
            index = static_cast<uint32_t>(states_.size());
            states_.push_back({token + 1, label, {}, {}});
            expand(states_.back());
        }
        return states_[index];
    }

    // Makes the best suffix of every possible label a candidate. After the last token, the only suffix is empty.
    void expand(State& state) {
        if (state.token == chain_.tokens) {
            state.suffixes.push_back({0.0, 0, 0});
            state.exhausted = true;
            return;
        }
        for (size_t j = 0; j < chain_.labels(); ++j) {
            const double score = edge(state, j) + values_[state.token * chain_.width() + j];
            if (score != kForbidden) state.candidates.push_back({score, static_cast<uint32_t>(j), 0});
        }
        std::make_heap(state.candidates.begin(), state.candidates.end());
        accept_best(state);
    }

    bool accept_best(State& state) {
        if (state.candidates.empty()) {
            state.exhausted = true;
            return false;
        }
        std::pop_heap(state.candidates.begin(), state.candidates.end());
        state.suffixes.push_back(state.candidates.back());
        state.candidates.pop_back();
        return true;
    }

    // Finds one more suffix of a state. `available`: the state after its last suffix's label has one more suffix.
    bool extend(State& state, bool available) {
        if (available) {
            const Suffix& last = state.suffixes.back();
            const double rest = state_at(state.token, last.label).suffixes[last.rank + 1].score;
            const double score = edge(state, last.label) + (chain_.node(state.token, last.label) + rest);
            state.candidates.push_back({score, last.label, last.rank + 1});
            std::push_heap(state.candidates.begin(), state.candidates.end());
        }
        return accept_best(state);
    }

    const Chain& chain_;
    Buffer<double> values_;              // a [T][P] matrix: best completions
    std::vector<uint32_t> state_index_;  // a [T][L] matrix of indices into states_, kNone = not expanded
    std::deque<State> states_;           // a deque, so that states do not move
};

}  // namespace

Sequences n_best_sequences(const Chain& chain, size_t count) {
    Sequences out;
    Enumeration enumeration(chain);
    for (size_t rank = 0; rank < count && enumeration.find(rank); ++rank) {
        out.labels.resize((rank + 1) * chain.tokens);
        out.scores.push_back(enumeration.read(rank, out.labels.data() + rank * chain.tokens));
    }
    return out;
}

}  // namespace tagpool
