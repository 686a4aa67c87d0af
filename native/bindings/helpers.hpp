// Conversions between Python and native objects that the binding files share.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fault.hpp"

namespace tagpool {

namespace nb = nanobind;

using StringList = nb::typed<nb::list, nb::str>;
using LabelLists = nb::typed<nb::list, StringList>;
template <class Value>
using StringDict = nb::typed<nb::dict, nb::str, Value>;

// One-dimensional arrays that Python passes.
template <class T>
using ArrayArgument = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = ArrayArgument<double>;
using Floats = ArrayArgument<float>;
using UInts = ArrayArgument<uint32_t>;
using UShorts = ArrayArgument<uint16_t>;
using Ints = ArrayArgument<int32_t>;

template <class Argument>
auto to_vector(const Argument& array) {
    using Value = std::remove_const_t<typename Argument::Scalar>;
    return std::vector<Value>(array.data(), array.data() + array.size());
}

// One-dimensional read-only arrays that Python receives. NumPy is imported only when one of them reaches Python.
template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;

// View of memory that `owner` keeps alive.
template <class T>
Array<T> view(const T* data, size_t size, nb::handle owner) {
    return Array<T>(data, {size}, owner);
}
template <class T>
Array<T> view(const std::vector<T>& values, nb::handle owner) {
    return view(values.data(), values.size(), owner);
}

// Array that owns its memory.
template <class T>
Array<T> to_array(std::vector<T> values) {
    auto* vector = new std::vector<T>(std::move(values));
    nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return view(vector->data(), vector->size(), owner);
}

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }
inline nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }
inline std::string_view bytes_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

inline constexpr const char* kLoneSurrogate = "the text has a lone surrogate, which UTF-8 does not encode; remove it";

// Reads the UTF-8 of a str. Returns false, without a Python error, for another type and for a str with lone surrogates.
bool utf8_of(nb::handle object, std::string_view& text);

// The name of an object's type, for error messages.
std::string type_of(nb::handle object);

// Raises KeyboardInterrupt (Ctrl-C) from a long computation that has released the interpreter.
void check_interrupt();

// Sorts texts and joins them with `separator`, so that Python needs no object for each.
nb::bytes join_sorted(std::vector<std::string_view> texts, char separator);

inline void expect_size(size_t got, size_t expected, const char* what) {
    if (got != expected)
        throw InputFault("expected " + std::to_string(expected) + " " + what + ", got " + std::to_string(got));
}

template <class Work>
auto without_gil(const Work& work) {
    nb::gil_scoped_release release;
    return work();
}

void bind_text(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_features(nb::module_& m);
void bind_clusters(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_dataset(nb::module_& m);
void bind_trainers(nb::module_& m);
void bind_model(nb::module_& m);
void bind_model_files(nb::module_& m);
void bind_online(nb::module_& m);
void bind_pools(nb::module_& m);
void bind_crfsuite(nb::module_& m);

}  // namespace tagpool
