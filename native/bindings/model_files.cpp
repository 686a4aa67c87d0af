// Files of models and pools.
#include <algorithm>
#include <variant>

#include "base/json.hpp"
#include "bindings/helpers.hpp"
#include "bindings/tagging.hpp"
#include "features/lexicon_file.hpp"
#include "model/model.hpp"
#include <nanobind/stl/variant.h>

namespace tagpool {
namespace {

using AnyLexicon = std::variant<const WordLexicon*, const PhraseLexicon*, const VectorLexicon*>;

bool is_lexicon_array(std::string_view name) {
    for (const std::string_view program : {"program.", "history."})
        for (const std::string_view kind : {"words.", "phrases.", "vectors."})
            if (name.starts_with(program) && name.substr(program.size()).starts_with(kind)) return true;
    return false;
}

void write_any(const AnyLexicon& lexicon, const std::string& name, Tensors& to) {
    std::visit([&](const auto* typed) { write_lexicon(*typed, name, to); }, lexicon);
}

// Copies the texts and arrays that the filters accept.
template <class KeepText, class KeepArray>
void copy_tensors(const Tensors& from, Tensors& to, KeepText&& keep_text, KeepArray&& keep_array) {
    for (const auto& [key, text] : from.texts())
        if (keep_text(key)) to.set(key, text);
    for (const Tensor& tensor : from.all())
        if (keep_array(tensor.name)) to.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
}

constexpr auto kAll = [](const std::string&) { return true; };

// Reads one text of a file's header. None if it is missing, or if the file is not a model file: reading the whole file reports why.
std::optional<nb::str> text_of_file(const std::string& path, const std::string& key) {
    try {
        const FileBytes file = map_file(path);
        if (file.bytes.size() < 8) return std::nullopt;
        uint64_t length = 0;
        for (size_t i = 0; i < 8; ++i) length |= uint64_t{static_cast<unsigned char>(file.bytes[i])} << (8 * i);
        if (length > file.bytes.size() - 8) return std::nullopt;
        const Json header = Json::parse(file.bytes.substr(8, length));
        const Json* const texts = header.find("__metadata__");
        const Json* const value = texts ? texts->find(key) : nullptr;
        return value ? std::optional(decode_text(value->as_string())) : std::nullopt;
    } catch (const InputFault&) {
        return std::nullopt;
    }
}

}  // namespace

void bind_model_files(nb::module_& m) {
    m.def("text_of_file", &text_of_file, nb::arg("path"), nb::arg("key"), "Text of a model file's header; None if it is missing.");
    m.def("without_arrays", [](const nb::bytes& block, const std::vector<std::string>& prefixes) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        copy_tensors(from, out, kAll, [&](const std::string& name) {
            return std::none_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return name.starts_with(prefix); });
        });
        return to_bytes(out.write());
    }, nb::arg("block"), nb::arg("prefixes"), "Model file without the arrays whose names begin with a prefix.");
    m.def("with_lexicons_of", [](const nb::bytes& block, const Model& model) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        copy_tensors(from, out, kAll, kAll);
        for (const Tensor& tensor : model.tensors().all())
            if (is_lexicon_array(tensor.name) && !from.find(tensor.name)) out.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
        return to_bytes(out.write());
    }, nb::arg("block"), nb::arg("model"), "Model file with the lexicons of another model that it lacks.");
    m.def("lexicon_arrays", [](const AnyLexicon& lexicon) -> StringDict<nb::bytes> {
        Tensors arrays;
        write_any(lexicon, "", arrays);
        nb::dict out;
        for (const Tensor& tensor : arrays.all())
            out[nb::str(tensor.name.c_str())] = nb::bytes(reinterpret_cast<const char*>(tensor.data), tensor.bytes);
        return out;
    }, nb::arg("lexicon"), "Arrays of a lexicon, by the ends of their names.");
    m.def("with_lexicons", [](const nb::bytes& block, const StringDict<AnyLexicon>& lexicons, const std::string& without) {
        const Tensors from = Tensors::read(bytes_view(block), nullptr);
        Tensors out;
        copy_tensors(from, out, [&](const std::string& key) { return key != without; }, kAll);
        for (auto [name, lexicon] : lexicons) write_any(nb::cast<AnyLexicon>(lexicon), nb::cast<std::string>(name), out);
        return to_bytes(out.write());
    }, nb::arg("block"), nb::arg("lexicons"), nb::arg("without"), "Model file with lexicons, by the prefixes of their arrays, and without one text.");

    nb::class_<Container> container(m, "Container", "File of texts and blocks of bytes, such as a pool.");
    bind_reading(container);
    container
        .def_static("write", [](const StringDict<nb::str>& texts, const StringDict<nb::bytes>& arrays) {
            Tensors out;
            out.set("format", "tagpool");
            add_to(out, texts, arrays);
            return to_bytes(out.write());
        }, nb::arg("texts"), nb::arg("arrays"), "File of texts and blocks.");
}

}  // namespace tagpool
