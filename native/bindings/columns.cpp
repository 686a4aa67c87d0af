#include "text/columns.hpp"

#include <memory>
#include <tuple>

#include "text/conll.hpp"
#include "base/fault.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

using Shared = std::shared_ptr<Columns>;
using AsideTuple = std::tuple<uint32_t, uint32_t, std::string>;

[[noreturn]] void bad_token(size_t sentence, size_t token, const std::string& column, nb::handle got) {
    const std::string place =
        "sentence " + std::to_string(sentence + 1) + ", token " + std::to_string(token + 1) + ", column \"" + column + "\": ";
    if (PyUnicode_Check(got.ptr())) throw InputFault(place + "the text has a lone surrogate and cannot be written as UTF-8");
    throw InputFault(place + "expected text (str), got " + type_of(got));
}

// The tokens of a sentence in one column. A str would pass as a list of its letters.
nb::object tokens_of(nb::handle tokens, size_t sentence, const std::string& column) {
    if (!PyUnicode_Check(tokens.ptr())) {
        if (PyObject* iterator = PyObject_GetIter(tokens.ptr())) return nb::steal(iterator);
        PyErr_Clear();
    }
    throw InputFault("sentence " + std::to_string(sentence + 1) + ", column \"" + column +
                     "\": expected a list of tokens, got " + type_of(tokens));
}

void set_documents(Columns& columns, const std::vector<uint32_t>& documents) {
    for (uint32_t first : documents) {
        if (first >= columns.sentence_count()) throw InputFault("a document begins at a sentence that does not exist");
        // Sentences before the first mark are a document of their own.
        if (columns.documents.empty() && first > 0) columns.documents.push_back(0);
        if (!columns.documents.empty() && first <= columns.documents.back())
            throw InputFault("the sentences that begin documents must be in order, and each once");
        columns.documents.push_back(first);
    }
}

void set_asides(Columns& columns, const std::vector<AsideTuple>& asides) {
    for (const auto& [sentence, position, line] : asides) {
        if (sentence >= columns.sentence_count() || position > columns.sentences[sentence + 1] - columns.sentences[sentence])
            throw InputFault("an aside stands at a token that does not exist: \"" + line + "\"");
        const Aside* last = columns.asides.empty() ? nullptr : &columns.asides.back();
        if (last && std::tie(sentence, position) < std::tie(last->sentence, last->position))
            throw InputFault("the asides must be in order: \"" + line + "\"");
        if (line.find_first_of("\r\n") != std::string::npos) throw InputFault("an aside must be one line");
        columns.asides.push_back({sentence, position, line});
    }
}

// `sentences`: for each sentence, for each column, the tokens.
Shared from_lists(const std::vector<std::string>& names, nb::sequence sentences, const std::vector<uint32_t>& documents,
                  const std::vector<AsideTuple>& asides) {
    ColumnsBuilder builder(names);
    size_t s = 0;
    for (nb::handle sentence : sentences) {
        if (nb::len(sentence) != names.size())
            throw InputFault("sentence " + std::to_string(s + 1) + ": expected " + std::to_string(names.size()) +
                             " columns, got " + std::to_string(nb::len(sentence)));
        size_t length = 0, c = 0;
        for (nb::handle column : sentence) {
            size_t t = 0;
            for (nb::handle token : tokens_of(column, s, names[c])) {
                std::string_view text;
                if (!utf8_of(token, text)) bad_token(s, t, names[c], token);
                builder.add(c, text);
                ++t;
            }
            if (c > 0 && t != length)
                throw InputFault("sentence " + std::to_string(s + 1) + ": column \"" + names[c] + "\" has " +
                                 std::to_string(t) + " tokens, \"" + names[0] + "\" has " + std::to_string(length));
            length = t;
            ++c;
        }
        if (length == 0) throw InputFault("sentence " + std::to_string(s + 1) + " has no tokens");
        builder.end_sentence();
        ++s;
    }
    auto out = std::make_shared<Columns>(builder.finish());
    set_documents(*out, documents);
    set_asides(*out, asides);
    return out;
}

const Column& column_named(const Columns& columns, const std::string& name) {
    const Column* column = columns.find(name);
    if (!column) throw InputFault("the corpus has no column \"" + name + "\"");
    return *column;
}

nb::list distinct(const StringTable& strings) {
    nb::list out;
    for (uint32_t i = 0; i < strings.size(); ++i) out.append(nb::str(strings[i].data(), strings[i].size()));
    return out;
}

// One list of str a sentence; equal tokens are one Python object.
nb::list column_lists(const Columns& columns, const std::string& name) {
    const Column& column = column_named(columns, name);
    std::vector<nb::object> known(column.strings->size());
    nb::list out;
    for (size_t s = 0; s < columns.sentence_count(); ++s) {
        nb::list tokens;
        for (uint32_t t = columns.sentences[s]; t < columns.sentences[s + 1]; ++t) {
            nb::object& text = known[column.ids[t]];
            if (!text.is_valid()) text = nb::str(column.text(t).data(), column.text(t).size());
            tokens.append(text);
        }
        out.append(tokens);
    }
    return out;
}

nb::list sentence_column(const Columns& columns, uint32_t sentence, const std::string& name) {
    const Column& column = column_named(columns, name);
    nb::list out;
    for (uint32_t t = columns.sentences.at(sentence); t < columns.sentences.at(sentence + 1); ++t)
        out.append(nb::str(column.text(t).data(), column.text(t).size()));
    return out;
}

// The same corpus with a column added or replaced.
Shared with_column(const Columns& columns, const std::string& name, nb::sequence values) {
    auto strings = std::make_shared<StringTable>();
    Column fresh{name, strings, {}};
    fresh.ids.reserve(columns.token_count());
    size_t s = 0;
    for (nb::handle sentence : values) {
        size_t t = 0;
        for (nb::handle token : tokens_of(sentence, s, name)) {
            std::string_view text;
            if (!utf8_of(token, text)) bad_token(s, t, name, token);
            fresh.ids.push_back(strings->intern(text));
            ++t;
        }
        if (s >= columns.sentence_count() || t != columns.sentences[s + 1] - columns.sentences[s])
            throw InputFault("sentence " + std::to_string(s + 1) + ": column \"" + name + "\" has " + std::to_string(t) +
                             " tokens, the corpus has " +
                             (s < columns.sentence_count() ? std::to_string(columns.sentences[s + 1] - columns.sentences[s])
                                                           : std::string("no such sentence")));
        ++s;
    }
    if (s != columns.sentence_count())
        throw InputFault("column \"" + name + "\" has " + std::to_string(s) + " sentences, the corpus has " +
                         std::to_string(columns.sentence_count()));
    auto out = std::make_shared<Columns>(columns);
    for (Column& column : out->columns)
        if (column.name == name) {
            column = std::move(fresh);
            return out;
        }
    out->columns.push_back(std::move(fresh));
    return out;
}

// These columns in this order, under new names.
Shared with_names(const Columns& columns, const std::vector<std::string>& from, const std::vector<std::string>& to) {
    if (from.size() != to.size()) throw InputFault("expected as many names as columns");
    auto out = std::make_shared<Columns>();
    for (size_t i = 0; i < from.size(); ++i) {
        Column copy = column_named(columns, from[i]);
        copy.name = to[i];
        out->columns.push_back(std::move(copy));
    }
    out->sentences = columns.sentences;
    out->documents = columns.documents;
    out->asides = columns.asides;
    return out;
}

// The strings of a column that occur, in the order they are first met (a selection may share a larger table).
std::vector<uint32_t> distinct_ids(const Columns& columns, const std::string& name) {
    const Column& column = column_named(columns, name);
    std::vector<bool> seen(column.strings->size());
    std::vector<uint32_t> out;
    for (uint32_t id : column.ids) {
        if (!seen[id]) out.push_back(id);
        seen[id] = true;
    }
    return out;
}

// One number a token: what `mapping` has for its string.
nb::object mapped(const Columns& columns, const std::string& name, const std::vector<int32_t>& mapping) {
    const Column& column = column_named(columns, name);
    if (mapping.size() != column.strings->size()) throw InputFault("the mapping does not cover the column's strings");
    std::vector<int32_t> out(column.ids.size());
    for (size_t t = 0; t < out.size(); ++t) out[t] = mapping[column.ids[t]];
    return owned(std::move(out));
}

std::vector<std::string> names_of(const Columns& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns.columns) names.push_back(column.name);
    return names;
}

}  // namespace

void bind_columns(nb::module_& m) {
    nb::class_<Columns>(m, "Columns")
        .def_static("from_lists", &from_lists, nb::arg("names"), nb::arg("sentences"), nb::arg("documents"), nb::arg("asides"))
        .def_prop_ro("names", &names_of)
        .def_prop_ro("sentence_count", &Columns::sentence_count)
        .def_prop_ro("token_count", &Columns::token_count)
        .def_prop_ro("documents", [](const Columns& c) { return c.documents; })
        .def_prop_ro("asides",
                     [](const Columns& c) {
                         std::vector<AsideTuple> out;
                         for (const Aside& a : c.asides) out.emplace_back(a.sentence, a.position, a.line);
                         return out;
                     })
        .def("length", [](const Columns& c, uint32_t s) { return c.sentences.at(s + 1) - c.sentences.at(s); }, nb::arg("sentence"))
        .def("offsets", [](nb::handle self) {
            const auto& c = nb::cast<const Columns&>(self);
            return view(c.sentences.data(), c.sentences.size(), self);
        })
        .def("ids", [](nb::handle self, const std::string& name) {
            const Column& column = column_named(nb::cast<const Columns&>(self), name);
            return view(column.ids.data(), column.ids.size(), self);
        }, nb::arg("column"))
        .def("strings", [](const Columns& c, const std::string& name) { return distinct(*column_named(c, name).strings); },
             nb::arg("column"))
        .def("distinct", &distinct_ids, nb::arg("column"))
        .def("mapped", &mapped, nb::arg("column"), nb::arg("mapping"))
        .def("column_lists", &column_lists, nb::arg("column"))
        .def("sentence_column", &sentence_column, nb::arg("sentence"), nb::arg("column"))
        .def("select", [](const Columns& c, const std::vector<uint32_t>& chosen) {
            return std::make_shared<Columns>(c.select(chosen));
        }, nb::arg("sentences"))
        .def("with_column", &with_column, nb::arg("name"), nb::arg("values"))
        .def("with_names", &with_names, nb::arg("columns"), nb::arg("names"));

    m.def("count_columns", [](const nb::bytes& text, bool conllu) { return count_columns(bytes_view(text), conllu); },
          nb::arg("text"), nb::arg("conllu"));
    m.def("read_conll", [](const nb::bytes& text, const std::vector<std::string>& names, bool conllu) {
        ConllOptions options;
        options.names = names;
        options.conllu = conllu;
        const std::string_view data = bytes_view(text);
        nb::gil_scoped_release release;
        return std::make_shared<Columns>(read_conll(data, options));
    }, nb::arg("text"), nb::arg("names"), nb::arg("conllu"));
}

}  // namespace tagpool
