// The n best sequences, exactly and in order, for any n: the recursive enumeration algorithm (Jiménez and Marzal 1999) from the
// left, on the completions that Viterbi leaves.
//
// The r-th best suffix of state (t, i) goes to some label j and on with j's k-th best. The next one of (t, i) is either that
// j with its (k + 1)-th, or another that waits already: so each further sequence asks for at most one further suffix a token,
// and opens only states it goes through. Waiting suffixes of one state go to different labels: "higher score, then smaller
// label" is then the lexicographic order among equal scores, for the suffixes and so for the whole.
#include <algorithm>
#include <deque>

#include "chain/chain.hpp"

namespace tagpool {
namespace {

struct Suffix {
    double score;  // of all that follows the state
    uint32_t label, rank;

    bool operator<(const Suffix& other) const {  // worse
        return score != other.score ? score < other.score : label > other.label;
    }
};

struct State {
    size_t token;  // the one to come: 0 for the root, which has no label
    size_t label;  // of the one before
    std::vector<Suffix> found, waiting;  // best first; a heap
    bool exhausted = false;
};

class Enumeration {
public:
    explicit Enumeration(const Chain& chain) : chain_(chain), places_(chain.tokens * chain.labels(), kNone) {
        std::vector<double> scratch((chain.labels() + 1) * chain.width());
        values_.resize_uninitialized(chain.tokens * chain.width());
        best_completions(chain, values_.data(), scratch.data());
        states_.push_back({0, 0, {}, {}});
        open(states_[0]);
    }

    // Finds the rank-th best sequence, after all better ones; false if there is none.
    bool find(size_t rank) {
        std::vector<State*> path;
        State* state = &states_[0];
        size_t wanted = rank;
        bool available = false;
        for (;;) {
            if (wanted < state->found.size()) {
                available = true;
                break;
            }
            if (state->exhausted) break;
            path.push_back(state);
            wanted = state->found.back().rank + 1;
            state = &state_at(state->token, state->found.back().label);
        }
        for (; !path.empty(); path.pop_back()) available = extend(*path.back(), available);
        return available;
    }

    double read(size_t rank, int32_t* sequence) {
        const State* state = &states_[0];
        const double score = state->found[rank].score;
        for (size_t t = 0; t < chain_.tokens; ++t) {
            const Suffix& suffix = state->found[rank];
            sequence[t] = static_cast<int32_t>(suffix.label);
            rank = suffix.rank;
            if (t + 1 < chain_.tokens) state = &state_at(t, suffix.label);
        }
        return score;
    }

private:
    static constexpr uint32_t kNone = 0xFFFFFFFF;

    double edge(const State& state, size_t to) const {
        return state.token == 0 ? 0.0 : chain_.edges->row(state.token, state.label)[to];
    }

    State& state_at(size_t token, size_t label) {
        uint32_t& place = places_[token * chain_.labels() + label];
        if (place == kNone) {
            place = static_cast<uint32_t>(states_.size());
            states_.push_back({token + 1, label, {}, {}});
            open(states_.back());
        }
        return states_[place];
    }

    // All labels that may follow wait with their best suffix. After the last token there is one suffix, the empty one.
    void open(State& state) {
        if (state.token == chain_.tokens) {
            state.found.push_back({0.0, 0, 0});
            state.exhausted = true;
            return;
        }
        for (size_t j = 0; j < chain_.labels(); ++j) {
            const double score = edge(state, j) + values_[state.token * chain_.width() + j];
            if (score != kForbidden) state.waiting.push_back({score, static_cast<uint32_t>(j), 0});
        }
        std::make_heap(state.waiting.begin(), state.waiting.end());
        take(state);
    }

    bool take(State& state) {
        if (state.waiting.empty()) {
            state.exhausted = true;
            return false;
        }
        std::pop_heap(state.waiting.begin(), state.waiting.end());
        state.found.push_back(state.waiting.back());
        state.waiting.pop_back();
        return true;
    }

    // One suffix more for a state, now that its last one's label has (or has not) found its own next one.
    bool extend(State& state, bool available) {
        if (available) {
            const Suffix& last = state.found.back();
            const double rest = state_at(state.token, last.label).found[last.rank + 1].score;
            const double score = edge(state, last.label) + (chain_.node(state.token, last.label) + rest);
            state.waiting.push_back({score, last.label, last.rank + 1});
            std::push_heap(state.waiting.begin(), state.waiting.end());
        }
        return take(state);
    }

    const Chain& chain_;
    Buffer<double> values_;
    std::vector<uint32_t> places_;  // of each (token, label) among the states
    std::deque<State> states_;      // which do not move
};

}  // namespace

Sequences best_sequences(const Chain& chain, size_t count) {
    Sequences out;
    Enumeration enumeration(chain);
    for (size_t rank = 0; rank < count && enumeration.find(rank); ++rank) {
        out.labels.resize((rank + 1) * chain.tokens);
        out.scores.push_back(enumeration.read(rank, out.labels.data() + rank * chain.tokens));
    }
    return out;
}

}  // namespace tagpool
