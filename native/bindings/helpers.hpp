// Conversions between Python and native objects that the binding files share.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "base/thread_pool.hpp"
#include "bindings/builtin_objects.hpp"
#include "bindings/casters.hpp"
#include "text/columns.hpp"

namespace tagpool {

using StringList = nb::typed<nb::list, nb::str>;
using LabelLists = nb::typed<nb::list, StringList>;
template <class Value>
using StringDict = nb::typed<nb::dict, nb::str, Value>;

// One-dimensional arrays that Python passes.
template <class T>
using ArrayArgument = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = ArrayArgument<double>;
using Bytes = ArrayArgument<uint8_t>;
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
template <class Values>
auto view(const Values& values, nb::handle owner) {
    return Array<std::remove_cvref_t<decltype(values[0])>>(values.data(), {values.size()}, owner);
}
// View of a member of a bound object.
template <auto kMember, class Owner, class Values>
auto view_member(Values Owner::*, nb::handle self) {
    return view(nb::cast<const Owner&>(self).*kMember, self);
}
template <auto kMember>
auto view_of(nb::handle self) {
    return view_member<kMember>(kMember, self);
}

// Array that owns its memory.
template <class T>
Array<T> to_array(std::vector<T> values) {
    auto* vector = new std::vector<T>(std::move(values));
    nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return view(*vector, owner);
}

// As an Array, but a memoryview, so that NumPy is not imported.
template <class T>
using View = nb::ndarray<nb::memview, const T, nb::ndim<1>, nb::c_contig>;

template <class T>
View<T> to_view(std::vector<T> values) {
    auto* vector = new std::vector<T>(std::move(values));
    nb::capsule owner(vector, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return View<T>(vector->data(), {vector->size()}, owner);
}

inline nb::bytes to_bytes(std::string_view text) { return nb::bytes(text.data(), text.size()); }
inline nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }
inline std::string_view bytes_view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

// For each token the number that `mapping` has at its string id.
inline std::vector<int32_t> map_ids(const Column& column, const std::vector<int32_t>& mapping) {
    std::vector<int32_t> out(column.ids.size());
    for (size_t t = 0; t < out.size(); ++t) out[t] = mapping[column.ids[t]];
    return out;
}

// List of text_at(0), text_at(1), ...
template <class TextAt>
StringList list_texts(size_t count, TextAt&& text_at) {
    nb::list out;
    for (uint32_t i = 0; i < count; ++i) out.append(to_str(text_at(i)));
    return out;
}

inline constexpr const char* kLoneSurrogate = "the text has a lone surrogate, which UTF-8 does not encode; remove it";

// Errors of read_tokens.
[[noreturn]] void refuse_tokens(nb::handle tokens, size_t sentence, const std::string& column);
[[noreturn]] void refuse_token(nb::handle token, size_t sentence, size_t number, const std::string& column);

// Calls add(text) for the tokens of a sentence in one column; returns their number. Messages omit an empty column name.
// A str is refused: it would pass as a list of its letters.
template <class Add>
size_t read_tokens(nb::handle tokens, size_t sentence, const std::string& column, Add&& add) {
    if (is_list_or_tuple(tokens)) {
        SequenceItems items;
        items.read(tokens);
        for (size_t t = 0; t < items.size(); ++t) {
            std::string_view text;
            if (!utf8_of(items[t], text)) refuse_token(items[t], sentence, t + 1, column);
            add(text);
        }
        return items.size();
    }
    const nb::object iterator = nb::steal(PyUnicode_Check(tokens.ptr()) ? nullptr : PyObject_GetIter(tokens.ptr()));
    if (!iterator.is_valid()) refuse_tokens(tokens, sentence, column);
    size_t count = 0;
    for (nb::handle token : iterator) {
        ++count;
        std::string_view text;
        if (!utf8_of(token, text)) refuse_token(token, sentence, count, column);
        add(text);
    }
    return count;
}

// The name of an object's type, for error messages.
std::string type_of(nb::handle object);

// Raises KeyboardInterrupt (Ctrl-C) from a long computation that has released the interpreter.
void check_interrupt();

// Number of threads that Python passes, at most kMaxThreads.
struct Threads {
    unsigned count = 1;
    operator unsigned() const { return count; }
};

// Issues one Python warning per process: `count` threads are used instead of more.
void warn_about_threads(size_t count) noexcept;

// Sorts texts and joins them with `separator`, so that Python needs no object for each.
nb::bytes join_sorted(std::vector<std::string_view> texts, char separator);

template <class Work>
auto without_gil(const Work& work) {
    nb::gil_scoped_release release;
    return work();
}

void bind_text(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_arrow(nb::module_& m);
void bind_label_numbers(nb::module_& m);
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
void bind_crfsuite_training(nb::module_& m);
void bind_planted_race(nb::module_& m);  // only for ThreadSanitizer

}  // namespace tagpool

template <>
struct nanobind::detail::type_caster<tagpool::Threads> {
    NB_TYPE_CASTER(tagpool::Threads, const_name("int"))

    bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
        const object whole = steal(PyNumber_Index(source.ptr()));
        int overflow = 0;
        const long long number = whole.is_valid() ? PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow) : -1;
        PyErr_Clear();
        if (number < 0 && overflow <= 0) return false;
        const bool more = overflow > 0 || number > tagpool::kMaxThreads;
        if (more) tagpool::warn_about_threads(tagpool::kMaxThreads);
        value.count = more ? tagpool::kMaxThreads : static_cast<unsigned>(number);
        return true;
    }
    static handle from_cpp(tagpool::Threads threads, rv_policy, cleanup_list*) noexcept { return PyLong_FromUnsignedLong(threads.count); }
};
