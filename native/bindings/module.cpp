#include <cstring>

#include "bindings/bindings.hpp"

#include "base/buffer.hpp"
#include "base/fault.hpp"
#include "text/sort_texts.hpp"
#include <nanobind/stl/string.h>

namespace tagpool {

bool utf8_of(nb::handle object, std::string_view& text) {
    if (!PyUnicode_Check(object.ptr())) return false;
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (!data) {
        PyErr_Clear();
        return false;
    }
    text = {data, static_cast<size_t>(size)};
    return true;
}

std::string type_of(nb::handle object) { return nb::cast<std::string>(nb::handle(object.type()).attr("__name__")); }

nb::bytes packed(std::vector<std::string_view> texts, char separator) {
    sort_texts(texts);
    size_t size = 0;
    for (const std::string_view text : texts) size += text.size() + 1;
    std::string out;
    out.reserve(size);
    for (const std::string_view text : texts) out.append(text).push_back(separator);
    if (!out.empty()) out.pop_back();
    return nb::bytes(out.data(), out.size());
}

void check_interrupt() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace tagpool

NB_MODULE(_native, m) {
    using namespace tagpool;
    m.doc() = "The native core of tagpool; use the Python classes that wrap it.";

    // InputFault(message, line) on the Python side; the wrappers turn it into an InputError that names the file.
    static PyObject* fault = PyErr_NewException("tagpool._native.InputFault", PyExc_ValueError, nullptr);
    m.attr("InputFault") = nb::handle(fault);
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const InputFault& error) {
            // A message may quote a damaged file.
            PyObject* const message = PyUnicode_DecodeUTF8(error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "replace");
            if (message) PyErr_SetObject(fault, nb::make_tuple(nb::steal(message), error.line).ptr());
        }
    });

    // Gives memory back to the system that nobody uses any more.
    m.def("release_memory", &release_memory, nb::call_guard<nb::gil_scoped_release>());

    bind_text(m);
    bind_columns(m);
    bind_lexicons(m);
    bind_encoder(m);
    bind_given(m);
    bind_crfsuite(m);
    bind_training(m);
    bind_model(m);
    bind_online(m);
    bind_stochastic(m);
    bind_elitist(m);
    bind_chain(m);
    bind_pooling(m);
    bind_clustering(m);
    bind_paths(m);
}
