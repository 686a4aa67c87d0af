#include "model/model.hpp"

#include <memory>
#include <span>
#include <tuple>

#include "base/fault.hpp"
#include "bindings/helpers.hpp"
#include "bindings/tagging.hpp"
#include "dataset/training_set.hpp"
#include "features/encode.hpp"
#include "features/given.hpp"
#include "model/collapse.hpp"
#include "model/row_tagger.hpp"

namespace tagpool {
namespace {

Trained describe(const Encoder& encoder) {
    return {.keys = encoder.keys(), .features = encoder.feature_count(), .program = encoder.program()};
}
Trained describe(const GivenFeatures& features) { return {.keys = features.keys(), .features = features.feature_count()}; }
Trained describe(uint32_t features) { return {.features = features, .numbered = true}; }

struct ModelLabels {
    std::vector<std::string> names;
    std::vector<uint8_t> forbidden = {};  // edges (forbidden_edges.hpp)
};

// Binds a constructor from features of one kind and trained weights.
template <class Features>
void bind_builder(nb::class_<Model>& model, const char* name, const char* argument, const char* doc) {
    model.def_static(name, [](Features features, const ModelLabels& labels, const std::optional<UInts>& cell_features,
                              const std::optional<UShorts>& cell_labels, Floats weights, const std::optional<Floats>& edges,
                              const TransitionWeights* transition_weights) {
        Trained trained = describe(features);
        trained.labels = labels.names;
        trained.forbidden = labels.forbidden;
        if (cell_features) trained.cell_features = to_vector(*cell_features);
        if (cell_labels) trained.cell_labels = to_vector(*cell_labels);
        trained.weights = to_vector(weights);
        if (edges) trained.edges = to_vector(*edges);
        if (transition_weights) trained.transition_weights = *transition_weights;
        return without_gil([&] { return std::make_unique<Model>(std::move(trained)); });
    }, nb::arg(argument), nb::arg("labels"), nb::arg("cell_features").none(), nb::arg("cell_labels").none(), nb::arg("weights"), nb::arg("edges").none(),
         nb::arg("transition_weights").none() = nb::none(), doc);
}

std::unique_ptr<Model> collapse(const std::vector<std::string>& labels, const std::vector<const Model*>& models, const std::vector<double>& weights,
                                const std::vector<std::vector<std::string>>& names, const std::vector<std::vector<uint16_t>>& label_of) {
    std::vector<MergedMember> members;
    if (models.empty() || weights.size() != models.size() || names.size() != models.size() || label_of.size() != models.size())
        throw InputFault("expected a weight, names and labels for each of " + std::to_string(models.size()) + " models");
    nb::gil_scoped_release release;
    for (size_t i = 0; i < models.size(); ++i) {
        MergedMember member{models[i], weights[i], {}, label_of[i]};
        for (const std::string& name : names[i]) member.keys.push_back(models[i]->key_of(name));
        members.push_back(std::move(member));
    }
    return merge_models(labels, members);
}

// Calls fill(out) without the interpreter lock.
template <class Number, class Fill>
std::vector<Number> filled(size_t count, Fill&& fill) {
    std::vector<Number> out(count);
    nb::gil_scoped_release release;
    fill(out.data());
    return out;
}

std::vector<int32_t> tag(const Model& model, const Columns& columns, Threads threads) {
    return filled<int32_t>(columns.token_count(), [&](int32_t* out) { model.tag(columns, threads, out); });
}
std::vector<int32_t> tag(const Model& model, const Encoding& placed, const Encoding* history, Threads threads) {
    return filled<int32_t>(placed.token_count(), [&](int32_t* out) { model.tag(placed, history, threads, out); });
}

nb::bytes mark_weights(const Model& model, std::span<const uint64_t> keys) {
    std::string marks;
    marks.reserve(keys.size());
    for (const uint64_t key : keys) marks.push_back(model.slots().find(key) != FrozenIndex::kNone);
    return to_bytes(marks);
}

Array<float> weights_of(const Model& model, const std::vector<std::string>& names) {
    const ModelView& view = model.view();
    std::vector<float> out(names.size() * view.labels);
    for (size_t i = 0; i < names.size(); ++i) {
        const uint32_t place = model.slots().find(model.key_of(names[i]));
        if (place == FrozenIndex::kNone) continue;
        view.each_weight(place, [&](uint32_t label, float weight) { out[i * view.labels + label] = weight; });
    }
    return to_array(std::move(out));
}

// Weights of the transition features from name `begin` on, until there are at least `most`; the first element is the next name.
std::tuple<size_t, Array<uint32_t>, Array<uint32_t>, Array<float>> history_weights_from(const Model& model, const nb::typed<nb::list, nb::str>& names,
                                                                                       size_t begin, size_t most) {
    std::vector<uint32_t> numbers, bigrams;
    std::vector<float> weights;
    const ModelView& view = model.view();
    size_t i = begin;
    for (; i < names.size() && weights.size() < most; ++i) {
        const uint32_t feature = model.transition_features().feature_of(nb::cast<std::string>(names[i]));
        if (feature == FrozenIndex::kNone) continue;
        const TransitionFeatureView& features = *view.transition_features;
        for (uint32_t k = features.starts[feature]; k < features.starts[feature + 1]; ++k) {
            numbers.push_back(static_cast<uint32_t>(i));
            bigrams.push_back(features.bigrams[k] / view.stride * view.labels + features.bigrams[k] % view.stride);
            weights.push_back(features.weights[k]);
        }
    }
    return {i, to_array(std::move(numbers)), to_array(std::move(bigrams)), to_array(std::move(weights))};
}

void bind_transition_weights(nb::module_& m) {
    nb::class_<TransitionWeights>(m, "TransitionWeights", "Weights of transition features, from an encoder or (None) already encoded.")
        .def("__init__", [](TransitionWeights* self, const TrainingSet& set, Floats weights, Encoder* encoder, uint32_t features) {
            expect_size(weights.size(), set.layout(true).transition_cells(), "weights of transition features");
            new (self) TransitionWeights{set.weights().list_transition_cells(), to_vector(weights), {}, {}, features};
            if (!encoder) return;
            self->program = encoder->program();
            self->keys = encoder->keys();
            self->features = encoder->feature_count();
        }, nb::arg("training"), nb::arg("weights"), nb::arg("encoder").none() = nb::none(), nb::arg("features") = 0);
}

void bind_contents(nb::class_<Model>& model) {
    model
        .def("pruned", [](const Model& model, float least, const std::vector<std::string>& names, const std::vector<std::string>& history) {
            std::vector<uint64_t> keys;
            for (const std::string& name : names) keys.push_back(model.key_of(name));
            return model.pruned(least, keys, history);
        }, nb::arg("least"), nb::arg("names"), nb::arg("history"),
             "Copy without cells whose weight is at most least; names and history name all features.")
        .def("history_encoder", [](const Model& model, uint32_t minimum_count) {
            if (!model.transition_features().program()) throw InputFault("the model has no transition features");
            return std::make_unique<Encoder>(*model.transition_features().program(), minimum_count);
        }, nb::arg("minimum_count"), "New encoder with the templates of transition features.")
        .def_prop_ro("history_template_keys", [](const Model& model) { return keys_in(model.transition_features().program()); },
                     "Keys of the templates of transition features.")
        .def("member", [](const Model& model, const std::string& name) { return without_gil([&] { return model.member(name); }); },
             nb::arg("name"), "Member of an elitist pool, whose file is an array of this one.")
        .def_prop_ro("chain", [](const Model& model) { return model.view().chain; }, "Whether labels depend on each other.")
        .def("edges", [](const Model& model) {
            if (!model.view().chain) return to_array(std::vector<float>());
            const auto edges = model.tensors().array<float>("edges");
            return to_array(std::vector<float>(edges.begin(), edges.end()));
        }, "Weights of transitions [L][L], start [L] and end [L]; empty without a chain.")
        .def("forbidden", [](const Model& model) { return to_array(model.forbidden()); },
             "Transitions [L][L], first [L] and last labels [L] that tagging does not use: 1 for each; empty without such.")
        .def_prop_ro("has_history", [](const Model& model) { return model.transition_features().has_history(); },
                     "Whether the model has transition features.")
        .def("has_weights", [](const Model& model, ArrayArgument<uint64_t> keys) { return mark_weights(model, {keys.data(), keys.size()}); },
             nb::arg("keys"), "A byte for each feature by its hash: 1 if it has weights.")
        .def("has_weights", [](const Model& model, const Encoder& encoder) { return mark_weights(model, encoder.keys()); },
             nb::arg("encoder"), "A byte for each feature of an encoder: 1 if it has weights.")
        .def("weights_of", &weights_of, nb::arg("names"), "Weights of features by name, [names][labels].")
        .def("history_weights_from", &history_weights_from, nb::arg("names"), nb::arg("begin"), nb::arg("most"),
             "Weights of transition features from name `begin` on, until there are `most`: the next name, then as history_weights_of.")
        .def("history_weights_of", [](const Model& model, const nb::typed<nb::list, nb::str>& names) {
            auto [end, numbers, bigrams, weights] = history_weights_from(model, names, 0, SIZE_MAX);
            return std::tuple{std::move(numbers), std::move(bigrams), std::move(weights)};
        }, nb::arg("names"),
             "Weights of transition features by name: index of the name, from * L + to, weight.");
}

void bind_tagging(nb::class_<Model>& model) {
    model
        .def("tag_sentences", [](const Model& model, nb::handle sentences, Threads threads) {
            const Columns columns = columns_of(model.columns(), sentences);
            return as_lists(model.labels(), tag(model, columns, threads), columns.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), "Labels of sentences.")
        .def("tag_columns", [](const Model& model, const Columns& columns, Threads threads) {
            return as_lists(model.labels(), tag(model, columns, threads), columns.sentences);
        }, nb::arg("columns"), nb::arg("threads"), "Labels of a corpus.")
        .def("tag_lines", [](const Model& model, const Columns& columns, Threads threads, const nb::bytes& text, std::optional<bool> tabs) {
            return label_lines(text, tag(model, columns, threads), model.labels(), tabs);
        }, nb::arg("columns"), nb::arg("threads"), nb::arg("text"), nb::arg("tabs").none(),
             "The lines of a CoNLL text with the labels of its tokens, and whether the first has a tab; None if lines are not tokens.")
        .def("tag_given", [](const Model& model, nb::handle sentences, Threads threads) {
            const Encoding encoding = encode_given(model.slots(), model.given(), sentences);
            return as_lists(model.labels(), tag(model, encoding, nullptr, threads), encoding.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), "Labels of sentences of given features.")
        .def("tag_encoding", [](const Model& model, const Encoding& encoding, Threads threads, const Encoding* history) {
            const Encoding placed = without_gil([&] { return model.placed(encoding); });
            return to_array(tag(model, placed, history, threads));
        }, nb::arg("encoding"), nb::arg("threads"), nb::arg("history").none() = nb::none(), "Label numbers of encoded tokens.")
        .def("label_numbers", [](const Model& model, const Columns& columns, Threads threads) {
            return to_array(tag(model, columns, threads));
        }, nb::arg("columns"), nb::arg("threads"), "Label numbers of a corpus.");
}

void bind_scoring(nb::class_<Model>& model) {
    model
        .def("score_encoding", [](const Model& model, const Encoding& encoding) {
            const Encoding placed = without_gil([&] { return model.placed(encoding); });
            return to_array(filled<float>(placed.token_count() * model.view().labels, [&](float* out) { model.score(placed, out); }));
        }, nb::arg("encoding"), "Node scores of encoded tokens, [T][L].")
        .def("score_edges_of_encoding", [](const Model& model, const Encoding& encoding, const Encoding* history) {
            const size_t bigrams = size_t{model.view().labels} * model.view().labels;
            return to_array(filled<float>(encoding.token_count() * bigrams, [&](float* out) { model.score_bigrams(encoding, history, out); }));
        }, nb::arg("encoding"), nb::arg("history").none() = nb::none(), "Edge scores of encoded tokens, [T][L][L].")
        .def("score_edges", [](const Model& model, const Columns& columns, Threads threads) {
            const size_t bigrams = size_t{model.view().labels} * model.view().labels;
            return to_array(filled<float>(columns.token_count() * bigrams, [&](float* out) { model.score_bigrams(columns, threads, out); }));
        }, nb::arg("columns"), nb::arg("threads"), "Edge scores of a corpus, [T][L][L]; 0 at first tokens.")
        .def("score_columns", [](const Model& model, const Columns& columns, Threads threads) {
            return to_array(filled<float>(columns.token_count() * model.view().labels, [&](float* out) { model.score(columns, threads, out); }));
        }, nb::arg("columns"), nb::arg("threads"), "Node scores of a corpus, [T][L].")
        .def("score_given", [](const Model& model, nb::handle sentences) {
            const Encoding encoding = encode_given(model.slots(), model.given(), sentences);
            std::vector<float> out = filled<float>(encoding.token_count() * model.view().labels, [&](float* to) { model.score(encoding, to); });
            return std::tuple(to_array(std::move(out)), to_array(encoding.sentences));
        }, nb::arg("sentences"), "Node scores [T][L] of given features, and the first token of each sentence.");
}

void bind_labels(nb::module_& m) {
    nb::class_<ModelLabels>(m, "ModelLabels", "Labels of a model, and the transitions between them that tagging must not use.")
        .def("__init__", [](ModelLabels* self, const std::vector<std::string>& names) { new (self) ModelLabels{names}; }, nb::arg("names"))
        .def("__init__", [](ModelLabels* self, const std::vector<std::string>& names, Bytes forbidden) {
            new (self) ModelLabels{names, to_vector(forbidden)};
        }, nb::arg("names"), nb::arg("forbidden"));
    nb::implicitly_convertible<std::vector<std::string>, ModelLabels>();
}

void bind_row_tagger(nb::module_& m) {
    nb::class_<RowTagger>(m, "RowTagger", "Tags a dev set with the weights of a training, without a copy of them.")
        .def("__init__", [](RowTagger* self, const Encoding& encoding, uint32_t features, uint32_t labels, Bytes forbidden) {
            new (self) RowTagger(encoding, features, labels, to_vector(forbidden));
        }, nb::arg("encoding"), nb::arg("features"), nb::arg("labels"), nb::arg("forbidden"))
        .def_prop_ro("padding", &RowTagger::padding, "Numbers behind the weights that `tag` may read.")
        .def("tag", [](const RowTagger& tagger, Floats weights, Floats edges, Threads threads) {
            const std::span<const float> rows{weights.data(), weights.size()}, steps{edges.data(), edges.size()};
            return to_view(filled<int32_t>(tagger.token_count(), [&](int32_t* out) { tagger.tag(rows, steps, threads, out); }));
        }, nb::arg("weights"), nb::arg("edges"), nb::arg("threads"), "Label numbers of the tokens.");
}

}  // namespace

void bind_model(nb::module_& m) {
    bind_transition_weights(m);
    bind_labels(m);
    bind_row_tagger(m);
    nb::class_<Model> model(m, "Model", "Trained CRF or MaxEnt model, which tags.");
    bind_common(model);
    bind_builder<Encoder&>(model, "from_encoder", "encoder", "Model of an encoder's features.");
    bind_builder<GivenFeatures&>(model, "from_given", "features", "Model of features that the caller provides.");
    bind_builder<uint32_t>(model, "of_encoded", "features", "Model of encoded features, known by number.");
    bind_contents(model);
    bind_tagging(model);
    bind_scoring(model);
    m.def("collapse", &collapse, nb::arg("labels"), nb::arg("models"), nb::arg("weights"), nb::arg("names"), nb::arg("label_of"),
          "Merge models into one whose weights are the weighted sum of theirs.");
}

}  // namespace tagpool
