// Files of models and pools.
#include <algorithm>
#include <variant>

#include "bindings/helpers.hpp"
#include "bindings/tagging.hpp"
#include "features/lexicon_file.hpp"
#include "model/model.hpp"

namespace tagpool {
namespace {

using AnyLexicon = std::variant<const WordLexicon*, const PhraseLexicon*, const VectorLexicon*>;

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
        const FileBytes start = read_file(path, 9);
        const FileBytes header = read_file(path, Tensors::header_end(start.bytes));
        for (const auto& [name, text] : Tensors::read_texts(header.bytes))
            if (name == key) return decode_text(text);
        return std::nullopt;
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
    m.def("lexicon_arrays", [](const AnyLexicon& lexicon) -> StringDict<nb::bytes> {
        Tensors arrays;
        write_any(lexicon, "", arrays);
        nb::dict out;
        for (const Tensor& tensor : arrays.all())
            out[nb::str(tensor.name.c_str())] = nb::bytes(reinterpret_cast<const char*>(tensor.data), tensor.bytes);
        return out;
    }, nb::arg("lexicon"), "Arrays of a lexicon, by the ends of their names.");

    nb::class_<Container> container(m, "Container", "File of texts and blocks of bytes, such as a pool.");
    bind_reading(container);
    container
        .def("member", [](const Container& file, const std::string& name) -> std::unique_ptr<Container> {
            const Tensor* const tensor = file.tensors().find(name);
            if (!tensor) return nullptr;
            auto owners = std::make_shared<const std::vector<std::shared_ptr<const void>>>(file.tensors().owners());
            return std::make_unique<Container>(Tensors::read({reinterpret_cast<const char*>(tensor->data), tensor->bytes}, std::move(owners)));
        }, nb::arg("name"), "File that is an array of this file, without a copy; None if it is missing.")
        .def("with_lexicons", [](const Container& file, const StringDict<AnyLexicon>& lexicons, const std::string& without) {
            Tensors out = file.tensors().aligned();
            out.remove_text(without);
            for (auto [name, lexicon] : lexicons) write_any(nb::cast<AnyLexicon>(lexicon), nb::cast<std::string>(name), out);
            return std::make_unique<Container>(std::move(out));
        }, nb::arg("lexicons"), nb::arg("without"), "The same file with lexicons, by the prefixes of their arrays, and without one text.")
        .def_static("write", [](const StringDict<nb::str>& texts, const StringDict<nb::bytes>& arrays) {
            Tensors out;
            out.set("format", "tagpool");
            add_to(out, texts, arrays);
            return to_bytes(out.write());
        }, nb::arg("texts"), nb::arg("arrays"), "File of texts and blocks.");
}

}  // namespace tagpool
