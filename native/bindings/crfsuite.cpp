#include "crfsuite/tagger.hpp"

#include <memory>
#include <utility>

#include "crfsuite/trained_weights.hpp"
#include "crfsuite/instances.hpp"
#include "base/mapped_file.hpp"
#include "trainers/objective.hpp"
#include "bindings/arrays.hpp"
#include "bindings/walker.hpp"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

struct Gather {
    void meet(std::string_view name, double value, Attributes& out) { out.append(name, value); }
    void end_token(Attributes& out) { out.end_token(); }
};

void gather(nb::handle sentence, Attributes& out) {
    out.clear();
    Gather features;
    Walker<Gather, Attributes, double>(features, out, Meaning::crfsuite).tokens(sentence);
}

// A sentence that was gathered before, or one to be gathered into `scratch`.
const Attributes& attributes_of(nb::handle sentence, Attributes& scratch) {
    if (nb::isinstance<Attributes>(sentence)) return nb::cast<const Attributes&>(sentence);
    gather(sentence, scratch);
    return scratch;
}

nb::str text_of(std::string_view text) { return nb::steal<nb::str>(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape")); }

// Texts, of str or bytes, each `what`; what they are views of is kept.
std::vector<std::string_view> views_of(nb::handle texts, const char* what, std::vector<nb::object>& keep) {
    std::vector<std::string_view> out;
    for (nb::handle text : texts) {
        std::string_view found;
        if (PyBytes_Check(text.ptr())) {
            found = {PyBytes_AS_STRING(text.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(text.ptr()))};
        } else if (!utf8_of(text, found)) {
            const std::string which = std::string(what) + " " + std::to_string(out.size() + 1) + ": ";
            if (PyUnicode_Check(text.ptr())) throw InputFault(which + "the text has a lone surrogate and cannot be written as UTF-8");
            throw InputFault(which + "expected text, got " + type_of(text));
        }
        keep.push_back(nb::borrow(text));
        out.push_back(found.substr(0, found.find('\0')));
    }
    return out;
}

// A tagger with the labels as Python has them, so that no string is made twice.
struct HeldTagger {
    HeldTagger(std::string_view bytes, std::shared_ptr<const void> owner) : tagger(bytes, std::move(owner)) {}

    nb::list names() {
        if (texts.empty())
            for (uint32_t label = 0; label < tagger.label_count(); ++label) texts.push_back(text_of(tagger.file().labels().text(label)));
        nb::list out;
        for (const nb::object& text : texts) out.append(text);
        return out;
    }
    void set(nb::handle sentence) { tagger.set(attributes_of(sentence, scratch)); }
    nb::list best() {
        if (texts.empty()) names();
        const std::vector<int32_t>& labels = tagger.best();
        nb::list out = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(labels.size())));
        for (size_t t = 0; t < labels.size(); ++t)
            PyList_SET_ITEM(out.ptr(), static_cast<Py_ssize_t>(t), nb::object(texts[static_cast<size_t>(labels[t])]).release().ptr());
        return out;
    }

    CrfsuiteTagger tagger;
    std::vector<nb::object> texts;
    Attributes scratch;
};

template <class Numbers>
nb::list all_weights(const CrfsuiteFile& file, uint32_t count, Numbers&& numbers_of) {
    nb::list out;
    for (uint32_t from = 0; from < count; ++from) {
        const CrfsuiteFile::Numbers numbers = numbers_of(from);
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

// All instances, laid out for training.
std::shared_ptr<TrainingSet> lay_out(const Instances& instances, bool all_pairs, bool all_transitions, bool merge_twins, bool lean) {
    TrainingOptions options;
    options.labels = instances.labels().size();
    options.all_pairs = all_pairs;
    options.boundaries = false;
    options.all_transitions = all_transitions;
    options.merge_twins = merge_twins;
    options.lean = lean;
    nb::gil_scoped_release release;
    auto made = std::make_shared<TrainingSet>(instances.all(), instances.gold().data(), instances.attributes().size(), options);
    release_memory();
    return made;
}

}  // namespace

void bind_crfsuite(nb::module_& m) {
    nb::class_<Attributes>(m, "Attributes")
        .def("__init__", [](Attributes* self, nb::handle sentence) {
            auto made = std::make_unique<Attributes>();
            gather(sentence, *made);
            new (self) Attributes(std::move(*made));
        }, nb::arg("sentence").none())
        .def("__len__", &Attributes::token_count)
        .def("items", [](const Attributes& sentence) {
            nb::list out;
            for (size_t token = 0; token < sentence.token_count(); ++token) {
                nb::dict item;
                for (size_t i = sentence.begin(token); i < sentence.begin(token + 1); ++i) item[text_of(sentence.text(i))] = sentence.value(i);
                out.append(item);
            }
            return out;
        });

    nb::class_<HeldTagger>(m, "CrfsuiteTagger")
        .def_static("open", [](const std::string& path) {
            FileBytes file = map_file(path);
            return std::make_unique<HeldTagger>(file.bytes, std::move(file.owner));
        }, nb::arg("path"))
        .def_static("read", [](nb::bytes bytes) {
            auto kept = std::make_shared<const std::string>(bytes.c_str(), bytes.size());
            const std::string_view view = *kept;
            return std::make_unique<HeldTagger>(view, std::move(kept));
        }, nb::arg("bytes"))
        .def("labels", &HeldTagger::names)
        .def("set", &HeldTagger::set, nb::arg("sentence").none())
        .def("best", &HeldTagger::best)
        .def("tag", [](HeldTagger& held, nb::handle sentence) {
            held.set(sentence);
            return held.best();
        }, nb::arg("sentence").none())
        .def_prop_ro("token_count", [](const HeldTagger& held) { return held.tagger.token_count(); })
        .def("marginal", [](HeldTagger& held, uint32_t label, size_t token) {
            if (label >= held.tagger.label_count() || token >= held.tagger.token_count()) throw InputFault("there is no such label or token");
            return held.tagger.marginals()[token * held.tagger.label_count() + label];
        }, nb::arg("label"), nb::arg("token"))
        .def("marginals", [](HeldTagger& held) {
            const std::vector<double>& found = held.tagger.marginals();
            if (held.texts.empty()) held.names();
            nb::list out;
            for (size_t token = 0; token < held.tagger.token_count(); ++token) {
                nb::dict of_token;
                for (size_t label = 0; label < held.texts.size(); ++label) of_token[held.texts[label]] = found[token * held.texts.size() + label];
                out.append(of_token);
            }
            return out;
        })
        .def("probability", [](HeldTagger& held, const std::vector<int32_t>& labels) {
            expect_size(labels.size(), held.tagger.token_count(), "labels, one a token");
            for (int32_t label : labels)
                if (label < 0 || static_cast<uint32_t>(label) >= held.tagger.label_count()) throw InputFault("there is no such label");
            return held.tagger.probability(labels);
        }, nb::arg("labels"))
        .def("head", [](const HeldTagger& held) {
            const CrfsuiteFile::Head& head = held.tagger.file().head();
            nb::dict out;
            const std::pair<const char*, uint32_t> fields[] = {
                {"size", head.size}, {"version", head.version}, {"num_features", head.features}, {"num_labels", head.labels},
                {"num_attrs", head.attributes}, {"off_features", head.at_features}, {"off_labels", head.at_labels},
                {"off_attrs", head.at_attributes}, {"off_labelrefs", head.at_label_references}, {"off_attrrefs", head.at_attribute_references}};
            for (const auto& [name, value] : fields) out[name] = value;
            return out;
        })
        .def("attributes", [](const HeldTagger& held) {
            nb::list out;
            for (uint32_t i = 0; i < held.tagger.file().attribute_count(); ++i) out.append(text_of(held.tagger.file().attributes().text(i)));
            return out;
        })
        // (from, to, weight), by number.
        .def("transitions", [](const HeldTagger& held) {
            const CrfsuiteFile& file = held.tagger.file();
            return all_weights(file, file.label_count(), [&](uint32_t label) { return file.of_label(label); });
        })
        // (attribute, label, weight), by number.
        .def("states", [](const HeldTagger& held) {
            const CrfsuiteFile& file = held.tagger.file();
            return all_weights(file, file.attribute_count(), [&](uint32_t attribute) { return file.of_attribute(attribute); });
        });

    nb::class_<Instances>(m, "Instances")
        .def(nb::init<>())
        .def("append", [](Instances& instances, nb::handle sentence, nb::handle labels, int32_t group) {
            Attributes scratch;
            const Attributes& attributes = attributes_of(sentence, scratch);
            std::vector<nb::object> keep;
            const std::vector<std::string_view> texts = views_of(labels, "label", keep);
            if (texts.size() != attributes.token_count())
                throw InputFault("the numbers of items and labels differ: " + std::to_string(attributes.token_count()) + " items, " +
                                 std::to_string(texts.size()) + " labels");
            instances.add(attributes, texts, group);
        }, nb::arg("sentence").none(), nb::arg("labels").none(), nb::arg("group"))
        .def("__len__", [](const Instances& instances) { return instances.groups().size(); })
        .def("labels", [](const Instances& instances) {
            nb::list out;
            for (uint32_t i = 0; i < instances.labels().size(); ++i) out.append(text_of(instances.labels()[i]));
            return out;
        })
        .def_prop_ro("attribute_count", [](const Instances& instances) { return instances.attributes().size(); })
        .def("all", &Instances::all, nb::rv_policy::reference_internal)
        .def("gold", [](const Instances& instances) { return owned(instances.gold()); })
        .def("groups", [](const Instances& instances) { return instances.groups(); })
        .def("part", [](const Instances& instances, int32_t group, bool of_group) {
            Instances::Part part = instances.part(group, of_group);
            return std::pair{std::move(part.encoding), owned(std::move(part.gold))};
        }, nb::arg("group"), nb::arg("of_group"))
        // Hands over a model file of these attributes and labels, and of weights found for them, to be read before `receive` returns.
        .def("write", [](const Instances& instances, const FoundWeights& weights, nb::callable receive) {
            const std::vector<std::string_view> labels = texts_of(instances.labels()), attributes = texts_of(instances.attributes());
            const std::string file = write_crfsuite(weights.named(labels, attributes));
            const nb::object view = nb::steal(PyMemoryView_FromMemory(const_cast<char*>(file.data()), static_cast<Py_ssize_t>(file.size()), PyBUF_READ));
            // Nobody may look at it any longer, whatever happens.
            try {
                receive(view);
            } catch (...) {
                view.attr("release")();
                throw;
            }
            view.attr("release")();
        }, nb::arg("weights"), nb::arg("receive"))
        // Laid out for training, with the weights that are observed, or all that are possible.
        .def("lay_out", &lay_out, nb::arg("all_pairs"), nb::arg("all_transitions"), nb::arg("merge_twins"), nb::arg("lean"));

    nb::class_<FoundWeights>(m, "FoundWeights")
        .def("__init__", [](FoundWeights* self, const TrainingSet& set, Objective& objective) {
            expect_size(objective.point().size(), objective.memory_size(), "a point: nothing was minimised yet");
            std::vector<double> parameters(objective.parameter_count());
            objective.each_here([&](size_t i, double parameter) { parameters[i] = parameter; });
            new (self) FoundWeights(set, std::move(parameters));
        }, nb::arg("training"), nb::arg("objective"))
        .def("__init__", [](FoundWeights* self, const TrainingSet& set, Doubles parameters) {
            new (self) FoundWeights(set, copied(parameters));
        }, nb::arg("training"), nb::arg("parameters"))
        .def("__len__", &FoundWeights::size)
        .def("active", &FoundWeights::active)
        .def("finite", &FoundWeights::finite);

    // The same of texts.
    m.def("write_crfsuite", [](nb::handle labels, nb::handle attributes, UInts pair_attributes, UShorts pair_labels, Doubles pair_weights,
                               Doubles transitions) {
        std::vector<nb::object> keep;
        const std::string file = write_crfsuite({views_of(labels, "label", keep), views_of(attributes, "attribute", keep),
                                                 {pair_attributes.data(), pair_attributes.size()}, {pair_labels.data(), pair_labels.size()},
                                                 {pair_weights.data(), pair_weights.size()}, {transitions.data(), transitions.size()}});
        return nb::bytes(file.data(), file.size());
    }, nb::arg("labels"), nb::arg("attributes"), nb::arg("pair_attributes"), nb::arg("pair_labels"), nb::arg("pair_weights"),
       nb::arg("transitions"));
}

}  // namespace tagpool
