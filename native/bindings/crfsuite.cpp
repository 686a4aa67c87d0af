#include "crfsuite/tagger.hpp"

#include <memory>
#include <utility>

#include "base/model_bytes.hpp"
#include "bindings/feature_reader.hpp"
#include "bindings/helpers.hpp"
#include "crfsuite/instances.hpp"
#include "crfsuite/trained_weights.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {
namespace {

using Weights = nb::typed<nb::list, nb::typed<nb::tuple, int, int, double>>;
using ValueDicts = nb::typed<nb::list, StringDict<double>>;

struct AttributeCollector {
    void add(std::string_view name, double value, Attributes& out) { out.append(name, value); }
    void end_token(Attributes& out) { out.end_token(); }
};

void collect_attributes(nb::handle sentence, Attributes& out) {
    out.clear();
    AttributeCollector collector;
    FeatureReader<AttributeCollector, Attributes, double>(collector, out, ReadingRules::crfsuite).tokens(sentence);
}

// Attributes of a sentence: the object itself if it has them already, else `scratch` with new ones.
const Attributes& attributes_of(nb::handle sentence, Attributes& scratch) {
    if (nb::isinstance<Attributes>(sentence)) return nb::cast<const Attributes&>(sentence);
    collect_attributes(sentence, scratch);
    return scratch;
}

nb::str decode(std::string_view text) {
    return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

// Views of texts (str or bytes). `owners` keeps the Python objects alive; `what` names the texts in error messages.
std::vector<std::string_view> views_of(nb::handle texts, const char* what, std::vector<nb::object>& owners) {
    std::vector<std::string_view> views;
    for (nb::handle text : texts) {
        std::string_view view;
        if (PyBytes_Check(text.ptr())) {
            view = view_of_bytes(text);
        } else if (!utf8_of(text, view)) {
            const std::string place = std::string(what) + " " + std::to_string(views.size() + 1) + ": ";
            if (PyUnicode_Check(text.ptr())) throw InputFault(place + kLoneSurrogate);
            throw InputFault(place + "expected text, got " + type_of(text));
        }
        owners.push_back(nb::borrow(text));
        views.push_back(view.substr(0, view.find('\0')));
    }
    return views;
}

// Tagger with its labels as Python strings, created once.
struct BoundTagger {
    BoundTagger(std::string_view bytes, std::shared_ptr<const void> owner) : tagger(bytes, std::move(owner)) {}

    StringList labels() {
        create_names();
        nb::list out;
        for (const nb::object& name : names) out.append(name);
        return out;
    }
    void set(nb::handle sentence) { tagger.set(attributes_of(sentence, scratch)); }
    StringList best() {
        create_names();
        const std::vector<int32_t>& labels = tagger.best();
        return list_of(labels.size(), [&](size_t t) { return names[static_cast<size_t>(labels[t])].ptr(); });
    }
    double marginal(uint32_t label, size_t token) {
        if (label >= tagger.label_count() || token >= tagger.token_count())
            throw InputFault("marginal: label " + std::to_string(label) + " or token " + std::to_string(token) + " is out of range");
        return tagger.marginals()[token * tagger.label_count() + label];
    }
    ValueDicts marginals() {
        create_names();
        const std::vector<double>& values = tagger.marginals();
        nb::list out;
        for (size_t token = 0; token < tagger.token_count(); ++token) {
            nb::dict by_label;
            for (size_t label = 0; label < names.size(); ++label) by_label[names[label]] = values[token * names.size() + label];
            out.append(by_label);
        }
        return out;
    }
    double probability(const std::vector<int32_t>& labels) {
        expect_size(labels.size(), tagger.token_count(), "labels, one per token");
        for (int32_t label : labels)
            if (label < 0 || static_cast<uint32_t>(label) >= tagger.label_count())
                throw InputFault("label " + std::to_string(label) + " is out of range");
        return tagger.probability(labels);
    }
    StringDict<int> head() const {
        const CrfsuiteFile::Head& head = tagger.file().head();
        nb::dict out;
        const std::pair<const char*, uint32_t> fields[] = {
            {"size", head.size}, {"version", head.version}, {"num_features", head.features}, {"num_labels", head.labels},
            {"num_attrs", head.attributes}, {"off_features", head.at_features}, {"off_labels", head.at_labels},
            {"off_attrs", head.at_attributes}, {"off_labelrefs", head.at_label_references}, {"off_attrrefs", head.at_attribute_references}};
        for (const auto& [name, value] : fields) out[name] = value;
        return out;
    }
    StringList attributes() const {
        nb::list out;
        size_t bytes = 0;
        for (uint32_t i = 0; i < tagger.file().attribute_count(); ++i) {
            const std::string_view text = tagger.file().attributes().text(i);
            if ((bytes += text.size()) > tagger.file().head().size) throw InputFault("damaged: attributes share their texts");
            out.append(decode(text));
        }
        return out;
    }

    CrfsuiteTagger tagger;

private:
    void create_names() {
        if (names.empty())
            for (uint32_t label = 0; label < tagger.label_count(); ++label) names.push_back(decode(tagger.file().labels().text(label)));
    }

    std::vector<nb::object> names;
    Attributes scratch;
};

template <class Numbers>
Weights all_weights(const CrfsuiteFile& file, uint32_t count, Numbers&& numbers_of) {
    nb::list out;
    size_t total = 0;
    for (uint32_t from = 0; from < count; ++from) {
        const CrfsuiteFile::Numbers numbers = numbers_of(from);
        if ((total += numbers.count) > file.weight_count()) throw InputFault("damaged: attributes or labels share their weights");
        for (uint32_t i = 0; i < numbers.count; ++i) {
            const CrfsuiteFile::Weight weight = file.weight(numbers[i]);
            out.append(nb::make_tuple(from, weight.to, weight.value));
        }
    }
    return out;
}

std::vector<std::string_view> texts_of(const StringTable& table) {
    std::vector<std::string_view> out;
    out.reserve(table.size());
    for (uint32_t i = 0; i < table.size(); ++i) out.push_back(table[i]);
    return out;
}

void append_instance(Instances& instances, nb::handle sentence, nb::handle labels, int32_t group) {
    Attributes scratch;
    const Attributes& attributes = attributes_of(sentence, scratch);
    std::vector<nb::object> owners;
    const std::vector<std::string_view> texts = views_of(labels, "label", owners);
    if (texts.size() != attributes.token_count())
        throw InputFault("the numbers of items and labels differ: " + counted(attributes.token_count(), "item") + ", " +
                         counted(texts.size(), "label"));
    instances.add(attributes, texts, group);
}

// Passes the model file to `receive` as a memoryview, which is released when `receive` returns.
void write_model_file(const Instances& instances, const TrainedWeights& weights, const nb::callable& receive) {
    const std::vector<std::string_view> labels = texts_of(instances.labels()), attributes = texts_of(instances.attributes());
    const std::string file = write_crfsuite(weights.named(labels, attributes));
    constexpr int kReadOnly = 0x100;  // PyBUF_READ; the headers of the stable ABI of 3.10 lack the name
    const nb::object view = nb::steal(PyMemoryView_FromMemory(const_cast<char*>(file.data()), static_cast<Py_ssize_t>(file.size()), kReadOnly));
    try {
        receive(view);
    } catch (...) {
        view.attr("release")();
        throw;
    }
    view.attr("release")();
}

std::unique_ptr<TrainingSet> training_set(const Instances& instances, bool all_cells, bool all_transitions, bool merge_twins, bool lean) {
    const TrainingOptions options{.labels = instances.labels().size(), .all_cells = all_cells, .boundaries = false,
                                  .all_transitions = all_transitions, .merge_twins = merge_twins, .lean = lean, .bundle = lean,
                                  .row_unit = lean ? kernels().double_row_unit : TrainingOptions().row_unit};
    nb::gil_scoped_release release;
    auto set = std::make_unique<TrainingSet>(instances.all(), instances.gold().data(), instances.attributes().size(), options);
    release_memory();
    return set;
}

void bind_tagger(nb::module_& m) {
    nb::class_<Attributes>(m, "Attributes", "Attributes of a sentence's tokens, with values.")
        .def("__init__", [](Attributes* self, nb::handle sentence) {
            Attributes attributes;
            collect_attributes(sentence, attributes);
            new (self) Attributes(std::move(attributes));
        }, nb::arg("sentence").none())
        .def("__len__", &Attributes::token_count)
        .def("items", [](const Attributes& sentence) -> ValueDicts {
            nb::list out;
            for (size_t token = 0; token < sentence.token_count(); ++token) {
                nb::dict item;
                for (size_t i = sentence.begin(token); i < sentence.begin(token + 1); ++i) item[decode(sentence.text(i))] = sentence.value(i);
                out.append(item);
            }
            return out;
        }, "One dict per token: attribute to value.");

    nb::class_<BoundTagger>(m, "CrfsuiteTagger", "Tagger for a CRFsuite model file.")
        .def_static("open", [](const std::string& path, bool mmap) {
            FileBytes file = mmap ? map_file(path) : read_file(path);
            return std::make_unique<BoundTagger>(file.bytes, std::move(file.owner));
        }, nb::arg("path"), nb::arg("mmap") = false, "Read a model file into memory, or map it.")
        .def_static("read", [](const nb::bytes& data) {
            FileBytes copy = copy_bytes(bytes_view(data));
            return std::make_unique<BoundTagger>(copy.bytes, std::move(copy.owner));
        }, nb::arg("data"), "Read a model file in memory.")
        .def("labels", &BoundTagger::labels, "All labels.")
        .def("set", &BoundTagger::set, nb::arg("sentence").none(), "Set the sentence for best, marginal and probability.")
        .def("best", &BoundTagger::best, "Best labels of the sentence.")
        .def("tag", [](BoundTagger& bound, nb::handle sentence) {
            bound.set(sentence);
            return bound.best();
        }, nb::arg("sentence").none(), "Set a sentence and return its best labels.")
        .def_prop_ro("token_count", [](const BoundTagger& bound) { return bound.tagger.token_count(); }, "Number of tokens of the sentence.")
        .def("marginal", &BoundTagger::marginal, nb::arg("label"), nb::arg("token"), "Probability of a label at a token.")
        .def("marginals", &BoundTagger::marginals, "Probability of every label, one dict per token.")
        .def("probability", &BoundTagger::probability, nb::arg("labels"), "Probability of a label sequence.")
        .def("head", &BoundTagger::head, "Fields of the file's header.")
        .def("attributes", &BoundTagger::attributes, "All attributes.")
        .def("transitions", [](const BoundTagger& bound) {
            const CrfsuiteFile& file = bound.tagger.file();
            return all_weights(file, file.label_count(), [&](uint32_t label) { return file.of_label(label); });
        }, "Triples (from, to, weight), by number.")
        .def("states", [](const BoundTagger& bound) {
            const CrfsuiteFile& file = bound.tagger.file();
            return all_weights(file, file.attribute_count(), [&](uint32_t attribute) { return file.of_attribute(attribute); });
        }, "Triples (attribute, label, weight), by number.");
}

}  // namespace

void bind_crfsuite(nb::module_& m) {
    bind_tagger(m);

    nb::class_<Instances>(m, "Instances", "Labelled sentences of python-crfsuite's Trainer.")
        .def(nb::init<>())
        .def("append", &append_instance, nb::arg("sentence").none(), nb::arg("labels").none(), nb::arg("group"), "Add a sentence.")
        .def("__len__", [](const Instances& instances) { return instances.groups().size(); })
        .def("begin_training", &Instances::begin_training, "Begin a training: until its end, append is an error.")
        .def("end_training", &Instances::end_training, "End a training.")
        .def("labels", [](const Instances& instances) -> StringList {
            nb::list out;
            for (uint32_t i = 0; i < instances.labels().size(); ++i) out.append(decode(instances.labels()[i]));
            return out;
        }, "All labels, in order of first occurrence.")
        .def_prop_ro("attribute_count", [](const Instances& instances) { return instances.attributes().size(); }, "Number of attributes.")
        .def("all", &Instances::all, nb::rv_policy::reference_internal, "Attributes of all sentences.")
        .def("gold", [](const Instances& instances) { return to_array(instances.gold()); }, "Label of every token.")
        .def("groups", [](const Instances& instances) { return instances.groups(); }, "Group of every sentence.")
        .def("part", [](const Instances& instances, int32_t group, bool of_group) {
            Instances::Part part = instances.part(group, of_group);
            return std::pair{std::move(part.encoding), to_array(std::move(part.gold))};
        }, nb::arg("group"), nb::arg("of_group"), "Attributes and labels of the sentences inside (or outside) a group.")
        .def("write", &write_model_file, nb::arg("weights"), nb::arg("receive"),
             nb::sig("def write(self, weights: TrainedWeights, receive: collections.abc.Callable[[memoryview], object]) -> None"),
             "Pass a model file to receive as a memoryview that is valid during the call.")
        .def("training_set", &training_set, nb::arg("all_cells"), nb::arg("all_transitions"), nb::arg("merge_twins"), nb::arg("lean"),
             "Training set of all sentences, with the observed weights or all possible ones.");

    m.def("write_crfsuite", [](nb::typed<nb::iterable, nb::object> labels, nb::typed<nb::iterable, nb::object> attributes, UInts cell_attributes,
                               UShorts cell_labels, Doubles cell_weights, Doubles transitions) {
        std::vector<nb::object> owners;
        return to_bytes(write_crfsuite({views_of(labels, "label", owners), views_of(attributes, "attribute", owners),
                                        {cell_attributes.data(), cell_attributes.size()}, {cell_labels.data(), cell_labels.size()},
                                        {cell_weights.data(), cell_weights.size()}, {transitions.data(), transitions.size()}}));
    }, nb::arg("labels"), nb::arg("attributes"), nb::arg("cell_attributes"), nb::arg("cell_labels"), nb::arg("cell_weights"),
          nb::arg("transitions"), "CRFsuite model file of these texts and weights; transitions is [L][L].");
}

}  // namespace tagpool
