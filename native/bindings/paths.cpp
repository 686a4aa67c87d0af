#include "pools/paths.hpp"

#include <memory>
#include <optional>

#include "bindings/arrays.hpp"
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

namespace tagpool {
namespace {

// Ballots that hold on to their arrays, perhaps with an automaton.
class HeldBallots {
public:
    HeldBallots(UInts offsets, Ints votes, Ints gold, Ints state_of, Doubles costs, size_t experts, size_t states)
        : offsets_(offsets), votes_(votes), gold_(gold), state_of_(state_of), costs_(costs) {
        if (experts == 0 || offsets.size() == 0 || offsets.data()[0] != 0) throw InputFault("expected experts, and offsets from 0 on");
        size_t labels = 0;
        while (labels * labels < costs.size()) ++labels;
        expect_size(costs.size(), labels * labels, "costs, one for each pair of labels");
        const size_t sentences = offsets.size() - 1, tokens = offsets.data()[sentences];
        for (size_t s = 0; s < sentences; ++s)
            if (offsets.data()[s] > offsets.data()[s + 1]) throw InputFault("the offsets fall");
        expect_size(votes.size(), tokens * experts, "votes, one for each token and expert");
        expect_size(gold.size(), tokens, "gold labels");
        expect_size(state_of.size(), tokens, "states of tokens");
        demand_below(votes, labels, "a vote");
        demand_below(gold, labels, "a gold label");
        for (size_t i = 0; i < tokens; ++i)
            if (state_of.data()[i] < 0 || static_cast<size_t>(state_of.data()[i]) >= states) throw InputFault("a state is out of range");
        ballots = {experts, labels, states, sentences, offsets.data(), votes.data(), gold.data(), state_of.data(), costs.data()};
    }

    void set_automaton(const UInts& first, const UInts& to, const UInts& expert, const UInts& depth) {
        PathAutomaton made{copied(first), copied(to), copied(expert), copied(depth)};
        expect_size(made.first.size(), made.depth.size() + 1, "offsets of edges, one more than states");
        expect_size(made.expert.size(), made.to.size(), "experts of edges");
        if (made.depth.empty() || made.depth[0] != 0 || made.first.front() != 0 || made.first.back() != made.to.size())
            throw InputFault("the automaton does not fit together");
        size_t longest = 0;
        for (size_t s = 0; s < made.states(); ++s) {
            if (made.first[s] > made.first[s + 1] || made.first[s + 1] > made.edges()) throw InputFault("the automaton does not fit together");
            if (s > 0 && made.depth[s] < made.depth[s - 1]) throw InputFault("states of the automaton are not in the order of their depth");
            for (size_t e = made.first[s]; e < made.first[s + 1]; ++e)
                if (made.to[e] <= s || made.to[e] >= made.states() || made.depth[made.to[e]] != made.depth[s] + 1 || made.expert[e] >= ballots.experts)
                    throw InputFault("an edge of the automaton leads nowhere");
            longest = std::max<size_t>(longest, made.depth[s]);
        }
        for (size_t s = 0; s < made.states(); ++s)
            if (made.first[s] == made.first[s + 1] && made.depth[s] < longest) throw InputFault("a path of the automaton ends early");
        for (size_t s = 0; s < ballots.sentences; ++s)
            if (ballots.length(s) > longest) throw InputFault("a sentence is longer than the automaton's paths");
        automaton_ = std::move(made);
    }

    const PathAutomaton* automaton() const { return automaton_ ? &*automaton_ : nullptr; }
    size_t edges() const { return automaton_ ? automaton_->edges() : ballots.states * ballots.experts; }
    std::unique_ptr<PathLearner> learner(bool leader, double parameter, uint64_t seed) const {
        if (!(parameter > 0.0) || (!leader && parameter >= 1.0)) throw InputFault("the learner's parameter is out of range");
        const LearnerKind kind{leader, parameter, seed};
        return automaton_ ? automaton_learner(ballots, *automaton_, kind) : table_learner(ballots, kind);
    }
    void demand_weights(const Doubles& weights, bool several = false) const {
        if (several ? weights.size() == 0 || weights.size() % std::max<size_t>(edges(), 1) : weights.size() != edges())
            throw InputFault("the weights do not fit the automaton");
    }
    void demand_rounds(const UInts& rounds) const {
        for (size_t i = 0; i < rounds.size(); ++i)
            if (rounds.data()[i] >= ballots.sentences || (i > 0 && rounds.data()[i] <= rounds.data()[i - 1])) throw InputFault("the rounds are out of order");
    }

    Ballots ballots;

private:
    static void demand_below(const Ints& numbers, size_t bound, const char* what) {
        for (size_t i = 0; i < numbers.size(); ++i)
            if (numbers.data()[i] < -1 || (numbers.data()[i] >= 0 && static_cast<size_t>(numbers.data()[i]) >= bound))
                throw InputFault(std::string(what) + " is out of range");
    }

    UInts offsets_;
    Ints votes_, gold_, state_of_;
    Doubles costs_;
    std::optional<PathAutomaton> automaton_;
};

template <class Work>
auto released(const Work& work) {
    nb::gil_scoped_release release;
    return work();
}

nb::object votes_of(const HeldBallots& held, const Doubles& weights, bool product) {
    held.demand_weights(weights);
    std::vector<int32_t> labels(held.ballots.offsets[held.ballots.sentences]);
    std::vector<double> shares(labels.size());
    released([&] {
        PathVote vote(held.ballots, held.automaton(), product);
        for (size_t s = 0; s < held.ballots.sentences; ++s)
            vote.of_sentence(s, weights.data(), labels.data() + held.ballots.offsets[s], shares.data() + held.ballots.offsets[s]);
        return 0;
    });
    return nb::make_tuple(owned(std::move(labels)), owned(std::move(shares)));
}

}  // namespace

void bind_paths(nb::module_& m) {
    nb::class_<HeldBallots>(m, "PathBallots")
        .def(nb::init<UInts, Ints, Ints, Ints, Doubles, size_t, size_t>(), nb::arg("offsets"), nb::arg("votes"), nb::arg("gold"), nb::arg("state_of"),
             nb::arg("costs"), nb::arg("experts"), nb::arg("states"))
        .def("set_automaton", &HeldBallots::set_automaton, nb::arg("first"), nb::arg("to"), nb::arg("expert"), nb::arg("depth"))
        .def("expected_losses", [](const HeldBallots& held, bool leader, double parameter, uint64_t seed) {
            const auto learner = held.learner(leader, parameter, seed);
            return owned(released([&] { return expected_losses(*learner, held.ballots.sentences, check_interrupt); }));
        }, nb::arg("leader"), nb::arg("parameter"), nb::arg("seed"))
        .def("averaged", [](const HeldBallots& held, bool leader, double parameter, uint64_t seed, size_t from, size_t until) {
            if (from >= until || until > held.ballots.sentences) throw InputFault("there are no such rounds");
            const auto learner = held.learner(leader, parameter, seed);
            return owned(released([&] { return averaged(*learner, from, until, check_interrupt); }));
        }, nb::arg("leader"), nb::arg("parameter"), nb::arg("seed"), nb::arg("first"), nb::arg("last"))
        .def("distributions", [](const HeldBallots& held, bool leader, double parameter, uint64_t seed, const UInts& rounds) {
            held.demand_rounds(rounds);
            const auto learner = held.learner(leader, parameter, seed);
            return owned(released([&] { return distributions(*learner, copied(rounds), check_interrupt); }));
        }, nb::arg("leader"), nb::arg("parameter"), nb::arg("seed"), nb::arg("rounds"))
        .def("losses_ahead", [](const HeldBallots& held, bool leader, double parameter, uint64_t seed, const UInts& rounds) {
            held.demand_rounds(rounds);
            const auto learner = held.learner(leader, parameter, seed);
            return owned(released([&] { return losses_ahead(held.ballots, held.automaton(), *learner, copied(rounds), check_interrupt); }));
        }, nb::arg("leader"), nb::arg("parameter"), nb::arg("seed"), nb::arg("rounds"))
        .def("vote", &votes_of, nb::arg("weights"), nb::arg("product"))
        .def("draw", [](const HeldBallots& held, const Doubles& outgoing, uint64_t seed) {
            held.demand_weights(outgoing, true);
            return owned(released([&] { return drawn(held.ballots, held.automaton(), copied(outgoing), held.edges(), seed); }));
        }, nb::arg("outgoing"), nb::arg("seed"))
        .def("boosted", [](const HeldBallots& held, size_t rounds) {
            Boosted found = released([&] { return boosted(held.ballots, held.automaton(), rounds, check_interrupt); });
            return nb::make_tuple(owned(std::move(found.weights)), owned(std::move(found.errors)), owned(std::move(found.alphas)));
        }, nb::arg("rounds"))
        .def("stepwise", [](const HeldBallots& held, size_t rounds, bool stop) {
            Stepwise found = released([&] { return stepwise(held.ballots, rounds, stop, check_interrupt); });
            return nb::make_tuple(owned(std::move(found.counts)), owned(std::move(found.losses)));
        }, nb::arg("rounds"), nb::arg("stop"));
}

}  // namespace tagpool
