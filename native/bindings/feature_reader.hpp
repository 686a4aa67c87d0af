// FeatureReader: reads the features of tokens in python-crfsuite's form. Each token is an iterable of strings or a dict.
//   "name"            -> name 1.0             {"key": "value"}       -> key:value 1.0
//   {"key": 2.5}      -> key 2.5              {"key": True}          -> key 1.0
//   {"key": [a, b]}   -> key:a, key:b 1.0     {"key": {"a": 0.5}}    -> key:a 0.5, recursively
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "base/portable.hpp"
#include "bindings/helpers.hpp"
#include "features/encoding.hpp"
#include "text/unicode.hpp"

namespace tagpool {

// Rules for unusual input. With `crfsuite`, texts end at the first NUL, bytes need not be UTF-8, a string is read as its characters, and a
// mapping that is not a dict is read as its keys. `strict` refuses these.
enum class ReadingRules { strict, crfsuite };

// `Features` has `void add(name, value, out)`, called for each feature, and `void end_token(out)`. `Value` is the precision of values.
template <class Features, class Out = Encoding, class Value = float>
class FeatureReader {
public:
    FeatureReader(Features& features, Out& out, ReadingRules rules = ReadingRules::strict)
        : features_(features), out_(out), crfsuite_(rules == ReadingRules::crfsuite) {}

    void tokens(nb::handle sentence) {
        token_ = 0;
        for (nb::handle token : sentence) {
            name_.clear();
            depth_ = 0;
            item(token);
            features_.end_token(out_);
            ++token_;
        }
    }

    void sentences(nb::handle all) {
        many_ = true;
        for (nb::handle sentence : all) {
            tokens(sentence);
            out_.sentences.push_back(static_cast<uint32_t>(out_.token_count()));
            ++sentence_;
        }
        out_.shrink();
    }

private:
    [[noreturn]] void fail(const std::string& message) const {
        const std::string sentence = many_ ? "sentence " + std::to_string(sentence_ + 1) + ", " : "";
        throw InputFault(sentence + "token " + std::to_string(token_ + 1) + ": " + message);
    }

    void emit(std::string_view name, double value) {
        if (crfsuite_) name = name.substr(0, name.find('\0'));
        features_.add(name, static_cast<Value>(value), out_);
    }

    std::string_view text(nb::handle object, const char* what) {
        std::string_view out;
        if (utf8_of(object, out)) return out;
        if (PyBytes_Check(object.ptr())) {
            out = view_of_bytes(object);
            if (!crfsuite_ && find_invalid_utf8(out) != std::string_view::npos) fail(std::string("the ") + what + " is bytes that are not UTF-8");
            return out;
        }
        if (PyUnicode_Check(object.ptr())) fail(std::string("the ") + what + " has a lone surrogate, which UTF-8 does not encode; remove it");
        fail(std::string("expected text as ") + what + ", got " + type_of(object));
    }

    // Reads a dict or strings; name_ is the prefix of their names.
    void item(nb::handle object) {
        if (is_list_or_tuple(object)) {
            strings(object);
        } else if (PyDict_Check(object.ptr())) {
            for (auto [key, value] : nb::borrow<nb::dict>(object)) entry(key, value);
        } else if ((PyUnicode_Check(object.ptr()) && !crfsuite_) || PyBytes_Check(object.ptr())) {
            fail("expected a list of features or a dict, got one string; write [\"feature\"]");
        } else if (!crfsuite_ && nb::hasattr(object, "items")) {  // a mapping that is not a dict
            for (nb::handle item : object.attr("items")()) entry(item[nb::int_(0)], item[nb::int_(1)]);
        } else if (is_iterable(object)) {
            for (nb::handle text : object) string(text);
        } else {
            fail("expected a list of features or a dict, got " + type_of(object));
        }
    }

    // Reads a list or a tuple, the common case. Prefetch its strings: they are scattered in memory.
    void strings(nb::handle sequence) {
        constexpr size_t kAhead = 8;
        const auto prefetch = [this](size_t i) {
            const char* const text = reinterpret_cast<const char*>(items_[i]);
            prefetch_line(text);
            prefetch_line(text + 64);
        };
        items_.read(sequence);
        for (size_t i = 0; i < std::min(kAhead, items_.size()); ++i) prefetch(i);
        for (size_t i = 0; i < items_.size(); ++i) {
            if (i + kAhead < items_.size()) prefetch(i + kAhead);
            string(items_[i]);
        }
    }

    void string(nb::handle object) {
        const std::string_view name = text(object, "feature name");
        if (name_.empty()) return emit(name, 1.0);
        const size_t prefix = name_.size();
        name_.append(name);
        emit(name_, 1.0);
        name_.resize(prefix);
    }

    static bool is_iterable(nb::handle object) {
        const nb::object iterator = nb::steal(PyObject_GetIter(object.ptr()));
        if (!iterator.is_valid()) PyErr_Clear();
        return iterator.is_valid();
    }

    void entry(nb::handle key, nb::handle value) {
        const size_t before = name_.size();
        name_.append(text(key, "feature name"));
        if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) {
            name_.push_back(':');
            name_.append(text(value, "feature value"));
            emit(name_, 1.0);
        } else if (PyDict_Check(value.ptr()) || PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyAnySet_Check(value.ptr())) {
            if (++depth_ > kDeepest) fail("the dicts are nested more than " + std::to_string(kDeepest) + " deep");
            name_.push_back(':');
            item(value);
            --depth_;
        } else {
            const double number = PyFloat_AsDouble(value.ptr());
            if (number == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                fail("feature \"" + name_ + "\": expected a string, a number, a bool, a list or a dict, got " + type_of(value));
            }
            if (!std::isfinite(static_cast<Value>(number))) fail("feature \"" + name_ + "\": expected a finite number, got " + std::to_string(number));
            emit(name_, number);
        }
        name_.resize(before);
    }

    static constexpr int kDeepest = 100;  // a dict that contains itself must not overflow the stack

    Features& features_;
    Out& out_;
    bool crfsuite_, many_ = false;
    int depth_ = 0;
    std::string name_;
    SequenceItems items_;
    size_t sentence_ = 0, token_ = 0;
};

}  // namespace tagpool
