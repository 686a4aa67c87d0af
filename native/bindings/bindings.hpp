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

// Lets Python see signals (Ctrl-C) from within a long run that has let go of the interpreter.
void look_up();

// Texts in order, one after another with `separator` between them: many names without an object for each.
template <class NameOf>
nb::bytes packed(uint32_t count, char separator, NameOf&& name_of) {
    std::vector<uint32_t> order(count);
    for (uint32_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return name_of(a) < name_of(b); });
    std::string out;
    size_t size = 0;
    for (uint32_t i = 0; i < count; ++i) size += name_of(i).size() + 1;
    out.reserve(size);
    for (uint32_t i : order) {
        if (i != order.front()) out.push_back(separator);
        out.append(name_of(i));
    }
    return nb::bytes(out.data(), out.size());
}

void bind_text(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_lexicons(nb::module_& m);
void bind_encoder(nb::module_& m);
void bind_given(nb::module_& m);
void bind_training(nb::module_& m);
void bind_model(nb::module_& m);
void bind_online(nb::module_& m);
void bind_stochastic(nb::module_& m);
void bind_elitist(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_pooling(nb::module_& m);

}  // namespace tagpool
