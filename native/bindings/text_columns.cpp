#include "text/columns.hpp"

#include <memory>
#include <tuple>

#include "base/fault.hpp"
#include "bindings/helpers.hpp"
#include "text/conll.hpp"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

using Sentences = nb::typed<nb::sequence, nb::typed<nb::sequence, nb::typed<nb::sequence, nb::str>>>;
using AsideTuple = std::tuple<uint32_t, uint32_t, std::string>;

[[noreturn]] void bad_token(size_t sentence, size_t token, const std::string& column, nb::handle got) {
    const std::string place =
        "sentence " + std::to_string(sentence + 1) + ", token " + std::to_string(token + 1) + ", column \"" + column + "\": ";
    if (PyUnicode_Check(got.ptr())) throw InputFault(place + kLoneSurrogate);
    throw InputFault(place + "expected text (str), got " + type_of(got));
}

// Iterator over the tokens of a sentence in one column. A str is refused: it would pass as a list of its letters.
nb::object iterate_tokens(nb::handle tokens, size_t sentence, const std::string& column) {
    if (!PyUnicode_Check(tokens.ptr())) {
        if (PyObject* iterator = PyObject_GetIter(tokens.ptr())) return nb::steal(iterator);
        PyErr_Clear();
    }
    throw InputFault("sentence " + std::to_string(sentence + 1) + ", column \"" + column +
                     "\": expected a list of tokens, got " + type_of(tokens));
}

void set_documents(Columns& columns, const std::vector<uint32_t>& documents) {
    for (uint32_t first : documents) {
        if (first >= columns.sentence_count()) throw InputFault("documents: sentence " + std::to_string(first) + " does not exist; the corpus has " +
                             std::to_string(columns.sentence_count()));
        // Sentences before the first mark form a document.
        if (columns.documents.empty() && first > 0) columns.documents.push_back(0);
        if (!columns.documents.empty() && first <= columns.documents.back())
            throw InputFault("documents: expected increasing sentence numbers");
        columns.documents.push_back(first);
    }
}

void set_asides(Columns& columns, const std::vector<AsideTuple>& asides) {
    for (const auto& [sentence, position, line] : asides) {
        if (sentence >= columns.sentence_count() || position > columns.sentences[sentence + 1] - columns.sentences[sentence])
            throw InputFault("asides: the token of \"" + line + "\" does not exist");
        const Aside* last = columns.asides.empty() ? nullptr : &columns.asides.back();
        if (last && std::tie(sentence, position) < std::tie(last->sentence, last->position))
            throw InputFault("asides: \"" + line + "\" is out of order; sort asides by sentence and token");
        if (line.find_first_of("\r\n") != std::string::npos) throw InputFault("asides: expected one line each, got a line break");
        columns.asides.push_back({sentence, position, line});
    }
}

std::shared_ptr<Columns> from_lists(const std::vector<std::string>& names, Sentences sentences, const std::vector<uint32_t>& documents,
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
            for (nb::handle token : iterate_tokens(column, s, names[c])) {
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

StringList strings_of(const Columns& columns, const std::string& name) {
    const StringTable& strings = *column_named(columns, name).strings;
    nb::list out;
    for (uint32_t i = 0; i < strings.size(); ++i) out.append(to_str(strings[i]));
    return out;
}

// Equal tokens share one Python object.
LabelLists column_lists(const Columns& columns, const std::string& name) {
    const Column& column = column_named(columns, name);
    std::vector<nb::object> texts(column.strings->size());
    nb::list out;
    for (size_t s = 0; s < columns.sentence_count(); ++s) {
        nb::list tokens;
        for (uint32_t t = columns.sentences[s]; t < columns.sentences[s + 1]; ++t) {
            nb::object& text = texts[column.ids[t]];
            if (!text.is_valid()) text = to_str(column.text(t));
            tokens.append(text);
        }
        out.append(tokens);
    }
    return out;
}

StringList sentence_column(const Columns& columns, uint32_t sentence, const std::string& name) {
    const Column& column = column_named(columns, name);
    nb::list out;
    for (uint32_t t = columns.sentences.at(sentence); t < columns.sentences.at(sentence + 1); ++t) out.append(to_str(column.text(t)));
    return out;
}

std::shared_ptr<Columns> with_column(const Columns& columns, const std::string& name,
                                     nb::typed<nb::sequence, nb::typed<nb::sequence, nb::str>> values) {
    auto strings = std::make_shared<StringTable>();
    Column added{name, strings, {}};
    added.ids.reserve(columns.token_count());
    size_t s = 0;
    for (nb::handle sentence : values) {
        size_t t = 0;
        for (nb::handle token : iterate_tokens(sentence, s, name)) {
            std::string_view text;
            if (!utf8_of(token, text)) bad_token(s, t, name, token);
            added.ids.push_back(strings->intern(text));
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
            column = std::move(added);
            return out;
        }
    out->columns.push_back(std::move(added));
    return out;
}

std::shared_ptr<Columns> with_names(const Columns& columns, const std::vector<std::string>& from, const std::vector<std::string>& to) {
    if (from.size() != to.size())
        throw InputFault("expected " + std::to_string(from.size()) + " names, one for each column, got " + std::to_string(to.size()));
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

// A selection may share a larger string table, so not every string need occur.
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

Array<int32_t> mapped(const Columns& columns, const std::string& name, const std::vector<int32_t>& mapping) {
    const Column& column = column_named(columns, name);
    if (mapping.size() != column.strings->size())
        throw InputFault("mapping: expected " + std::to_string(column.strings->size()) + " numbers, one for each string, got " +
                         std::to_string(mapping.size()));
    std::vector<int32_t> out(column.ids.size());
    for (size_t t = 0; t < out.size(); ++t) out[t] = mapping[column.ids[t]];
    return to_array(std::move(out));
}

std::vector<std::string> names_of(const Columns& columns) {
    std::vector<std::string> names;
    for (const Column& column : columns.columns) names.push_back(column.name);
    return names;
}

}  // namespace

void bind_columns(nb::module_& m) {
    nb::class_<Columns>(m, "Columns", "Corpus: named columns of tokens, divided into sentences and documents.")
        .def_static("from_lists", &from_lists, nb::arg("names"), nb::arg("sentences"), nb::arg("documents"), nb::arg("asides"),
                    "Corpus from [sentence][column][token] strings.")
        .def_prop_ro("names", &names_of, "Names of the columns.")
        .def_prop_ro("sentence_count", &Columns::sentence_count, "Number of sentences.")
        .def_prop_ro("token_count", &Columns::token_count, "Number of tokens.")
        .def_prop_ro("documents", [](const Columns& c) { return c.documents; }, "First sentence of each document; empty if unmarked.")
        .def_prop_ro("asides", [](const Columns& c) {
            std::vector<AsideTuple> out;
            for (const Aside& a : c.asides) out.emplace_back(a.sentence, a.position, a.line);
            return out;
        }, "Lines that are not tokens: (sentence, token, line).")
        .def("length", [](const Columns& c, uint32_t s) { return c.sentences.at(s + 1) - c.sentences.at(s); }, nb::arg("sentence"),
             "Number of tokens of a sentence.")
        .def("offsets", [](nb::handle self) { return view(nb::cast<const Columns&>(self).sentences, self); },
             "First token of each sentence, and the number of tokens.")
        .def("ids", [](nb::handle self, const std::string& name) {
            return view(column_named(nb::cast<const Columns&>(self), name).ids, self);
        }, nb::arg("column"), "Index into strings() of each token.")
        .def("strings", &strings_of, nb::arg("column"), "String table of a column.")
        .def("distinct", &distinct_ids, nb::arg("column"), "Ids of the strings that occur, in order of first occurrence.")
        .def("mapped", &mapped, nb::arg("column"), nb::arg("mapping"), "For each token the number that mapping has at its id.")
        .def("column_lists", &column_lists, nb::arg("column"), "Tokens of a column, one list per sentence.")
        .def("sentence_column", &sentence_column, nb::arg("sentence"), nb::arg("column"), "Tokens of one sentence.")
        .def("select", [](const Columns& c, const std::vector<uint32_t>& sentences) {
            return std::make_shared<Columns>(c.select(sentences));
        }, nb::arg("sentences"), "Corpus of these sentences, in this order.")
        .def("with_column", &with_column, nb::arg("name"), nb::arg("values"), "Corpus with a column added or replaced.")
        .def("with_names", &with_names, nb::arg("columns"), nb::arg("names"), "Corpus of these columns, in this order, with new names.");

    m.def("count_columns", [](const nb::bytes& text, bool conllu) { return count_columns(bytes_view(text), conllu); },
          nb::arg("text"), nb::arg("conllu"), "Number of columns of the first token line; 0 if there is no token.");
    m.def("read_conll", [](const nb::bytes& text, const std::vector<std::string>& names, bool conllu) {
        ConllOptions options;
        options.names = names;
        options.conllu = conllu;
        const std::string_view data = bytes_view(text);
        nb::gil_scoped_release release;
        return std::make_shared<Columns>(read_conll(data, options));
    }, nb::arg("text"), nb::arg("names"), nb::arg("conllu"), "Corpus from CoNLL columns or CoNLL-U.");
}

}  // namespace tagpool
