#include <cstring>
#include <new>
#include <stdexcept>

#include "base/buffer.hpp"
#include "base/fault.hpp"
#include "bindings/helpers.hpp"
#include "kernels/kernels.hpp"

NB_MODULE(_native, m) {
    using namespace tagpool;
    m.doc() = "Native core of tagpool; use the Python classes that wrap it.";

    // The arguments of a Python InputFault are (message, line). The wrappers turn it into an InputError that names the file.
    const std::string name = nb::cast<std::string>(m.attr("__name__")) + ".InputFault";
    static PyObject* fault = PyErr_NewException(name.c_str(), PyExc_ValueError, nullptr);
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

    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const std::bad_alloc&) {
            PyErr_SetString(PyExc_MemoryError, "not enough memory");
        } catch (const std::length_error&) {  // a container larger than the address space
            PyErr_SetString(PyExc_MemoryError, "not enough memory");
        }
    });
    report_fewer_threads = warn_about_threads;
    m.def("warn_about_threads", &warn_about_threads, nb::arg("count"), "Warn once per process: `count` threads are used instead of more.");

    m.def("release_memory", &release_memory, nb::call_guard<nb::gil_scoped_release>(), "Return unused memory to the system.");
    m.def("kernel_name", [] { return std::string(kernels().name); }, "Instruction set of the numeric kernels in use.");

    bind_text(m);
    bind_columns(m);
    bind_arrow(m);
    bind_label_numbers(m);
    bind_features(m);
    bind_clusters(m);
    bind_chain(m);
    bind_dataset(m);
    bind_trainers(m);
    bind_model(m);
    bind_model_files(m);
    bind_online(m);
    bind_pools(m);
    bind_crfsuite(m);
    bind_crfsuite_training(m);
#ifdef TAGPOOL_TSAN
    bind_planted_race(m);
#endif
}
