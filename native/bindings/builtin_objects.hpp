// Access to Python's str, bytes, list and tuple. A module for one version of Python reads their memory. A module for the stable ABI
// (Py_LIMITED_API), whose layouts differ between versions, calls functions.
#pragma once
#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

namespace tagpool {

namespace nb = nanobind;

// utf8_of for the less common objects.
bool utf8_of_other(PyObject* object, std::string_view& text);

// Reads the UTF-8 of a str. Returns false, without a Python error, for another type and for a str with lone surrogates.
inline bool utf8_of(nb::handle object, std::string_view& text) {
    PyObject* const p = object.ptr();
#ifdef Py_LIMITED_API
    if (PyUnicode_CheckExact(p)) [[likely]] {  // not a call, as PyUnicode_Check
        Py_ssize_t size = 0;
        if (const char* const data = PyUnicode_AsUTF8AndSize(p, &size)) [[likely]] {
            text = {data, static_cast<size_t>(size)};
            return true;
        }
        PyErr_Clear();
        return false;
    }
#else
    if (PyUnicode_CheckExact(p) && PyUnicode_IS_COMPACT_ASCII(p)) [[likely]] {
        text = {static_cast<const char*>(PyUnicode_DATA(p)), static_cast<size_t>(PyUnicode_GET_LENGTH(p))};
        return true;
    }
#endif
    return utf8_of_other(p, text);
}

// View of a bytes object.
inline std::string_view view_of_bytes(nb::handle object) {
#ifdef Py_LIMITED_API
    return {PyBytes_AsString(object.ptr()), static_cast<size_t>(PyBytes_Size(object.ptr()))};
#else
    return {PyBytes_AS_STRING(object.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(object.ptr()))};
#endif
}

inline bool is_list_or_tuple(nb::handle object) { return PyList_CheckExact(object.ptr()) || PyTuple_CheckExact(object.ptr()); }

// Borrowed references to the items of lists and tuples. They are valid until Python code runs.
class SequenceItems {
public:
    // Reads a list or a tuple. The object can be used again for another one.
    void read(nb::handle sequence) {
        PyObject* const p = sequence.ptr();
#ifdef Py_LIMITED_API
        const bool is_list = PyList_CheckExact(p);
        items_.resize(static_cast<size_t>(is_list ? PyList_Size(p) : PyTuple_Size(p)));
        if (is_list)
            for (size_t i = 0; i < items_.size(); ++i) items_[i] = PyList_GetItem(p, static_cast<Py_ssize_t>(i));
        else
            for (size_t i = 0; i < items_.size(); ++i) items_[i] = PyTuple_GetItem(p, static_cast<Py_ssize_t>(i));
#else
        items_ = PySequence_Fast_ITEMS(p);
        size_ = static_cast<size_t>(PySequence_Fast_GET_SIZE(p));
#endif
    }
#ifdef Py_LIMITED_API
    size_t size() const { return items_.size(); }
#else
    size_t size() const { return size_; }
#endif
    PyObject* operator[](size_t i) const { return items_[i]; }

private:
#ifdef Py_LIMITED_API
    std::vector<PyObject*> items_;
#else
    PyObject** items_ = nullptr;
    size_t size_ = 0;
#endif
};

// A list of `size` objects; object_at(i) returns a borrowed reference.
template <class ObjectAt>
nb::list list_of(size_t size, ObjectAt&& object_at) {
    PyObject* const list = PyList_New(static_cast<Py_ssize_t>(size));
    if (!list) nb::raise_python_error();
    for (size_t i = 0; i < size; ++i) {
        PyObject* const item = nb::handle(object_at(i)).inc_ref().ptr();
#ifdef Py_LIMITED_API
        PyList_SetItem(list, static_cast<Py_ssize_t>(i), item);
#else
        PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), item);
#endif
    }
    return nb::steal<nb::list>(list);
}

}  // namespace tagpool
