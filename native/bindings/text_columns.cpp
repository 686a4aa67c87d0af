#include <algorithm>
#include <memory>
#include <tuple>

#include "base/fault.hpp"
#include "bindings/helpers.hpp"
#include "text/columns.hpp"
#include "text/conll.hpp"
#include "text/jsonl.hpp"

namespace tagpool {
namespace {

using Sentences = nb::typed<nb::sequence, nb::typed<nb::sequence, nb::typed<nb::sequence, nb::str>>>;
using AsideTuple = std::tuple<uint32_t, uint32_t, std::string>;

void set_documents(Columns& columns, const std::vector<uint32_t>& documents) {
    for (uint32_t first : documents) {
        if (first >= columns.sentence_count())
            throw InputFault(concat("documents: sentence ", first, " does not exist; the corpus has ", columns.sentence_count()));
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

std::unique_ptr<Columns> from_lists(const std::vector<std::string>& names, Sentences sentences, const std::vector<uint32_t>& documents,
                  const std::vector<AsideTuple>& asides) {
    ColumnsBuilder builder(names);
    size_t number = 0;
    for (nb::handle sentence : sentences) {
        const std::string place = concat("sentence ", ++number);
        if (const size_t count = nb::len(sentence); count != names.size())
            throw InputFault(concat(place, ": expected ", counted(names.size(), "column"), ", got ", count));
        size_t length = 0, c = 0;
        for (nb::handle column : sentence) {
            const size_t count = read_tokens(column, number, names[c], [&](std::string_view text) { builder.add(c, text); });
            if (c > 0 && count != length)
                throw InputFault(concat(place, ": column \"", names[c], "\" has ", counted(count, "token"), ", \"", names[0], "\" has ", length));
            length = count;
            ++c;
        }
        builder.add_sentence();
    }
    auto out = std::make_unique<Columns>(builder.finish());
    set_documents(*out, documents);
    set_asides(*out, asides);
    return out;
}

StringList strings_of(const Columns& columns, const std::string& name) {
    const StringTable& strings = *columns.at(name).strings;
    return list_texts(strings.size(), [&](uint32_t i) { return strings[i]; });
}

// Equal tokens share one Python object.
LabelLists column_lists(const Columns& columns, const std::string& name) {
    const Column& column = columns.at(name);
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
    const Column& column = columns.at(name);
    const uint32_t begin = columns.sentences.at(sentence);
    return list_texts(columns.sentences.at(sentence + 1) - begin, [&](uint32_t t) { return column.text(begin + t); });
}

std::unique_ptr<Columns> with_column(const Columns& columns, const std::string& name,
                                     nb::typed<nb::sequence, nb::typed<nb::sequence, nb::str>> values) {
    auto strings = std::make_shared<StringTable>();
    Column added{name, strings, {}};
    added.ids.reserve(columns.token_count());
    size_t s = 0;
    for (nb::handle sentence : values) {
        const size_t count = read_tokens(sentence, s + 1, name, [&](std::string_view text) { added.ids.push_back(strings->intern(text)); });
        const std::string place = concat("sentence ", s + 1, ": column \"", name, "\" has ", counted(count, "token"), ", the corpus has ");
        if (s >= columns.sentence_count()) throw InputFault(place + "no such sentence");
        const size_t length = columns.sentences[s + 1] - columns.sentences[s];
        if (count != length) throw InputFault(concat(place, length));
        ++s;
    }
    if (s != columns.sentence_count())
        throw InputFault(concat("column \"", name, "\" has ", counted(s, "sentence"), ", the corpus has ", columns.sentence_count()));
    auto out = std::make_unique<Columns>(columns);
    const auto known = std::find_if(out->columns.begin(), out->columns.end(), [&](const Column& column) { return column.name == name; });
    if (known != out->columns.end()) *known = std::move(added);
    else out->columns.push_back(std::move(added));
    return out;
}

std::unique_ptr<Columns> with_names(const Columns& columns, const std::vector<std::string>& from, const std::vector<std::string>& to) {
    expect_size(to.size(), from.size(), "names, one for each column");
    auto out = std::make_unique<Columns>();
    for (size_t i = 0; i < from.size(); ++i) {
        Column copy = columns.at(from[i]);
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
    const Column& column = columns.at(name);
    std::vector<bool> seen(column.strings->size());
    std::vector<uint32_t> out;
    for (uint32_t id : column.ids) {
        if (!seen[id]) out.push_back(id);
        seen[id] = true;
    }
    return out;
}

View<int32_t> mapped(const Columns& columns, const std::string& name, const std::vector<int32_t>& mapping) {
    const Column& column = columns.at(name);
    expect_size(mapping.size(), column.strings->size(), "numbers in mapping, one for each string");
    return to_view(map_ids(column, mapping));
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
        .def("offsets", view_of<&Columns::sentences>, "First token of each sentence, and the number of tokens.")
        .def("bounds", [](nb::handle self) {
            const auto& sentences = nb::cast<const Columns&>(self).sentences;
            return View<uint32_t>(sentences.data(), {sentences.size()}, self);
        }, "The result of offsets(), as a memoryview.")
        .def("empty_sentences", [](const Columns& c) {
            std::vector<size_t> out;
            for (size_t s = 0; s < c.sentence_count(); ++s)
                if (c.sentences[s] == c.sentences[s + 1]) out.push_back(s);
            return out;
        }, "Numbers of the sentences without tokens.")
        .def("ids", [](nb::handle self, const std::string& name) {
            return view(nb::cast<const Columns&>(self).at(name).ids, self);
        }, nb::arg("column"), "Index into strings() of each token.")
        .def("strings", &strings_of, nb::arg("column"), "String table of a column.")
        .def("distinct", &distinct_ids, nb::arg("column"), "Ids of the strings that occur, in order of first occurrence.")
        .def("mapped", &mapped, nb::arg("column"), nb::arg("mapping"), "For each token the number that mapping has at its id.")
        .def("column_lists", &column_lists, nb::arg("column"), "Tokens of a column, one list per sentence.")
        .def("sentence_column", &sentence_column, nb::arg("sentence"), nb::arg("column"), "Tokens of one sentence.")
        .def("select", [](const Columns& c, const std::vector<uint32_t>& sentences) {
            return std::make_unique<Columns>(c.select(sentences));
        }, nb::arg("sentences"), "Corpus of these sentences, in this order.")
        .def("with_column", &with_column, nb::arg("name"), nb::arg("values"), "Corpus with a column added or replaced.")
        .def("with_names", &with_names, nb::arg("columns"), nb::arg("names"), "Corpus of these columns, in this order, with new names.");

    m.def("count_columns", [](const nb::bytes& text, bool conllu) { return count_columns(bytes_view(text), conllu); },
          nb::arg("text"), nb::arg("conllu"), "Number of columns of the first token line; 0 if there is no token.");
    m.def("read_conll", [](const nb::bytes& text, const std::vector<std::string>& names, bool conllu, const std::vector<std::string>& only) {
        ConllOptions options;
        options.names = names;
        options.only = only;
        options.conllu = conllu;
        const std::string_view data = bytes_view(text);
        nb::gil_scoped_release release;
        return std::make_unique<Columns>(read_conll(data, options));
    }, nb::arg("text"), nb::arg("names"), nb::arg("conllu"), nb::arg("only") = std::vector<std::string>(),
       "Corpus from CoNLL columns or CoNLL-U, with all columns or only some.");
    m.def("read_token_jsonl", [](const nb::bytes& text) {
        const std::string_view data = bytes_view(text);
        nb::gil_scoped_release release;
        std::optional<Columns> columns = read_token_jsonl(data);
        return columns ? std::make_unique<Columns>(std::move(*columns)) : nullptr;
    }, nb::arg("text"), nb::sig("def read_token_jsonl(text: bytes) -> Columns | None"),
       "Corpus from JSONL with tokens in its most usual form; None for other text.");
}

}  // namespace tagpool
