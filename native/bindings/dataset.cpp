#include "dataset/packed_sentences.hpp"
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

void check_ids(const Encoding& encoding, size_t features) {
    if (std::any_of(encoding.ids.begin(), encoding.ids.end(), [features](uint32_t id) { return id >= features; }))
        throw InputFault("a feature is out of range; there are " + std::to_string(features));
}

void create(TrainingSet* self, const Encoding& encoding, Ints gold, uint32_t features, uint32_t labels, TrainingOptions layout,
            const std::optional<History>& history, std::optional<KnownWeights> known) {
    expect_size(gold.size(), encoding.token_count(), "labels, one per token");
    check_ids(encoding, features);
    layout.labels = labels;
    if (known) layout.known = std::move(*known);
    nb::gil_scoped_release release;
    new (self) TrainingSet(encoding, gold.data(), features, layout, history ? history->first.get() : nullptr, history ? history->second : 0);
}

// Options of a training with this number of labels and these known weights.
TrainingOptions options_of(TrainingOptions layout, uint32_t labels, std::optional<KnownWeights> known) {
    layout.labels = labels;
    if (known) layout.known = std::move(*known);
    return layout;
}

void check_slice(const Encoding& encoding, const Ints& gold, size_t features) {
    expect_size(gold.size(), encoding.token_count(), "labels, one per token");
    check_ids(encoding, features);
}

using LoadChunks = nb::typed<nb::callable, TrainingSet(nb::typed<nb::list, int>)>;

std::unique_ptr<TrainingSet> streamed_set(const std::shared_ptr<WeightLayout>& weights, const std::vector<std::pair<uint32_t, uint32_t>>& chunks,
                                          const LoadChunks& load) {
    auto stream = std::make_shared<SentenceStream>();
    for (const auto& [sentences, tokens] : chunks) stream->chunks.add(sentences, tokens);
    expect_size(stream->chunks.token_count(), weights->token_count(), "tokens of the chunks");
    // Trainers load without the interpreter lock.
    const std::shared_ptr<nb::callable> callable(new nb::callable(load), [](nb::callable* owned) {
        const nb::gil_scoped_acquire acquire;
        delete owned;
    });
    stream->load = [callable](const std::vector<uint32_t>& numbers) {
        const nb::gil_scoped_acquire acquire;
        return nb::cast<std::shared_ptr<TrainingSet>>((*callable)(numbers));
    };
    return std::make_unique<TrainingSet>(weights, std::move(stream));
}

// Sentences [first, last) as bytes for a file, and back.
nb::bytes pack_chunk(const Encoding& encoding, const Ints& gold, const Encoding* history, size_t first, size_t last) {
    expect_size(gold.size(), encoding.token_count(), "labels, one per token");
    if (first > last || last + 1 > encoding.sentences.size()) throw InputFault("the sentences of a chunk are out of range");
    return to_bytes(without_gil([&] { return pack_sentences(encoding, gold.data(), history, first, last); }));
}

nb::typed<nb::tuple, Encoding, Array<int32_t>, std::optional<Encoding>> unpack_chunks(const std::vector<nb::bytes>& chunks) {
    std::vector<std::string_view> views;
    for (const nb::bytes& chunk : chunks) views.push_back(bytes_view(chunk));
    PackedSentences out = without_gil([&] { return unpack_sentences(views); });
    nb::object history = out.has_history ? nb::cast(std::move(out.history)) : nb::none();
    return nb::make_tuple(nb::cast(std::move(out.encoding)), to_array(std::move(out.gold)), history);
}

void bind_chunks(nb::module_& m) {
    m.attr("CHUNK_TOKENS") = Chunks::kChunkTokens;
    m.attr("BLOCK_TOKENS") = Chunks::kBlockTokens;
    m.def("pack_chunk", &pack_chunk, nb::arg("encoding"), nb::arg("gold"), nb::arg("history").none(), nb::arg("first"), nb::arg("last"),
          "Sentences first to last of an encoding as bytes, for a file of this process.");
    m.def("unpack_chunks", &unpack_chunks, nb::arg("chunks"), "Encoding, labels and transition features of chunks, one after the other.");
}

void bind_observations(nb::module_& m) {
    nb::class_<Observations>(m, "Observations", "Counts of a slice of a corpus, from which the layout of weights follows. Slices are merged in order.")
        .def("__init__", [](Observations* self, uint32_t features, uint32_t labels, const TrainingOptions& layout, uint32_t history_features,
                            uint64_t begin, std::optional<KnownWeights> known) {
            new (self) Observations(options_of(layout, labels, std::move(known)), features, history_features, begin);
        }, nb::arg("features"), nb::arg("labels"), nb::arg("layout"), nb::arg("history_features") = 0, nb::arg("begin") = 0,
             nb::arg("known") = nb::none())
        .def("add", [](Observations& seen, const Encoding& encoding, const Ints& gold, const Encoding* history) {
            check_slice(encoding, gold, seen.features().size());
            nb::gil_scoped_release release;
            seen.add(encoding, gold.data(), history);
        }, nb::arg("encoding"), nb::arg("gold"), nb::arg("history") = nb::none(), "Add the next sentences.")
        .def("merge", &Observations::merge, nb::arg("next"), nb::call_guard<nb::gil_scoped_release>(), "Add those of the sentences that follow.")
        .def("state", [](Observations& seen) { return to_bytes(seen.bytes()); }, "All counts as bytes.")
        .def("read", [](Observations& seen, const nb::bytes& bytes) { seen.read(bytes_view(bytes)); }, nb::arg("state"),
             "Replace the counts by those of bytes, of observations with the same options and features.")
        .def_prop_ro("token_count", &Observations::tokens, "Number of tokens.")
        .def_prop_ro("sentence_count", &Observations::sentences, "Number of sentences.");

}

void bind_weight_layout(nb::module_& m) {
    nb::class_<BundleColumns>(m, "BundleColumns", "Groups of features that may form bundles.")
        .def("sort", [](BundleColumns& columns, const Encoding& encoding, bool usual) {
            check_ids(encoding, columns.columns().size());
            nb::gil_scoped_release release;
            const std::optional<Encoding> nonzero = without_zeros(encoding);
            columns.sort(nonzero ? *nonzero : encoding, usual);
        }, nb::arg("encoding"), nb::arg("usual"), "Sort the features of the next sentences: all slices with usual=True, then all with False.")
        .def("join", [](BundleColumns& columns, const Encoding& encoding) {
            check_ids(encoding, columns.columns().size());
            const std::optional<Encoding> nonzero = without_zeros(encoding);
            columns.join(nonzero ? *nonzero : encoding);
        }, nb::arg("encoding"), "Join columns, by the slice with the first part; once, after sorting.")
        .def("savings", [](const BundleColumns& columns, const WeightLayout& weights, const Encoding& encoding, size_t begin,
                           std::optional<size_t> part) {
            check_ids(encoding, weights.feature_count());
            nb::gil_scoped_release release;
            return bundle_savings(weights, columns, encoding, begin, part.value_or(kAllParts));
        }, nb::arg("weights"), nb::arg("encoding"), nb::arg("begin"), nb::arg("part") = nb::none(),
             "Work that bundles save in a slice of whole parts, or in one part of it.")
        .def("state", [](BundleColumns& columns) -> nb::typed<nb::tuple, nb::bytes, int> {
            return nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(columns.columns().data()), columns.columns().size()), columns.size());
        }, "Columns of all features and the number of columns, to continue elsewhere.")
        .def("set_state", [](BundleColumns& columns, const nb::bytes& bytes, size_t size) {
            expect_size(bytes.size(), columns.columns().size(), "columns");
            const std::string_view view = bytes_view(bytes);
            columns.columns().assign(view.begin(), view.end());
            columns.set_size(size);
        }, nb::arg("columns"), nb::arg("size"), "Continue from the state of other columns.");

    nb::class_<WeightLayout>(m, "WeightLayout", "Places of the weights of a training, and the parts of its sentences.")
        .def("__init__", [](WeightLayout* self, const Observations& seen, uint32_t labels, const TrainingOptions& layout,
                            std::optional<KnownWeights> known) {
            nb::gil_scoped_release release;
            new (self) WeightLayout(options_of(layout, labels, std::move(known)), seen);
        }, nb::arg("observations"), nb::arg("labels"), nb::arg("layout"), nb::arg("known") = nb::none())
        .def_prop_ro("parts", &WeightLayout::parts, "Number of parts.")
        .def("part_tokens", [](const WeightLayout& weights) { return weights.part_tokens(); },
             "Part p has the sentences that begin at tokens [part_tokens[p], part_tokens[p + 1]).")
        .def_prop_ro("weight_count", &WeightLayout::weight_count, "Number of weights in memory, with padding.")
        .def_prop_ro("shared_count", &WeightLayout::shared_count, "Number of weights of features in several parts.")
        .def("columns", &WeightLayout::new_columns, "New columns for bundles; None if the training has none.")
        .def("choose_bundles", [](WeightLayout& weights, const std::shared_ptr<BundleColumns>& columns, double savings) {
            weights.choose_bundles(columns, savings);
            return weights.columns() != nullptr;
        }, nb::arg("columns"), nb::arg("savings"), "Use bundles if they save enough in all slices together; return whether they are used.");
}

}  // namespace

void bind_dataset(nb::module_& m) {
    bind_options(m);
    bind_observations(m);
    bind_weight_layout(m);
    bind_chunks(m);

    nb::class_<TrainingSet>(m, "TrainingSet", "Encoded sentences with labels, stored for training. history has transition features and their number.")
        .def("__init__", &create, nb::arg("encoding"), nb::arg("gold"), nb::arg("features"), nb::arg("labels"),
             nb::arg("layout") = TrainingOptions(), nb::arg("history") = nb::none(), nb::arg("known") = nb::none(),
             nb::sig("def __init__(self, encoding: Encoding, gold: numpy.typing.NDArray[numpy.int32], features: int, labels: int, "
                     "layout: Layout = ..., history: tuple[Encoding, int] | None = None, known: KnownWeights | None = None) -> None"))
        .def_static("slice", [](const std::shared_ptr<WeightLayout>& weights, const Encoding& encoding, const Ints& gold, const Encoding* history,
                                size_t begin) {
            check_slice(encoding, gold, weights->feature_count());
            nb::gil_scoped_release release;
            return std::make_unique<TrainingSet>(weights, encoding, gold.data(), history, begin);
        }, nb::arg("weights"), nb::arg("encoding"), nb::arg("gold"), nb::arg("history") = nb::none(), nb::arg("begin") = 0,
                    "Sentences from token begin of the corpus on, for example some parts.")
        .def_static("of", [](const std::shared_ptr<WeightLayout>& weights) { return std::make_unique<TrainingSet>(weights); }, nb::arg("weights"),
                    "No sentences; the weights of a training whose sentences are elsewhere.")
        .def_static("streamed", &streamed_set, nb::arg("weights"), nb::arg("chunks"), nb::arg("load"),
                    "Sentences that are not in memory: the numbers of sentences and tokens of each chunk, and a function that returns a "
                    "training set (slice) of some chunks.")
        .def_prop_ro("sentence_count", [](const TrainingSet& set) { return set.weights().sentence_count(); }, "Number of sentences.")
        .def_prop_ro("token_count", [](const TrainingSet& set) { return set.weights().token_count(); }, "Number of tokens.")
        .def_prop_ro("cell_count", &TrainingSet::cell_count, "Number of cells (feature, label) with weights.")
        .def_prop_ro("parameter_count", [](const TrainingSet& set) { return set.layout(true).size(); },
                     "Number of parameters: cells, transitions, transition features.")
        .def_prop_ro("bundle_count", [](const TrainingSet& set) { return set.bundled() ? set.bundled()->part_begins.back() : 0; },
                     "Number of bundles.")
        .def("keep_shards_only", &TrainingSet::keep_shards_only, nb::call_guard<nb::gil_scoped_release>(),
             "Release the memory that stochastic gradient descent does not need.")
        .def("row_of", [](const TrainingSet& set, uint32_t feature) { return set.weights().row_of(feature); }, nb::arg("feature"), "Row of a dense feature.")
        .def("cell_features", [](const TrainingSet& set) { return to_array(set.weights().cell_features()); }, "Feature of each cell.")
        .def("cell_labels", [](const TrainingSet& set) { return to_array(set.weights().cell_labels()); }, "Label of each cell.")
        .def("edges", [](const TrainingSet& set) { return to_array(set.weights().edges()); },
             "Transitions with weights: from * L + to, L * L + label at the start, L * (L + 1) + label at the end.")
        .def("edge_weights", [](const TrainingSet& set, Floats weights) {
            const std::vector<uint32_t>& places = set.weights().edges();
            const size_t labels = set.labels(), begin = set.cell_count(), end = begin + places.size();
            if (weights.size() < end) throw InputFault("expected the weights of all cells and edges, got " + std::to_string(weights.size()));
            std::vector<float> edges(labels * (labels + 2));
            for (size_t i = begin; i < end; ++i) edges[places[i - begin]] = weights.data()[i];
            return std::pair(to_view(std::move(edges)), to_view(std::vector<float>(weights.data() + end, weights.data() + weights.size())));
        }, nb::arg("weights"), "Weights of transitions [L][L], start [L] and end [L], 0 where they are not free; and of transition features.")
        .def("transition_cells", [](const TrainingSet& set) {
            TransitionCells cells = set.weights().list_transition_cells();
            return std::pair(to_array(std::move(cells.features)), to_array(std::move(cells.bigrams)));
        }, "Cells of transition features: the feature, and from * L + to.");
}

}  // namespace tagpool
