#include "chain/chain.hpp"

#include <algorithm>
#include <memory>

#include "base/fault.hpp"
#include "bindings/helpers.hpp"

namespace tagpool {
namespace {

using Scores = nb::ndarray<nb::numpy, const double, nb::c_contig>;
using Labels = Array<int32_t>;
using ScoredLabels = std::pair<Array<int32_t>, double>;

constexpr const char* kShapes = "the shapes of nodes, edges, start and end do not match";

// Number of steps between the tokens of a sentence.
size_t steps_of(size_t tokens) { return tokens == 0 ? 0 : tokens - 1; }

// Chain with references to the arrays that it borrows.
struct BoundChain {
    BoundChain(Scores nodes_, Scores edges_, Scores start_, Scores end_)
        : nodes(std::move(nodes_)), edges(std::move(edges_)), start(std::move(start_)), end(std::move(end_)) {
        const size_t T = nodes.ndim() == 2 ? nodes.shape(0) : 0, L = nodes.ndim() == 2 ? nodes.shape(1) : 0;
        const size_t rank = edges.ndim();
        if (L == 0 || rank < 2 || rank > 3 || edges.shape(rank - 1) != L || edges.shape(rank - 2) != L ||
            (rank == 3 && edges.shape(0) != steps_of(T)) || start.size() != L || end.size() != L)
            throw InputFault(kShapes);
        prepared = std::make_unique<Edges>(edges.data(), L, rank == 3);
        chain = Chain{prepared.get(), nodes.data(), T, start.data(), end.data()};
    }

    const int32_t* checked(const Labels& labels) const {
        expect_size(labels.size(), chain.tokens, "labels, one per token");
        for (size_t t = 0; t < labels.size(); ++t)
            if (labels.data()[t] < 0 || static_cast<size_t>(labels.data()[t]) >= chain.labels())
                throw InputFault("label " + std::to_string(labels.data()[t]) + " is out of range");
        return labels.data();
    }
    void check(const Messages& messages) const {
        if (messages.ahead.size() != chain.tokens * chain.width() || !messages.possible)
            throw InputFault("the messages belong to another chain; call messages() of this one");
    }
    std::vector<double> node_marginals(const Messages& messages) const {
        check(messages);
        std::vector<double> out(chain.tokens * chain.labels());
        marginals(chain, messages, out.data());
        return out;
    }

    Scores nodes, edges, start, end;
    std::unique_ptr<Edges> prepared;
    Chain chain;
};

AtMostOnce make_rule(const BoundChain& bound, const std::vector<int32_t>& group_of, const nb::bytes& continues) {
    const size_t L = bound.chain.labels();
    expect_size(group_of.size(), L, "groups, one per label");
    expect_size(continues.size(), L * L, "bytes of continues, one per bigram");
    int32_t last = -1;
    for (int32_t group : group_of) last = std::max(last, group);
    return {group_of, static_cast<size_t>(last + 1), reinterpret_cast<const uint8_t*>(continues.c_str())};
}

Array<int32_t> best_batch(const Scores& nodes, const Array<uint32_t>& offsets, const Scores& edges, const Scores& start,
                          const Scores& end) {
    const size_t L = edges.ndim() == 2 ? edges.shape(0) : 0, sentences = offsets.size() ? offsets.size() - 1 : 0;
    if (L == 0 || edges.shape(1) != L || nodes.ndim() != 2 || nodes.shape(1) != L || start.size() != L || end.size() != L)
        throw InputFault(kShapes);
    for (size_t s = 0; s < sentences; ++s)
        if (offsets.data()[s] > offsets.data()[s + 1] || offsets.data()[s + 1] > nodes.shape(0))
            throw InputFault("offsets: expected increasing numbers up to the number of tokens");
    std::vector<int32_t> labels(nodes.shape(0), -1);
    without_gil([&] {
        const Edges prepared(edges.data(), L, false);
        best_sequences({&prepared, nodes.data(), offsets.data(), sentences, start.data(), end.data()}, labels.data());
    });
    return to_array(std::move(labels));
}

void bind_search(nb::class_<BoundChain>& chain) {
    chain
        .def(nb::init<Scores, Scores, Scores, Scores>(), nb::arg("nodes"), nb::arg("edges"), nb::arg("start"), nb::arg("end"))
        .def("score", [](const BoundChain& bound, const Labels& labels) { return bound.chain.score(bound.checked(labels)); },
             nb::arg("labels"), "Score of a sequence.")
        .def("best", [](const BoundChain& bound) {
            ViterbiScratch scratch;
            std::vector<int32_t> labels(bound.chain.tokens);
            const double score = without_gil([&] { return best_sequence(bound.chain, scratch, labels.data()); });
            return ScoredLabels{to_array(std::move(labels)), score};
        }, "Best sequence and its score.")
        .def("best_once", [](const BoundChain& bound, const std::vector<int32_t>& group_of, const nb::bytes& continues) {
            const AtMostOnce rule = make_rule(bound, group_of, continues);
            std::vector<int32_t> labels(bound.chain.tokens);
            const double score = without_gil([&] { return best_sequence_at_most_once(bound.chain, rule, labels.data()); });
            return ScoredLabels{to_array(std::move(labels)), score};
        }, nb::arg("group_of"), nb::arg("continues"), "Best sequence that enters each group of labels at most once, and its score.")
        .def("best_n", [](const BoundChain& bound, size_t count) {
            Sequences best = without_gil([&] { return n_best_sequences(bound.chain, count); });
            return std::pair{to_array(std::move(best.labels)), std::move(best.scores)};
        }, nb::arg("count"), "The count best sequences, one after another, and their scores.");
}

void bind_sums(nb::class_<BoundChain>& chain) {
    chain
        .def("messages", [](const BoundChain& bound) { return Messages(bound.chain); }, nb::call_guard<nb::gil_scoped_release>(),
             "Run the backward pass.")
        .def("log_probability", [](const BoundChain& bound, const Messages& messages, const Labels& labels) {
            bound.check(messages);
            return log_probability(bound.chain, messages, bound.checked(labels));
        }, nb::arg("messages"), nb::arg("labels"), "Log-probability of a sequence.")
        .def("marginals", [](const BoundChain& bound, const Messages& messages) {
            return to_array(without_gil([&] { return bound.node_marginals(messages); }));
        }, nb::arg("messages"), "Probability of each label at each token, [T][L].")
        .def("pair_marginals", [](const BoundChain& bound, const Messages& messages) {
            return to_array(without_gil([&] {
                std::vector<double> out(steps_of(bound.chain.tokens) * bound.chain.labels() * bound.chain.labels());
                bigram_marginals(bound.chain, messages, bound.node_marginals(messages).data(), out.data());
                return out;
            }));
        }, nb::arg("messages"), "Probability of each label bigram, [T - 1][L][L].")
        .def("log_transitions", [](const BoundChain& bound, const Messages& messages) {
            bound.check(messages);
            if (bound.chain.tokens == 0) throw InputFault("a sentence without tokens has no first label");
            const size_t L = bound.chain.labels();
            std::vector<double> first(L), steps(steps_of(bound.chain.tokens) * L * L);
            without_gil([&] { log_transitions(bound.chain, messages, first.data(), steps.data()); });
            return std::pair{to_array(std::move(first)), to_array(std::move(steps))};
        }, nb::arg("messages"), "Log-probabilities of the first label [L], and of each label given the previous one [T - 1][L][L].")
        .def("entropy", [](const BoundChain& bound, const Messages& messages) {
            return entropy(bound.chain, messages, bound.node_marginals(messages).data());
        }, nb::arg("messages"), nb::call_guard<nb::gil_scoped_release>(), "Entropy of the distribution over sequences.")
        .def("sample", [](const BoundChain& bound, const Messages& messages, size_t count, uint64_t seed) {
            bound.check(messages);
            return to_array(without_gil([&] {
                std::vector<int32_t> out(count * bound.chain.tokens);
                sample(bound.chain, messages, count, seed, out.data());
                return out;
            }));
        }, nb::arg("messages"), nb::arg("count"), nb::arg("seed"), "Random sequences, one after another.");
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<Messages>(m, "Messages", "Result of the backward pass over a chain.")
        .def_ro("possible", &Messages::possible, "Whether any label sequence is possible.")
        .def_ro("logarithmic", &Messages::logarithmic, "Whether the pass was computed in log space.")
        .def("log_partition", &Messages::log_partition, "Logarithm of the sum over all sequences.");

    nb::class_<BoundChain> chain(m, "Chain", "Scores of one sentence: nodes [T][L], edges [L][L] or [T - 1][L][L], start and end [L].");
    bind_search(chain);
    bind_sums(chain);
    m.def("best_batch", &best_batch, nb::arg("nodes"), nb::arg("offsets"), nb::arg("edges"), nb::arg("start"), nb::arg("end"),
          "Best sequence of every sentence, with the same edges; -1 where no sequence is possible.");
}

}  // namespace tagpool
