#include <algorithm>
#include <memory>

#include "model/collapse.hpp"
#include "base/fault.hpp"
#include "base/json.hpp"
#include "base/mapped_file.hpp"
#include "pools/opinion.hpp"
#include "features/lexicon_file.hpp"
#include "base/tensors.hpp"
#include "bindings/arrays.hpp"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

using MemberArrays = std::tuple<Doubles, Doubles, Doubles, Doubles>;  // nodes, edges, start, end

std::pair<double, nb::object> likelihood(const std::vector<MemberArrays>& members, const UInts& offsets, const Ints& gold, const Doubles& shares,
                                         size_t labels, bool vary, unsigned threads) {
    const size_t tokens = gold.size();
    ScoredSentences scored{{}, labels, vary, offsets.data(), offsets.size() ? offsets.size() - 1 : 0, gold.data()};
    if (labels == 0 || scored.sentences == 0) throw InputFault("expected labels and sentences");
    expect_size(shares.size(), members.size(), "shares, one a member");
    for (size_t s = 0; s < scored.sentences; ++s)
        if (offsets.data()[s] >= offsets.data()[s + 1]) throw InputFault("a sentence has no tokens");
    if (offsets.data()[0] != 0 || offsets.data()[scored.sentences] != tokens) throw InputFault("the offsets do not fit the labels");
    for (size_t t = 0; t < tokens; ++t)
        if (gold.data()[t] < 0 || static_cast<size_t>(gold.data()[t]) >= labels) throw InputFault("a label is out of range");
    for (const auto& [nodes, edges, start, end] : members) {
        expect_size(nodes.size(), tokens * labels, "node scores");
        expect_size(edges.size(), (vary ? tokens : 1) * labels * labels, "edge scores");
        expect_size(start.size(), labels, "start scores");
        expect_size(end.size(), labels, "end scores");
        scored.members.push_back({nodes.data(), edges.data(), start.data(), end.data()});
    }
    std::vector<double> gradient(members.size());
    double value;
    {
        nb::gil_scoped_release release;
        value = pool_likelihood(scored, shares.data(), threads, gradient.data());
    }
    return {value, owned(std::move(gradient))};
}

std::unique_ptr<Model> collapse(const std::vector<std::string>& labels, const std::vector<const Model*>& models, const std::vector<double>& shares,
                                const std::vector<std::vector<std::string>>& names, const std::vector<std::vector<uint16_t>>& label_of) {
    std::vector<Collapsing> members;
    if (models.empty() || shares.size() != models.size() || names.size() != models.size() || label_of.size() != models.size())
        throw InputFault("expected a share, names and labels for each model");
    nb::gil_scoped_release release;
    for (size_t i = 0; i < models.size(); ++i) {
        Collapsing member{models[i], shares[i], {}, label_of[i]};
        for (const std::string& name : names[i]) member.keys.push_back(models[i]->key_of(name));
        members.push_back(std::move(member));
    }
    return collapsed(labels, members);
}

// Texts and blocks of bytes in one file, with the checksum of model files.
class Container {
public:
    explicit Container(Tensors tensors) : tensors_(std::move(tensors)) {
        const std::string* format = tensors_.find_text("format");
        if (!format || *format != "tagpool") throw InputFault("it is a safetensors file, but no tagpool model");
    }
    const Tensors& tensors() const { return tensors_; }

private:
    Tensors tensors_;
};

nb::object as_text(const std::string& text) {
    PyObject* const made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "strict");
    if (made) return nb::steal(made);
    PyErr_Clear();
    throw InputFault("a text in it is not UTF-8");
}

bool is_of_lexicon(std::string_view name) {
    for (const std::string_view program : {"program.", "history."})
        for (const std::string_view kind : {"words.", "phrases.", "vectors."})
            if (name.starts_with(program) && name.substr(program.size()).starts_with(kind)) return true;
    return false;
}

void write_any(nb::handle lexicon, const std::string& name, Tensors& to) {
    if (nb::isinstance<WordLexicon>(lexicon)) write_lexicon(nb::cast<const WordLexicon&>(lexicon), name, to);
    else if (nb::isinstance<PhraseLexicon>(lexicon)) write_lexicon(nb::cast<const PhraseLexicon&>(lexicon), name, to);
    else write_lexicon(nb::cast<const VectorLexicon&>(lexicon), name, to);
}

// A text of a file's header, None where there is none or the file is no such file: whoever reads all of it will say why.
nb::object text_of_file(const std::string& path, const std::string& key) {
    try {
        const FileBytes file = map_file(path);
        if (file.bytes.size() < 8) return nb::none();
        uint64_t length = 0;
        for (size_t i = 0; i < 8; ++i) length |= uint64_t{static_cast<unsigned char>(file.bytes[i])} << (8 * i);
        if (length > file.bytes.size() - 8) return nb::none();
        const Json header = Json::parse(file.bytes.substr(8, length));
        const Json* const texts = header.find("__metadata__");
        const Json* const found = texts ? texts->find(key) : nullptr;
        return found ? as_text(found->as_string()) : nb::none();
    } catch (const InputFault&) {
        return nb::none();
    }
}

}  // namespace

void bind_pooling(nb::module_& m) {
    m.def("pool_likelihood", &likelihood, nb::arg("members"), nb::arg("offsets"), nb::arg("gold"), nb::arg("shares"), nb::arg("labels"),
          nb::arg("vary"), nb::arg("threads"));
    m.def("collapse", &collapse, nb::arg("labels"), nb::arg("models"), nb::arg("shares"), nb::arg("names"), nb::arg("label_of"));
    m.def("text_of_file", &text_of_file, nb::arg("path"), nb::arg("key"));
    // A model without some of its arrays, by the beginnings of their names.
    m.def("without_arrays", [](const nb::bytes& block, const std::vector<std::string>& beginnings) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        for (const auto& [key, text] : from.texts()) out.set(key, text);
        for (const Tensor& each : from.all())
            if (std::none_of(beginnings.begin(), beginnings.end(), [&](const std::string& beginning) { return each.name.starts_with(beginning); }))
                out.add(each.name, each.type, each.shape, each.data, nullptr);
        const std::string written = out.write();
        return nb::bytes(written.data(), written.size());
    }, nb::arg("block"), nb::arg("beginnings"));
    // A block that lacks lexicons of a model that it is a part of, with them.
    m.def("with_lexicons_of", [](const nb::bytes& block, const Model& model) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        for (const auto& [key, text] : from.texts()) out.set(key, text);
        for (const Tensor& each : from.all()) out.add(each.name, each.type, each.shape, each.data, nullptr);
        for (const Tensor& each : model.tensors().all())
            if (is_of_lexicon(each.name) && !from.find(each.name)) out.add(each.name, each.type, each.shape, each.data, nullptr);
        const std::string written = out.write();
        return nb::bytes(written.data(), written.size());
    }, nb::arg("block"), nb::arg("model"));
    // The arrays of a lexicon, by what stands behind the name that they begin with.
    m.def("lexicon_arrays", [](nb::handle lexicon) {
        Tensors arrays;
        write_any(lexicon, "", arrays);
        nb::dict out;
        for (const Tensor& each : arrays.all()) out[nb::str(each.name.c_str())] = nb::bytes(reinterpret_cast<const char*>(each.data), each.bytes);
        return out;
    }, nb::arg("lexicon"));
    // The same model with lexicons, by the names that their arrays begin with, and without one of its texts.
    m.def("with_lexicons", [](const nb::bytes& block, const nb::dict& lexicons, const std::string& without) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        for (const auto& [key, text] : from.texts())
            if (key != without) out.set(key, text);
        for (const Tensor& each : from.all()) out.add(each.name, each.type, each.shape, each.data, nullptr);
        for (auto [name, lexicon] : lexicons) write_any(lexicon, nb::cast<std::string>(name), out);
        const std::string written = out.write();
        return nb::bytes(written.data(), written.size());
    }, nb::arg("block"), nb::arg("lexicons"), nb::arg("without"));
    nb::class_<Container>(m, "Container")
        .def_static("open", [](const std::string& path) {
            nb::gil_scoped_release release;
            FileBytes file = map_file(path);
            return std::make_unique<Container>(Tensors::read(file.bytes, file.owner));
        }, nb::arg("path"))
        .def_static("read", [](const nb::bytes& block) {
            auto kept = std::make_shared<const std::string>(block.c_str(), block.size());
            return std::make_unique<Container>(Tensors::read(*kept, kept));
        }, nb::arg("block"))
        .def_static("write", [](const nb::dict& texts, const nb::dict& arrays) {
            Tensors out;
            out.set("format", "tagpool");
            for (auto [key, value] : texts) out.set(nb::cast<std::string>(key), nb::cast<std::string>(value));
            for (auto [name, value] : arrays) {
                const auto bytes = nb::cast<nb::bytes>(value);
                out.add(nb::cast<std::string>(name), Type::u8, {bytes.size()}, bytes.c_str(), nullptr);
            }
            const std::string written = out.write();
            return nb::bytes(written.data(), written.size());
        }, nb::arg("texts"), nb::arg("arrays"))
        .def("text", [](const Container& container, const std::string& key) -> nb::object {
            const std::string* found = container.tensors().find_text(key);
            return found ? as_text(*found) : nb::none();
        }, nb::arg("key"))
        .def("array", [](const Container& container, const std::string& name) -> nb::object {
            const Tensor* found = container.tensors().find(name);
            return found ? nb::object(nb::bytes(reinterpret_cast<const char*>(found->data), found->bytes)) : nb::none();
        }, nb::arg("name"));
}

}  // namespace tagpool
