// Conversions and bindings that the two kinds of models share.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "base/model_bytes.hpp"
#include "base/tensors.hpp"
#include "bindings/feature_reader.hpp"
#include "features/encode.hpp"
#include "features/encoding.hpp"
#include "features/frozen_index.hpp"
#include "text/columns.hpp"

namespace tagpool {

// Encodes given features by their index in a model; `given` tells whether the model was trained on such features.
Encoding encode_given(const FrozenIndex& slots, bool given, nb::handle sentences);
// Converts label numbers to lists of str, one list per sentence. Equal labels share one Python object.
LabelLists as_lists(const std::vector<std::string>& labels, const std::vector<int32_t>& numbers, const std::vector<uint32_t>& sentences);
// Converts sentences (lists of words, or dicts of columns) to a corpus with these columns.
Columns columns_of(std::vector<std::string> names, nb::handle sentences);
// Adds texts and blocks of bytes to the contents of a file.
void add_to(Tensors& tensors, const StringDict<nb::str>& texts, const StringDict<nb::bytes>& arrays);

std::vector<std::string> keys_in(const std::optional<Program>& program);

// The lines of a text with labels, and whether the first has a tab; None if they are not simple (label_lines.hpp).
using LabelledText = std::optional<std::pair<nb::bytes, bool>>;
LabelledText label_lines(const nb::bytes& text, const std::vector<int32_t>& numbers, const std::vector<std::string>& labels, std::optional<bool> tabs);

// Throws InputFault for a text that is not UTF-8.
nb::str decode_text(const std::string& text);

// Container: texts and blocks of bytes in one file, with the checksum of model files.
class Container {
public:
    explicit Container(Tensors tensors) : tensors_(std::move(tensors)) {
        const std::string* format = tensors_.find_text("format");
        if (!format || *format != "tagpool") throw InputFault("a safetensors file, but not a tagpool model");
    }
    const Tensors& tensors() const { return tensors_; }

private:
    Tensors tensors_;
};

// Binds reading of a file, and access to its texts and arrays.
template <class T>
void bind_reading(nb::class_<T>& bound) {
    bound
        .def_static("open", [](const std::string& path, bool mmap) {
            nb::gil_scoped_release release;
            const FileBytes file = mmap ? map_file(path) : read_file(path);
            return std::make_unique<T>(Tensors::read(file.bytes, file.owner));
        }, nb::arg("path"), nb::arg("mmap") = false, "Read a file into memory, or map it.")
        .def_static("read", [](const nb::bytes& block) {
            const FileBytes copy = copy_bytes(bytes_view(block));
            return std::make_unique<T>(Tensors::read(copy.bytes, copy.owner));
        }, nb::arg("block"), "Read a file in memory.")
        .def("text", [](const T& file, const std::string& key) {
            const std::string* const text = file.tensors().find_text(key);
            return text ? std::optional(decode_text(*text)) : std::nullopt;
        }, nb::arg("key"), "Text of the file under a key; None if it is missing.")
        .def("array", [](const T& file, const std::string& name) {
            const Tensor* const tensor = file.tensors().find(name);
            return tensor ? std::optional(nb::bytes(reinterpret_cast<const char*>(tensor->data), tensor->bytes)) : std::nullopt;
        }, nb::arg("name"), "Bytes of an array of the file; None if it is missing.")
        .def("sizes", [](const T& file) -> StringDict<int> {
            nb::dict out;
            for (const Tensor& tensor : file.tensors().all()) out[nb::str(tensor.name.c_str())] = tensor.bytes;
            return out;
        }, "Bytes of each array.");
}

template <class Model>
void bind_common(nb::class_<Model>& bound) {
    bind_reading(bound);
    bound
        .def_static("of", [](const Container& file) {
            nb::gil_scoped_release release;
            return std::make_unique<Model>(file.tensors().aligned());
        }, nb::arg("file"), "Model of a file that is open already.")
        .def("write", [](const Model& model, const StringDict<nb::str>& texts, const StringDict<nb::bytes>& arrays, bool half) {
            Tensors further;
            add_to(further, texts, arrays);
            return to_bytes(model.write(further, half));
        }, nb::arg("texts"), nb::arg("arrays"), nb::arg("half"), "Model file with further texts and arrays; half stores weights as float16.")
        .def("encoder", [](const Model& model, uint32_t minimum_count) {
            if (!model.program()) throw InputFault("the model was trained on given features; it has no templates");
            return std::make_unique<Encoder>(*model.program(), minimum_count);
        }, nb::arg("minimum_count"), "New encoder with the model's templates.")
        .def_prop_ro("template_keys", [](const Model& model) { return keys_in(model.program()); }, "Keys of the templates.")
        .def_prop_ro("labels", [](const Model& model) { return model.labels(); }, "All labels.")
        .def_prop_ro("columns", &Model::columns, "Columns that the templates use.")
        .def_prop_ro("looks_at_documents", &Model::looks_at_documents, "Whether templates use other sentences of a document.")
        .def_prop_ro("given", &Model::given, "Whether the model was trained on given features.")
        .def_prop_ro("feature_count", &Model::feature_count, "Number of features.")
        .def_prop_ro("weight_count", &Model::weight_count, "Number of weights.")
        .def("keys_of", [](const Model& model, const std::vector<std::string>& names) {
            std::vector<uint64_t> keys;
            for (const std::string& name : names) keys.push_back(model.key_of(name));
            return to_array(std::move(keys));
        }, nb::arg("names"), "Hashes of features by name.");
}

}  // namespace tagpool
