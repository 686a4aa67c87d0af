// What models of every kind are asked to tag, and their answers.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/columns.hpp"
#include "features/encoding.hpp"
#include "features/encode.hpp"
#include "base/fault.hpp"
#include "base/mapped_file.hpp"
#include "features/frozen_index.hpp"
#include "base/tensors.hpp"
#include "bindings/walker.hpp"
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace tagpool {

// Given features as the places a model has for them.
Encoding placed_features(const FrozenIndex& slots, bool given, nb::handle sentences);
// Label numbers as lists of text, one a sentence; equal labels are one Python object.
nb::list as_lists(const std::vector<std::string>& labels, const std::vector<int32_t>& numbers, const std::vector<uint32_t>& sentences);
// Sentences as lists of words, or as dicts of the columns the model needs.
Columns columns_of(std::vector<std::string> names, nb::handle sentences);
// Texts and arrays that a file has beside the model.
Tensors gathered(const nb::dict& texts, const nb::dict& arrays);

std::vector<std::string> keys_in(const std::optional<Program>& program);

// What models of all kinds have in common.
template <class Model>
void bind_common(nb::class_<Model>& bound) {
    bound
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
        .def("encoder", [](const Model& model, uint32_t minimum_count) {
            if (!model.program()) throw InputFault("this model was trained on given features");
            return std::make_unique<Encoder>(*model.program(), minimum_count, model.hash_size());
        }, nb::arg("minimum_count"))
        .def_prop_ro("template_keys", [](const Model& model) { return keys_in(model.program()); })
        .def_prop_ro("labels", [](const Model& model) { return model.labels(); })
        .def_prop_ro("columns", &Model::columns)
        .def_prop_ro("looks_at_documents", &Model::looks_at_documents)
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
        .def("keys_of", [](const Model& model, const std::vector<std::string>& names) {
            std::vector<uint64_t> keys;
            for (const std::string& name : names) keys.push_back(model.key_of(name));
            return owned(std::move(keys));
        }, nb::arg("names"));
}

}  // namespace tagpool
