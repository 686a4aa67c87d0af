#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "bindings/helpers.hpp"
#include "pools/opinion.hpp"
#include "pools/paths.hpp"

namespace tagpool {
namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MemberArrays = std::tuple<Doubles, Doubles, Doubles, Doubles>;  // nodes, edges, start, end

std::pair<double, Array<double>> likelihood(const std::vector<MemberArrays>& members, const UInts& offsets, const Ints& gold, const Doubles& weights,
                                            size_t labels, bool vary, Threads threads) {
    const size_t tokens = gold.size();
    ScoredSentences scored{{}, labels, vary, offsets.data(), offsets.size() ? offsets.size() - 1 : 0, gold.data()};
    if (labels == 0 || scored.sentences == 0) throw InputFault("expected labels and sentences");
    expect_size(weights.size(), members.size(), "weights, one per member");
    for (size_t s = 0; s < scored.sentences; ++s)
        if (offsets.data()[s] >= offsets.data()[s + 1]) throw InputFault("sentence " + std::to_string(s + 1) + " has no tokens");
    if (offsets.data()[0] != 0 || offsets.data()[scored.sentences] != tokens)
        throw InputFault("offsets: expected numbers from 0 to " + std::to_string(tokens));
    for (size_t t = 0; t < tokens; ++t)
        if (gold.data()[t] < 0 || static_cast<size_t>(gold.data()[t]) >= labels)
            throw InputFault("label " + std::to_string(gold.data()[t]) + " is out of range");
    for (const auto& [nodes, edges, start, end] : members) {
        expect_size(nodes.size(), tokens * labels, "node scores");
        expect_size(edges.size(), (vary ? tokens : 1) * labels * labels, "edge scores");
        expect_size(start.size(), labels, "start scores");
        expect_size(end.size(), labels, "end scores");
        scored.members.push_back({nodes.data(), edges.data(), start.data(), end.data()});
    }
    std::vector<double> gradient(members.size());
    const double value = without_gil([&] { return pool_likelihood(scored, weights.data(), threads, gradient.data()); });
    return {value, to_array(std::move(gradient))};
}

PathAutomaton make_automaton(const UInts& first, const UInts& to, const UInts& expert, const UInts& depth) {
    PathAutomaton automaton{to_vector(first), to_vector(to), to_vector(expert), to_vector(depth)};
    expect_size(automaton.first.size(), automaton.depth.size() + 1, "offsets of edges, one more than states");
    expect_size(automaton.expert.size(), automaton.to.size(), "experts of edges");
    if (automaton.depth.empty() || automaton.depth[0] != 0 || automaton.first.front() != 0 || automaton.first.back() != automaton.to.size())
        throw InputFault("automaton: expected state 0 at depth 0 and edge offsets from 0 to " + std::to_string(automaton.to.size()));
    for (size_t s = 0; s < automaton.states(); ++s) {
        if (automaton.first[s] > automaton.first[s + 1] || automaton.first[s + 1] > automaton.edges())
            throw InputFault("automaton: the edge offsets of state " + std::to_string(s) + " decrease");
        if (s > 0 && automaton.depth[s] < automaton.depth[s - 1]) throw InputFault("automaton: expected states sorted by depth");
        for (size_t e = automaton.first[s]; e < automaton.first[s + 1]; ++e)
            if (automaton.to[e] <= s || automaton.to[e] >= automaton.states() || automaton.depth[automaton.to[e]] != automaton.depth[s] + 1)
                throw InputFault("automaton: edge " + std::to_string(e) + " does not lead to a state of the next depth");
    }
    return automaton;
}

void expect_below(const int32_t* numbers, size_t count, size_t bound, const char* what) {
    for (size_t i = 0; i < count; ++i)
        if (numbers[i] < -1 || (numbers[i] >= 0 && static_cast<size_t>(numbers[i]) >= bound))
            throw InputFault(std::string(what) + " " + std::to_string(numbers[i]) + " is out of range");
}

// Ballots with references to the arrays that they borrow, and an optional automaton.
class BoundBallots {
public:
    BoundBallots(UInts offsets, Matrix<int32_t> votes, Ints gold, Ints state_of, Matrix<double> costs, size_t states,
                 std::optional<PathAutomaton> automaton)
        : offsets_(offsets), votes_(votes), gold_(gold), state_of_(state_of), costs_(costs), automaton_(std::move(automaton)) {
        const size_t experts = votes.shape(1), labels = costs.shape(0);
        if (experts == 0 || offsets.size() == 0 || offsets.data()[0] != 0) throw InputFault("expected experts, and offsets that begin with 0");
        expect_size(costs.shape(1), labels, "columns of costs, one per label");
        const size_t sentences = offsets.size() - 1, tokens = offsets.data()[sentences];
        for (size_t s = 0; s < sentences; ++s)
            if (offsets.data()[s] > offsets.data()[s + 1]) throw InputFault("offsets: expected increasing numbers");
        expect_size(votes.shape(0), tokens, "rows of votes, one per token");
        expect_size(gold.size(), tokens, "gold labels");
        expect_size(state_of.size(), tokens, "states of tokens");
        expect_below(votes.data(), votes.size(), labels, "vote");
        expect_below(gold.data(), gold.size(), labels, "gold label");
        for (size_t i = 0; i < tokens; ++i)
            if (state_of.data()[i] < 0 || static_cast<size_t>(state_of.data()[i]) >= states)
                throw InputFault("state " + std::to_string(state_of.data()[i]) + " is out of range");
        ballots = {experts, labels, states, sentences, offsets.data(), votes.data(), gold.data(), state_of.data(), costs.data()};
        if (automaton_) check_automaton();
    }

    const PathAutomaton* automaton() const { return automaton_ ? &*automaton_ : nullptr; }
    size_t edges() const { return automaton_ ? automaton_->edges() : ballots.states * ballots.experts; }
    std::unique_ptr<PathLearner> learner(const LearnerKind& kind) const {
        return automaton_ ? automaton_learner(ballots, *automaton_, kind) : table_learner(ballots, kind);
    }
    void check_weights(const Doubles& weights, bool several = false) const {
        const bool is_multiple = weights.size() > 0 && weights.size() % std::max<size_t>(edges(), 1) == 0;
        if (!several || !is_multiple) expect_size(weights.size(), edges(), "weights, one per edge");
    }
    void check_rounds(const UInts& rounds) const {
        for (size_t i = 0; i < rounds.size(); ++i)
            if (rounds.data()[i] >= ballots.sentences || (i > 0 && rounds.data()[i] <= rounds.data()[i - 1]))
                throw InputFault("rounds: expected increasing numbers below " + std::to_string(ballots.sentences));
    }

    Ballots ballots;

private:
    void check_automaton() const {
        size_t longest = 0;
        for (const uint32_t depth : automaton_->depth) longest = std::max<size_t>(longest, depth);
        for (const uint32_t expert : automaton_->expert)
            if (expert >= ballots.experts) throw InputFault("automaton: expert " + std::to_string(expert) + " is out of range");
        for (size_t s = 0; s < automaton_->states(); ++s)
            if (automaton_->first[s] == automaton_->first[s + 1] && automaton_->depth[s] < longest)
                throw InputFault("automaton: state " + std::to_string(s) + " has no edges, but other paths are longer");
        for (size_t s = 0; s < ballots.sentences; ++s)
            if (ballots.length(s) > longest)
                throw InputFault(concat("sentence ", s + 1, " has ", counted(ballots.length(s), "token"), "; the automaton's paths have ", counted(longest, "edge")));
    }

    UInts offsets_;
    Matrix<int32_t> votes_;
    Ints gold_, state_of_;
    Matrix<double> costs_;
    std::optional<PathAutomaton> automaton_;
};

std::pair<Array<int32_t>, Array<double>> vote(const BoundBallots& bound, const Doubles& weights, bool product) {
    bound.check_weights(weights);
    std::vector<int32_t> labels(bound.ballots.offsets[bound.ballots.sentences]);
    std::vector<double> fractions(labels.size());
    {
        nb::gil_scoped_release release;
        PathVote vote(bound.ballots, bound.automaton(), product);
        for (size_t s = 0; s < bound.ballots.sentences; ++s)
            vote.label(s, weights.data(), labels.data() + bound.ballots.offsets[s], fractions.data() + bound.ballots.offsets[s]);
    }
    return {to_array(std::move(labels)), to_array(std::move(fractions))};
}

void bind_paths(nb::module_& m) {
    nb::class_<PathAutomaton>(m, "PathAutomaton", "Acyclic automaton whose edges carry experts.")
        .def("__init__", [](PathAutomaton* self, UInts first, UInts to, UInts expert, UInts depth) {
            new (self) PathAutomaton(make_automaton(first, to, expert, depth));
        }, nb::arg("first"), nb::arg("to"), nb::arg("expert"), nb::arg("depth"));

    nb::class_<LearnerKind>(m, "LearnerKind", "Online learner: follow the perturbed leader (parameter: epsilon) or weighted majority (beta).")
        .def("__init__", [](LearnerKind* self, bool leader, double parameter, uint64_t seed) {
            if (!(parameter > 0.0) || (!leader && parameter >= 1.0))
                throw InputFault("expected a parameter above 0, and below 1 for weighted majority, got " + std::to_string(parameter));
            new (self) LearnerKind{leader, parameter, seed};
        }, nb::arg("leader"), nb::arg("parameter"), nb::arg("seed"));

    nb::class_<BoundBallots>(m, "PathBallots", "Votes [tokens][experts], gold labels and costs [gold][label].")
        .def(nb::init<UInts, Matrix<int32_t>, Ints, Ints, Matrix<double>, size_t, std::optional<PathAutomaton>>(), nb::arg("offsets"),
             nb::arg("votes"), nb::arg("gold"), nb::arg("state_of"), nb::arg("costs"), nb::arg("states"), nb::arg("automaton") = nb::none())
        .def("expected_losses", [](const BoundBallots& bound, const LearnerKind& kind) {
            const auto learner = bound.learner(kind);
            return to_array(without_gil([&] { return expected_losses(*learner, bound.ballots.sentences, check_interrupt); }));
        }, nb::arg("kind"), "Expected loss of every round.")
        .def("averaged", [](const BoundBallots& bound, const LearnerKind& kind, size_t first, size_t last) {
            if (first >= last || last > bound.ballots.sentences)
                throw InputFault(concat("expected rounds from 0 to ", bound.ballots.sentences, ", got ", first, " to ", last));
            const auto learner = bound.learner(kind);
            return to_array(without_gil([&] { return average_distribution(*learner, first, last, check_interrupt); }));
        }, nb::arg("kind"), nb::arg("first"), nb::arg("last"), "Mean distribution over edges of the rounds first to last - 1.")
        .def("distributions", [](const BoundBallots& bound, const LearnerKind& kind, const UInts& rounds) {
            bound.check_rounds(rounds);
            const auto learner = bound.learner(kind);
            return to_array(without_gil([&] { return distributions(*learner, to_vector(rounds), check_interrupt); }));
        }, nb::arg("kind"), nb::arg("rounds"), "Distributions of some rounds, one after another, for draw.")
        .def("losses_ahead", [](const BoundBallots& bound, const LearnerKind& kind, const UInts& rounds) {
            bound.check_rounds(rounds);
            const auto learner = bound.learner(kind);
            return to_array(without_gil([&] { return losses_ahead(bound.ballots, bound.automaton(), *learner, to_vector(rounds), check_interrupt); }));
        }, nb::arg("kind"), nb::arg("rounds"), "Mean loss of each round's distribution on the rounds after it.")
        .def("vote", &vote, nb::arg("weights"), nb::arg("product"), "Label of every token, and the fraction of the votes that it received.")
        .def("draw", [](const BoundBallots& bound, const Doubles& outgoing, uint64_t seed) {
            bound.check_weights(outgoing, true);
            return to_array(without_gil([&] { return draw_labels(bound.ballots, bound.automaton(), to_vector(outgoing), bound.edges(), seed); }));
        }, nb::arg("outgoing"), nb::arg("seed"), "Labels of a random path for each sentence.")
        .def("boosted", [](const BoundBallots& bound, size_t rounds) {
            Boosting boosting = without_gil([&] { return boost(bound.ballots, bound.automaton(), rounds, check_interrupt); });
            return std::tuple{to_array(std::move(boosting.weights)), to_array(std::move(boosting.errors)), to_array(std::move(boosting.alphas))};
        }, nb::arg("rounds"), "ESPBoost: weights of edges, and the error and alpha of each round.")
        .def("stepwise", [](const BoundBallots& bound, size_t rounds, bool stop) {
            Selection selection = without_gil([&] { return select_stepwise(bound.ballots, rounds, stop, check_interrupt); });
            return std::pair{to_array(std::move(selection.counts)), to_array(std::move(selection.losses))};
        }, nb::arg("rounds"), nb::arg("stop"), "Stepwise selection: counts of experts, and the loss after each round.");
}

}  // namespace

void bind_pools(nb::module_& m) {
    bind_paths(m);
    m.def("pool_likelihood", &likelihood, nb::arg("members"), nb::arg("offsets"), nb::arg("gold"), nb::arg("weights"), nb::arg("labels"),
          nb::arg("vary"), nb::arg("threads"), "Log-likelihood of a pool and its gradient by the members' weights.");
}

}  // namespace tagpool
