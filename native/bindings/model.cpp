#include "../model.hpp"

#include <memory>

#include "../encode.hpp"
#include "../fault.hpp"
#include "../given.hpp"
#include "../mapped_file.hpp"
#include "../training_set.hpp"
#include "arrays.hpp"
#include "walker.hpp"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

std::unique_ptr<Model> built(Trained trained, const std::vector<std::string>& labels, const UInts& pair_features, const UShorts& pair_labels,
                             const Floats& weights, const Floats& edges, const TrainedArcs* arcs) {
    trained.labels = labels;
    trained.pair_features = copied(pair_features);
    trained.pair_labels = copied(pair_labels);
    trained.weights = copied(weights);
    trained.edges = copied(edges);
    if (arcs) trained.arcs = *arcs;
    nb::gil_scoped_release release;
    return std::make_unique<Model>(std::move(trained));
}

// Looks a token's features up together, so that the look-ups do not wait for each other.
class Placed {
public:
    explicit Placed(const Slots& slots) : slots_(slots) {}
    void meet(std::string_view name, float value, Encoding&) {
        const uint64_t key = hash_bytes(name);
        slots_.prefetch(key);
        waiting_.push_back({key, value});
    }
    void end_token(Encoding& out) {
        for (const auto& [key, value] : waiting_)
            if (const uint32_t place = slots_.find(key); place != Slots::kNone) out.append(place, value);
        waiting_.clear();
        out.end_token();
    }

private:
    const Slots& slots_;
    std::vector<std::pair<uint64_t, float>> waiting_;
};

Encoding placed(const Model& model, nb::handle sentences) {
    if (!model.given()) throw InputFault("this model was trained on words, not on given features");
    Encoding out;
    Placed features(model.slots());
    Walker(features, out).sentences(sentences);
    return out;
}

// Label numbers as lists of text, one a sentence; equal labels are one Python object.
nb::list as_lists(const Model& model, const std::vector<int32_t>& numbers, const std::vector<uint32_t>& sentences) {
    std::vector<nb::object> texts;
    for (const std::string& label : model.labels()) texts.push_back(nb::str(label.data(), label.size()));
    nb::list out;
    for (size_t s = 0; s + 1 < sentences.size(); ++s) {
        const uint32_t length = sentences[s + 1] - sentences[s];
        PyObject* list = PyList_New(length);
        if (!list) nb::raise_python_error();
        for (uint32_t t = 0; t < length; ++t)
            PyList_SET_ITEM(list, t, nb::object(texts[static_cast<size_t>(numbers[sentences[s] + t])]).release().ptr());
        out.append(nb::steal(list));
    }
    return out;
}

std::vector<int32_t> tagged(const Model& model, const Columns& columns, unsigned threads) {
    std::vector<int32_t> out(columns.token_count());
    nb::gil_scoped_release release;
    model.tag(columns, threads, out.data());
    return out;
}

// The tokens of one column of a sentence.
size_t add_tokens(ColumnsBuilder& builder, size_t column, nb::handle tokens, const std::string& place) {
    if (PyUnicode_Check(tokens.ptr())) throw InputFault(place + ": expected a list of words, got one string; cut it with tokenize");
    size_t count = 0;
    for (nb::handle token : tokens) {
        ++count;
        std::string_view text;
        if (!utf8_of(token, text)) throw InputFault(place + ", token " + std::to_string(count) + ": expected text (str), got " + type_of(token));
        builder.add(column, text);
    }
    return count;
}

// Sentences as lists of words, or as dicts of the columns the model needs.
Columns columns_of(const Model& model, nb::handle sentences) {
    std::vector<std::string> names = model.columns();
    if (names.empty()) names.emplace_back("word");
    ColumnsBuilder builder(names);
    size_t number = 0;
    for (nb::handle sentence : sentences) {
        const std::string place = "sentence " + std::to_string(++number);
        size_t length = 0;
        if (PyDict_Check(sentence.ptr())) {
            for (size_t column = 0; column < names.size(); ++column) {
                PyObject* const tokens = PyDict_GetItemString(sentence.ptr(), names[column].c_str());
                if (!tokens) throw InputFault(place + " has no column \"" + names[column] + "\", which the model was trained with");
                const size_t count = add_tokens(builder, column, tokens, place);
                if (column > 0 && count != length) throw InputFault(place + ": the columns have different numbers of tokens");
                length = count;
            }
        } else {
            if (names.size() > 1) {
                std::string all;
                for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
                throw InputFault("the model was trained with the columns " + all + "; words alone are not enough: give a Corpus, or dicts of columns");
            }
            length = add_tokens(builder, 0, sentence, place);
        }
        if (length == 0) throw InputFault(place + " has no tokens");
        builder.end_sentence();
    }
    return builder.finish();
}

std::vector<std::string> keys_in(const std::optional<Program>& program) {
    std::vector<std::string> keys;
    if (program)
        for (const Template& each : program->templates) keys.push_back(each.key);
    return keys;
}

Tensors gathered(const nb::dict& texts, const nb::dict& arrays) {
    Tensors more;
    for (auto [key, value] : texts) more.set(nb::cast<std::string>(key), nb::cast<std::string>(value));
    for (auto [name, value] : arrays) {
        const auto bytes = nb::cast<nb::bytes>(value);
        more.add(nb::cast<std::string>(name), Type::u8, {bytes.size()}, bytes.c_str(), nullptr);
    }
    return more;
}

}  // namespace

void bind_model(nb::module_& m) {
    nb::class_<TrainedArcs>(m, "TrainedArcs")
        // The weights are those of the trigrams and triples of a training set. Transition features come from an encoder, or (none) are
        // encoded already.
        .def("__init__", [](TrainedArcs* self, const TrainingSet& set, Floats weights, nb::object encoder, uint32_t features) {
            const Arcs& arcs = set.arcs();
            expect_size(weights.size(), arcs.trigram_count() + arcs.triple_count(), "weights of trigrams and transition features");
            new (self) TrainedArcs{arcs.states().as_pairs(), arcs.trigrams(), {weights.data(), weights.data() + arcs.trigram_count()},
                                   arcs.triple_features(), arcs.triple_pairs(set.labels(), set.stride()),
                                   {weights.data() + arcs.trigram_count(), weights.data() + weights.size()}, {}, {}, features};
            if (encoder.is_none()) return;
            Encoder& fitted = nb::cast<Encoder&>(encoder);
            self->program = fitted.program();
            self->keys = fitted.keys();
            self->features = fitted.feature_count();
        }, nb::arg("training"), nb::arg("weights"), nb::arg("encoder").none() = nb::none(), nb::arg("features") = 0);

    nb::class_<Model>(m, "Model")
        .def_static("from_encoder", [](Encoder& encoder, const std::vector<std::string>& labels, UInts pair_features, UShorts pair_labels,
                                       Floats weights, Floats edges, const TrainedArcs* arcs) {
            Trained trained;
            trained.program = encoder.program();
            trained.hash_size = encoder.hash_size();
            trained.features = encoder.feature_count();
            if (!trained.hash_size) trained.keys = encoder.keys();
            return built(std::move(trained), labels, pair_features, pair_labels, weights, edges, arcs);
        }, nb::arg("encoder"), nb::arg("labels"), nb::arg("pair_features"), nb::arg("pair_labels"), nb::arg("weights"), nb::arg("edges"),
             nb::arg("arcs").none() = nb::none())
        .def_static("from_given", [](GivenFeatures& features, const std::vector<std::string>& labels, UInts pair_features, UShorts pair_labels,
                                     Floats weights, Floats edges, const TrainedArcs* arcs) {
            Trained trained;
            trained.features = features.feature_count();
            trained.keys = features.keys();
            return built(std::move(trained), labels, pair_features, pair_labels, weights, edges, arcs);
        }, nb::arg("features"), nb::arg("labels"), nb::arg("pair_features"), nb::arg("pair_labels"), nb::arg("weights"), nb::arg("edges"),
             nb::arg("arcs").none() = nb::none())
        .def_static("of_encoded", [](uint32_t features, const std::vector<std::string>& labels, UInts pair_features, UShorts pair_labels,
                                     Floats weights, Floats edges, const TrainedArcs* arcs) {
            Trained trained;
            trained.features = trained.hash_size = features;
            return built(std::move(trained), labels, pair_features, pair_labels, weights, edges, arcs);
        }, nb::arg("features"), nb::arg("labels"), nb::arg("pair_features"), nb::arg("pair_labels"), nb::arg("weights"), nb::arg("edges"),
             nb::arg("arcs").none() = nb::none())
        .def_static("open", [](const std::string& path) {
            nb::gil_scoped_release release;
            FileBytes file = map_file(path);
            return std::make_unique<Model>(Tensors::read(file.bytes, file.owner));
        }, nb::arg("path"))
        .def_static("read", [](const nb::bytes& block) {
            auto kept = std::make_shared<const std::string>(block.c_str(), block.size());
            return std::make_unique<Model>(Tensors::read(*kept, kept));
        }, nb::arg("block"))
        .def("write", [](const Model& model, const nb::dict& texts, const nb::dict& arrays, bool half) {
            const std::string out = model.write(gathered(texts, arrays), half);
            return nb::bytes(out.data(), out.size());
        }, nb::arg("texts"), nb::arg("arrays"), nb::arg("half"))
        .def("pruned", [](const Model& model, float least, const std::vector<std::string>& names, const std::vector<std::string>& history) {
            std::vector<uint64_t> keys;
            for (const std::string& name : names) keys.push_back(model.key_of(name));
            return model.pruned(least, keys, history);
        }, nb::arg("least"), nb::arg("names"), nb::arg("history"))
        .def("encoder", [](const Model& model, uint32_t minimum_count) {
            if (!model.program()) throw InputFault("this model was trained on given features");
            return std::make_unique<Encoder>(*model.program(), minimum_count, model.hash_size());
        }, nb::arg("minimum_count"))
        // The same for the features of transitions.
        .def("history_encoder", [](const Model& model, uint32_t minimum_count) {
            if (!model.arcs().program()) throw InputFault("this model has no transition features");
            return std::make_unique<Encoder>(*model.arcs().program(), minimum_count, 0u);
        }, nb::arg("minimum_count"))
        .def_prop_ro("template_keys", [](const Model& model) { return keys_in(model.program()); })
        .def_prop_ro("history_template_keys", [](const Model& model) { return keys_in(model.arcs().program()); })
        .def_prop_ro("labels", [](const Model& model) { return model.labels(); })
        .def_prop_ro("columns", &Model::columns)
        .def_prop_ro("chain", [](const Model& model) { return model.view().chain; })
        .def_prop_ro("given", &Model::given)
        .def_prop_ro("hash_size", &Model::hash_size)
        .def_prop_ro("feature_count", &Model::feature_count)
        .def_prop_ro("weight_count", &Model::weight_count)
        .def("text", [](const Model& model, const std::string& key) -> nb::object {
            const std::string* found = model.tensors().find_text(key);
            return found ? nb::object(nb::str(found->data(), found->size())) : nb::none();
        }, nb::arg("key"))
        .def("array", [](const Model& model, const std::string& name) -> nb::object {
            const Tensor* found = model.tensors().find(name);
            return found ? nb::object(nb::bytes(reinterpret_cast<const char*>(found->data), found->bytes)) : nb::none();
        }, nb::arg("name"))
        .def("sizes", [](const Model& model) {
            nb::dict out;
            for (const Tensor& tensor : model.tensors().all()) out[nb::str(tensor.name.c_str())] = tensor.bytes;
            return out;
        })
        .def("edges", [](const Model& model) {
            if (!model.view().chain) return owned(std::vector<float>());
            const auto edges = model.tensors().array<float>("edges");
            return owned(std::vector<float>(edges.begin(), edges.end()));
        })
        // Label pairs that may follow each other, none for first order; and what trigrams weigh beyond their last pair: a row of labels for
        // each label before a sentence, then for each pair.
        .def("states", [](const Model& model) { return owned(model.arcs().states().as_pairs()); })
        .def("trigrams", [](const Model& model) {
            const ModelView& view = model.view();
            std::vector<float> out;
            for (size_t state = 0; state < model.arcs().states().size(); ++state)
                out.insert(out.end(), view.arcs->trigrams + state * view.stride, view.arcs->trigrams + state * view.stride + view.labels);
            return owned(std::move(out));
        })
        .def_prop_ro("order", [](const Model& model) { return model.arcs().states().empty() ? 1 : 2; })
        .def_prop_ro("has_history", [](const Model& model) { return model.arcs().has_history(); })
        .def("weights_of", [](const Model& model, const std::vector<std::string>& names) {
            // A dense matrix: names x labels, zero where there is no weight.
            const ModelView& view = model.view();
            std::vector<float> out(names.size() * view.labels);
            for (size_t i = 0; i < names.size(); ++i) {
                const uint32_t place = model.slots().find(model.key_of(names[i]));
                if (place == Slots::kNone) continue;
                view.each_weight(place, [&](uint32_t label, float weight) { out[i * view.labels + label] = weight; });
            }
            return owned(std::move(out));
        }, nb::arg("names"))
        // Of features of transitions by name: the name's number, b * labels + c, and the weight there.
        .def("history_weights_of", [](const Model& model, const std::vector<std::string>& names) {
            std::vector<uint32_t> numbers, pairs;
            std::vector<float> weights;
            const ModelView& view = model.view();
            for (uint32_t i = 0; i < names.size(); ++i) {
                const uint32_t feature = model.arcs().feature_of(names[i]);
                if (feature == Slots::kNone) continue;
                const ArcView& arcs = *view.arcs;
                for (uint32_t k = arcs.starts[feature]; k < arcs.starts[feature + 1]; ++k) {
                    numbers.push_back(i);
                    pairs.push_back(arcs.cells[k] / view.stride * view.labels + arcs.cells[k] % view.stride);
                    weights.push_back(arcs.weights[k]);
                }
            }
            return nb::make_tuple(owned(std::move(numbers)), owned(std::move(pairs)), owned(std::move(weights)));
        }, nb::arg("names"))
        .def("keys_of", [](const Model& model, const std::vector<std::string>& names) {
            std::vector<uint64_t> keys;
            for (const std::string& name : names) keys.push_back(model.key_of(name));
            return owned(std::move(keys));
        }, nb::arg("names"))
        .def("tag_sentences", [](const Model& model, nb::handle sentences, unsigned threads) {
            const Columns columns = columns_of(model, sentences);
            return as_lists(model, tagged(model, columns, threads), columns.sentences);
        }, nb::arg("sentences"), nb::arg("threads"))
        .def("tag_columns", [](const Model& model, const Columns& columns, unsigned threads) {
            return as_lists(model, tagged(model, columns, threads), columns.sentences);
        }, nb::arg("columns"), nb::arg("threads"))
        .def("tag_given", [](const Model& model, nb::handle sentences, unsigned threads) {
            const Encoding encoding = placed(model, sentences);
            std::vector<int32_t> out(encoding.token_count());
            {
                nb::gil_scoped_release release;
                model.tag(encoding, nullptr, threads, out.data());
            }
            return as_lists(model, out, encoding.sentences);
        }, nb::arg("sentences"), nb::arg("threads"))
        .def("tag_encoding", [](const Model& model, const Encoding& encoding, unsigned threads, const Encoding* history) {
            std::vector<int32_t> out(encoding.token_count());
            {
                nb::gil_scoped_release release;
                model.tag(model.placed(encoding), history, threads, out.data());
            }
            return owned(std::move(out));
        }, nb::arg("encoding"), nb::arg("threads"), nb::arg("history").none() = nb::none())
        .def("label_numbers", [](const Model& model, const Columns& columns, unsigned threads) {
            return owned(tagged(model, columns, threads));
        }, nb::arg("columns"), nb::arg("threads"))
        .def("score_encoding", [](const Model& model, const Encoding& encoding) {
            std::vector<float> out(encoding.token_count() * model.view().labels);
            model.score(model.placed(encoding), out.data());
            return owned(std::move(out));
        }, nb::arg("encoding"))
        .def("score_pairs_of_encoding", [](const Model& model, const Encoding& encoding, const Encoding* history) {
            std::vector<float> out(encoding.token_count() * model.view().labels * model.view().labels);
            model.score_pairs(encoding, history, out.data());
            return owned(std::move(out));
        }, nb::arg("encoding"), nb::arg("history").none() = nb::none())
        .def("score_pairs", [](const Model& model, const Columns& columns, unsigned threads) {
            std::vector<float> out(columns.token_count() * model.view().labels * model.view().labels);
            {
                nb::gil_scoped_release release;
                model.score_pairs(columns, threads, out.data());
            }
            return owned(std::move(out));
        }, nb::arg("columns"), nb::arg("threads"))
        .def("score_columns", [](const Model& model, const Columns& columns, unsigned threads) {
            std::vector<float> out(columns.token_count() * model.view().labels);
            {
                nb::gil_scoped_release release;
                model.score(columns, threads, out.data());
            }
            return owned(std::move(out));
        }, nb::arg("columns"), nb::arg("threads"))
        .def("score_given", [](const Model& model, nb::handle sentences) {
            const Encoding encoding = placed(model, sentences);
            std::vector<float> out(encoding.token_count() * model.view().labels);
            model.score(encoding, out.data());
            return nb::make_tuple(owned(std::move(out)), owned(encoding.sentences));
        }, nb::arg("sentences"));
}

}  // namespace tagpool
