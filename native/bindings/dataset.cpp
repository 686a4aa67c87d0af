#include "dataset/training_set.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "bindings/helpers.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {
namespace {

using History = std::pair<std::shared_ptr<Encoding>, uint32_t>;

std::vector<uint32_t> uints_or_empty(const std::optional<UInts>& array) { return array ? to_vector(*array) : std::vector<uint32_t>(); }

void bind_options(nb::module_& m) {
    nb::class_<TrainingOptions>(m, "Layout", "Which weights a training set has, and how it stores them.")
        .def("__init__", [](TrainingOptions* self, bool all_cells, uint32_t dense_from, bool boundaries, bool all_transitions, bool merge_twins,
                            bool bundle, bool lean) {
            new (self) TrainingOptions{.all_cells = all_cells, .dense_from = dense_from, .boundaries = boundaries,
                                       .all_transitions = all_transitions, .merge_twins = merge_twins, .lean = lean, .bundle = bundle,
                                       .row_unit = lean ? kernels().double_row_unit : TrainingOptions().row_unit};
        }, nb::kw_only(), nb::arg("all_cells") = true, nb::arg("dense_from") = TrainingOptions().dense_from, nb::arg("boundaries") = true,
             nb::arg("all_transitions") = true, nb::arg("merge_twins") = false, nb::arg("bundle") = false, nb::arg("lean") = false)
        .def("set_all_from", [](TrainingOptions& options, uint32_t occurrences) { options.all_from = occurrences; }, nb::arg("occurrences"),
             "Give features with this number of occurrences all cells; only without all_cells.");

    nb::class_<KnownWeights>(m, "KnownWeights",
                             "Weights that exist besides the observed ones: cells, and cells (feature, bigram) of transition features. If "
                             "transitions are given, only these have weights; observe=False ignores the observed cells.")
        .def("__init__", [](KnownWeights* self, std::optional<UInts> features, std::optional<UShorts> labels,
                            std::optional<UInts> transition_features, std::optional<UInts> transition_bigrams, std::optional<UInts> transitions,
                            bool observe) {
            KnownWeights known{.observe = observe};
            if (features && labels) {
                expect_size(labels->size(), features->size(), "labels of known cells");
                for (size_t i = 0; i < features->size(); ++i) known.cells.emplace_back(features->data()[i], labels->data()[i]);
            }
            known.transition_cells.features = uints_or_empty(transition_features);
            known.transition_cells.bigrams = uints_or_empty(transition_bigrams);
            if (transitions) known.transitions = to_vector(*transitions);
            new (self) KnownWeights(std::move(known));
        }, nb::kw_only(), nb::arg("features") = nb::none(), nb::arg("labels") = nb::none(), nb::arg("transition_features") = nb::none(),
             nb::arg("transition_bigrams") = nb::none(), nb::arg("transitions") = nb::none(), nb::arg("observe") = true);
}

void create(TrainingSet* self, const Encoding& encoding, Ints gold, uint32_t features, uint32_t labels, TrainingOptions layout,
            const std::optional<History>& history, std::optional<KnownWeights> known) {
    expect_size(gold.size(), encoding.token_count(), "labels, one per token");
    if (std::any_of(encoding.ids.begin(), encoding.ids.end(), [features](uint32_t id) { return id >= features; }))
        throw InputFault("a feature is out of range; there are " + std::to_string(features));
    layout.labels = labels;
    if (known) layout.known = std::move(*known);
    nb::gil_scoped_release release;
    new (self) TrainingSet(encoding, gold.data(), features, layout, history ? history->first.get() : nullptr, history ? history->second : 0);
}

}  // namespace

void bind_dataset(nb::module_& m) {
    bind_options(m);

    nb::class_<TrainingSet>(m, "TrainingSet", "Encoded sentences with labels, stored for training. history has transition features and their number.")
        .def("__init__", &create, nb::arg("encoding"), nb::arg("gold"), nb::arg("features"), nb::arg("labels"),
             nb::arg("layout") = TrainingOptions(), nb::arg("history") = nb::none(), nb::arg("known") = nb::none(),
             nb::sig("def __init__(self, encoding: Encoding, gold: numpy.typing.NDArray[numpy.int32], features: int, labels: int, "
                     "layout: Layout = ..., history: tuple[Encoding, int] | None = None, known: KnownWeights | None = None) -> None"))
        .def_prop_ro("sentence_count", &TrainingSet::sentence_count, "Number of sentences.")
        .def_prop_ro("token_count", &TrainingSet::token_count, "Number of tokens.")
        .def_prop_ro("cell_count", &TrainingSet::cell_count, "Number of cells (feature, label) with weights.")
        .def_prop_ro("parameter_count", [](const TrainingSet& set) { return set.layout(true).size(); },
                     "Number of parameters: cells, transitions, transition features.")
        .def_prop_ro("bundle_count", [](const TrainingSet& set) { return set.bundled() ? set.bundled()->part_begins.back() : 0; },
                     "Number of bundles.")
        .def("keep_shards_only", &TrainingSet::keep_shards_only, nb::call_guard<nb::gil_scoped_release>(),
             "Release the memory that stochastic gradient descent does not need.")
        .def("row_of", [](const TrainingSet& set, uint32_t feature) { return set.row_of(feature); }, nb::arg("feature"), "Row of a dense feature.")
        .def("cell_features", [](const TrainingSet& set) { return to_array(set.cell_features()); }, "Feature of each cell.")
        .def("cell_labels", [](const TrainingSet& set) { return to_array(set.cell_labels()); }, "Label of each cell.")
        .def("edges", [](const TrainingSet& set) { return to_array(set.edges()); },
             "Transitions with weights: from * L + to, L * L + label at the start, L * (L + 1) + label at the end.")
        .def("edge_weights", [](const TrainingSet& set, Floats weights) {
            const size_t labels = set.labels(), begin = set.cell_count(), end = begin + set.edges().size();
            if (weights.size() < end) throw InputFault("expected the weights of all cells and edges, got " + std::to_string(weights.size()));
            std::vector<float> edges(labels * (labels + 2));
            for (size_t i = begin; i < end; ++i) edges[set.edges()[i - begin]] = weights.data()[i];
            return std::pair(to_view(std::move(edges)), to_view(std::vector<float>(weights.data() + end, weights.data() + weights.size())));
        }, nb::arg("weights"), "Weights of transitions [L][L], start [L] and end [L], 0 where they are not free; and of transition features.")
        .def("transition_cells", [](const TrainingSet& set) {
            TransitionCells cells = set.transition_features().cells(set.labels(), set.stride());
            return std::pair(to_array(std::move(cells.features)), to_array(std::move(cells.bigrams)));
        }, "Cells of transition features: the feature, and from * L + to.");
}

}  // namespace tagpool
