#include "chain/chain.hpp"

#include <algorithm>
#include <memory>

#include "base/fault.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

using Scores = nb::ndarray<nb::numpy, const double, nb::c_contig>;
using Labels = nb::ndarray<nb::numpy, const int32_t, nb::ndim<1>, nb::c_contig>;

// A chain together with the arrays it borrows from.
struct HeldChain {
    HeldChain(Scores nodes_, Scores edges_, Scores start_, Scores end_)
        : nodes(std::move(nodes_)), edges(std::move(edges_)), start(std::move(start_)), end(std::move(end_)) {
        const size_t T = nodes.ndim() == 2 ? nodes.shape(0) : 0, L = T ? nodes.shape(1) : 0;
        const size_t rank = edges.ndim();
        if (T == 0 || L == 0 || rank < 2 || rank > 3 || edges.shape(rank - 1) != L || edges.shape(rank - 2) != L ||
            (rank == 3 && edges.shape(0) + 1 != T) || start.size() != L || end.size() != L)
            throw InputFault("the shapes of the scores do not fit each other");
        prepared = std::make_unique<Edges>(edges.data(), L, rank == 3);
        chain = Chain{prepared.get(), nodes.data(), T, start.data(), end.data()};
    }

    const int32_t* checked(const Labels& labels) const {
        if (labels.size() != chain.tokens) throw InputFault("expected one label a token");
        for (size_t t = 0; t < labels.size(); ++t)
            if (labels.data()[t] < 0 || static_cast<size_t>(labels.data()[t]) >= chain.labels())
                throw InputFault("a label is out of range");
        return labels.data();
    }
    void demand(const Messages& messages) const {
        if (messages.ahead.size() != chain.tokens * chain.width() || !messages.possible)
            throw InputFault("these are not the messages of this chain");
    }
    std::vector<double> node_marginals(const Messages& messages) const {
        demand(messages);
        std::vector<double> out(chain.tokens * chain.labels());
        marginals(chain, messages, out.data());
        return out;
    }

    Scores nodes, edges, start, end;
    std::unique_ptr<Edges> prepared;
    Chain chain;
};

using Found = std::pair<nb::object, double>;

Once make_once(const HeldChain& held, const std::vector<int32_t>& group_of, const nb::bytes& continues) {
    const size_t L = held.chain.labels();
    if (group_of.size() != L || continues.size() != L * L) throw InputFault("the groups do not fit the labels");
    int32_t last = -1;
    for (int32_t group : group_of) last = std::max(last, group);
    return {group_of, static_cast<size_t>(last + 1), reinterpret_cast<const uint8_t*>(continues.c_str())};
}

nb::object best_batch(const Scores& nodes, const nb::ndarray<nb::numpy, const uint32_t, nb::ndim<1>, nb::c_contig>& offsets,
                      const Scores& edges, const Scores& start, const Scores& end) {
    const size_t L = edges.ndim() == 2 ? edges.shape(0) : 0, sentences = offsets.size() ? offsets.size() - 1 : 0;
    if (L == 0 || edges.shape(1) != L || nodes.ndim() != 2 || nodes.shape(1) != L || start.size() != L || end.size() != L)
        throw InputFault("the shapes of the scores do not fit each other");
    for (size_t s = 0; s < sentences; ++s)
        if (offsets.data()[s] > offsets.data()[s + 1] || offsets.data()[s + 1] > nodes.shape(0))
            throw InputFault("offsets must rise, up to the number of tokens");
    std::vector<int32_t> labels(nodes.shape(0), -1);
    {
        nb::gil_scoped_release released;
        ViterbiScratch scratch;
        const Edges prepared(edges.data(), L, false);
        best_sequences(prepared, nodes.data(), offsets.data(), sentences, start.data(), end.data(), scratch, labels.data(),
                       nullptr);
    }
    return owned(std::move(labels));
}

}  // namespace

void bind_chain(nb::module_& m) {
    nb::class_<Messages>(m, "Messages")
        .def_ro("possible", &Messages::possible)
        .def_ro("logarithmic", &Messages::logarithmic)
        .def("log_partition", &Messages::log_partition);

    nb::class_<HeldChain>(m, "Chain")
        .def(nb::init<Scores, Scores, Scores, Scores>(), nb::arg("nodes"), nb::arg("edges"), nb::arg("start"), nb::arg("end"))
        .def("score", [](const HeldChain& held, const Labels& labels) { return held.chain.score(held.checked(labels)); },
             nb::arg("labels"))
        .def("best", [](const HeldChain& held) {
            std::vector<int32_t> labels(held.chain.tokens);
            double score;
            {
                nb::gil_scoped_release released;
                ViterbiScratch scratch;
                score = best_sequence(held.chain, scratch, labels.data());
            }
            return Found{owned(std::move(labels)), score};
        })
        .def("best_once", [](const HeldChain& held, const std::vector<int32_t>& group_of, const nb::bytes& continues) {
            const Once once = make_once(held, group_of, continues);
            std::vector<int32_t> labels(held.chain.tokens);
            double score;
            {
                nb::gil_scoped_release released;
                score = best_sequence_once(held.chain, once, labels.data());
            }
            return Found{owned(std::move(labels)), score};
        }, nb::arg("group_of"), nb::arg("continues"))
        .def("best_n", [](const HeldChain& held, size_t count) {
            Sequences found;
            {
                nb::gil_scoped_release released;
                found = best_sequences(held.chain, count);
            }
            return std::pair{owned(std::move(found.labels)), std::move(found.scores)};
        }, nb::arg("count"))
        .def("messages", [](const HeldChain& held) { return Messages(held.chain); }, nb::call_guard<nb::gil_scoped_release>())
        .def("log_probability", [](const HeldChain& held, const Messages& messages, const Labels& labels) {
            held.demand(messages);
            return log_probability(held.chain, messages, held.checked(labels));
        }, nb::arg("messages"), nb::arg("labels"))
        .def("marginals", [](const HeldChain& held, const Messages& messages) {
            std::vector<double> out;
            {
                nb::gil_scoped_release released;
                out = held.node_marginals(messages);
            }
            return owned(std::move(out));
        }, nb::arg("messages"))
        .def("pair_marginals", [](const HeldChain& held, const Messages& messages) {
            const size_t L = held.chain.labels();
            std::vector<double> out;
            {
                nb::gil_scoped_release released;
                const std::vector<double> nodes = held.node_marginals(messages);
                out.resize((held.chain.tokens - 1) * L * L);
                pair_marginals(held.chain, messages, nodes.data(), out.data());
            }
            return owned(std::move(out));
        }, nb::arg("messages"))
        .def("log_transitions", [](const HeldChain& held, const Messages& messages) {
            held.demand(messages);
            const size_t L = held.chain.labels();
            std::vector<double> first(L), steps((held.chain.tokens - 1) * L * L);
            {
                nb::gil_scoped_release released;
                log_transitions(held.chain, messages, first.data(), steps.data());
            }
            return std::pair{owned(std::move(first)), owned(std::move(steps))};
        }, nb::arg("messages"))
        .def("entropy", [](const HeldChain& held, const Messages& messages) {
            return entropy(held.chain, messages, held.node_marginals(messages).data());
        }, nb::arg("messages"), nb::call_guard<nb::gil_scoped_release>())
        .def("sample", [](const HeldChain& held, const Messages& messages, size_t count, uint64_t seed) {
            held.demand(messages);
            std::vector<int32_t> out;
            {
                nb::gil_scoped_release released;
                out.resize(count * held.chain.tokens);
                sample(held.chain, messages, count, seed, out.data());
            }
            return owned(std::move(out));
        }, nb::arg("messages"), nb::arg("count"), nb::arg("seed"));

    m.def("best_batch", &best_batch, nb::arg("nodes"), nb::arg("offsets"), nb::arg("edges"), nb::arg("start"), nb::arg("end"));
}

}  // namespace tagpool
