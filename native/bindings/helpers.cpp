#include "bindings/helpers.hpp"

#include <atomic>

#include "base/portable.hpp"
#include "base/sort_texts.hpp"

namespace tagpool {

bool utf8_of_other(PyObject* object, std::string_view& text) {
    if (!PyUnicode_Check(object)) return false;
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object, &size);
    if (!data) {
        PyErr_Clear();
        return false;
    }
    text = {data, static_cast<size_t>(size)};
    return true;
}

std::string type_of(nb::handle object) { return nb::cast<std::string>(nb::handle(object.type()).attr("__name__")); }

static std::string column_text(const std::string& column) { return column.empty() ? "" : concat(", column \"", column, "\""); }

void refuse_tokens(nb::handle tokens, size_t sentence, const std::string& column) {
    PyErr_Clear();
    throw InputFault(concat("sentence ", sentence, column_text(column), ": expected a list of tokens, got ", type_of(tokens)));
}

void refuse_token(nb::handle token, size_t sentence, size_t number, const std::string& column) {
    const std::string problem = PyUnicode_Check(token.ptr()) ? kLoneSurrogate : "expected text (str), got " + type_of(token);
    throw InputFault(concat("sentence ", sentence, ", token ", number, column_text(column), ": ", problem));
}

void check_interrupt() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void warn_about_threads(size_t count) noexcept {
    static std::atomic<bool> warned{false};
    if (warned.exchange(true)) return;
    nb::gil_scoped_acquire acquire;
    const int failed = PyErr_WarnFormat(PyExc_UserWarning, 1, "threads: %zu are used, more could not be started; the result is the same", count);
    if (failed) PyErr_WriteUnraisable(nullptr);
}

nb::bytes join_sorted(std::vector<std::string_view> texts, char separator) {
    sort_texts(texts);
    size_t size = 0;
    for (const std::string_view text : texts) size += text.size() + 1;
    std::string out;
    out.reserve(size);
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < texts.size(); ++i) {
        if (i + kAhead < texts.size()) prefetch_line(texts[i + kAhead].data());
        out.append(texts[i]).push_back(separator);
    }
    if (!out.empty()) out.pop_back();
    return to_bytes(out);
}

}  // namespace tagpool
