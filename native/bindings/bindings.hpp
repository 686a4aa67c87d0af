// What the binding files share. One file a unit; no logic but the walking of Python objects.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tagpool {

namespace nb = nanobind;

template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig>;

// A read-only view of memory that `owner` keeps alive. NumPy is imported only when such a view reaches Python.
template <class T>
Array<T> view(const T* data, size_t size, nb::handle owner) {
    return Array<T>(data, {size}, owner);
}

// An array that keeps its own memory.
template <class T>
nb::object owned(std::vector<T> values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(view<T>(kept->data(), kept->size(), owner));
}

inline std::string_view bytes_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// The UTF-8 of a str; false (with no Python error set) for anything else, and for a str with lone surrogates.
bool utf8_of(nb::handle object, std::string_view& text);

// The name of an object's type, for messages.
std::string type_of(nb::handle object);

// Throws after Ctrl-C. For long runs without the GIL.
void check_interrupt();

// Texts in order, one after another with `separator` between them: many names without an object for each.
nb::bytes packed(std::vector<std::string_view> texts, char separator);

void bind_text(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_lexicons(nb::module_& m);
void bind_encoder(nb::module_& m);
void bind_given(nb::module_& m);
void bind_crfsuite(nb::module_& m);
void bind_training(nb::module_& m);
void bind_model(nb::module_& m);
void bind_online(nb::module_& m);
void bind_stochastic(nb::module_& m);
void bind_elitist(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_pooling(nb::module_& m);
void bind_clustering(nb::module_& m);
void bind_paths(nb::module_& m);

}  // namespace tagpool
