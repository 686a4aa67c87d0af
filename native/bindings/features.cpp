#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/fault.hpp"
#include "bindings/feature_reader.hpp"
#include "bindings/helpers.hpp"
#include "features/encode.hpp"
#include "features/given.hpp"
#include "features/lexicon.hpp"
#include "features/words.hpp"

namespace tagpool {
namespace {

using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Window = std::pair<int, int>;
using TermPair = std::pair<uint32_t, int>;
using TemplatePair = std::pair<std::string, std::vector<TermPair>>;
using SelectionTuple = std::tuple<const Encoding*, UInts, std::optional<nb::bytes>>;  // sentences, marks
using AtomLexicon = std::variant<std::shared_ptr<PhraseLexicon>, std::shared_ptr<VectorLexicon>>;

// Adds one phrase per line. Its words are separated by blanks and mapped by the function that the template applies to tokens. A
// phrase with a word that has no value is skipped: no text can match it.
void add_phrases(PhraseLexicon& lexicon, const std::string& list, std::string_view text, const WordFunction& function) {
    const uint16_t number = lexicon.add_list(list);
    std::vector<std::string> words;
    size_t begin = 0;
    while (begin < text.size()) {
        size_t end = text.find('\n', begin);
        if (end == std::string_view::npos) end = text.size();
        words.clear();
        size_t count = 0;
        for (size_t i = begin; i < end;) {
            while (i < end && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r')) ++i;
            const size_t word = i;
            while (i < end && text[i] != ' ' && text[i] != '\t' && text[i] != '\r') ++i;
            if (i == word) continue;
            function.values(text.substr(word, i - word), Values(words));
            ++count;
        }
        if (words.size() == count) lexicon.add(number, words);
        begin = end + 1;
    }
}

Atom checked(Atom atom) {
    atom.check();
    return atom;
}

Atom context_atom(std::string_view kind, const std::string& column, const WordFunction& function, Window window, bool plain,
                  const std::optional<AtomLexicon>& lexicon) {
    Atom atom;
    atom.kind = named<AtomKind>(kAtomKindNames, kind);
    atom.column = column;
    atom.function = function;
    atom.plain = plain;
    std::tie(atom.first_offset, atom.last_offset) = window;
    if (lexicon && lexicon->index() == 0) atom.phrases = std::get<0>(*lexicon);
    if (lexicon && lexicon->index() == 1) atom.vectors = std::get<1>(*lexicon);
    return checked(std::move(atom));
}

Atom word_atom(const std::string& column, const WordFunction& function) {
    Atom atom;
    atom.column = column;
    atom.function = function;
    return checked(std::move(atom));
}

Atom elsewhere_atom(const std::string& column, const Atom& inner, Window window, std::string_view gathering) {
    Atom atom;
    atom.kind = AtomKind::elsewhere;
    atom.column = column;
    std::tie(atom.first_offset, atom.last_offset) = window;
    atom.inner = std::make_shared<const Atom>(inner);
    atom.gathering = named<Gathering>(kGatheringNames, gathering);
    return checked(std::move(atom));
}

Program make_program(const std::vector<Atom>& atoms, const std::vector<TemplatePair>& templates, bool boundary) {
    Program program{atoms, {}, boundary};
    for (const auto& [key, terms] : templates) {
        Template& conjunction = program.templates.emplace_back(Template{key, {}});
        for (const auto& [atom, offset] : terms) conjunction.terms.push_back({atom, offset});
    }
    program.check();
    return program;
}

Array<int32_t> dense_rows(const Columns& columns, const std::string& name, const WordFunction& function, const RowLexicon& lexicon) {
    const Column& column = columns.at(name);
    std::vector<int32_t> row_of;
    for (uint32_t i = 0; i < column.strings->size(); ++i) {
        const std::vector<std::string> values = function.texts((*column.strings)[i]);
        row_of.push_back(values.empty() ? -1 : lexicon.row(values[0]));
    }
    return to_array(map_ids(column, row_of));
}

void bind_lexicons(nb::module_& m) {
    nb::class_<WordLexicon>(m, "WordLexicon", "Words with one value each.")
        .def(nb::init<>())
        .def("add", &WordLexicon::add, nb::arg("word"), nb::arg("value"), "Add a word.")
        .def("value", [](const WordLexicon& lexicon, std::string_view word) -> std::optional<nb::str> {
            const std::string_view value = lexicon.value(word);
            return value.data() ? std::optional(to_str(value)) : std::nullopt;
        }, nb::arg("word"), "Value of a word; None if it is unknown.")
        .def("items", [](const WordLexicon& lexicon) -> nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> {
            nb::list out;
            for (uint32_t i = 0; i < lexicon.size(); ++i) out.append(nb::make_tuple(to_str(lexicon.word(i)), to_str(lexicon.value_at(i))));
            return out;
        }, "Pairs (word, value).")
        .def("__len__", &WordLexicon::size);

    nb::class_<RowLexicon>(m, "RowLexicon", "Words with a row number each.")
        .def(nb::init<>())
        .def("add", &RowLexicon::add, nb::arg("word"), nb::arg("row"), "Add a word.")
        .def("row", &RowLexicon::row, nb::arg("word"), "Row of a word; -1 if it is unknown.")
        .def("words", [](const RowLexicon& lexicon) -> StringList {
            return list_texts(lexicon.size(), [&](uint32_t i) { return lexicon.word(i); });
        }, "All words.")
        .def("__len__", &RowLexicon::size);

    nb::class_<VectorLexicon>(m, "VectorLexicon", "Words with a vector each.")
        .def("__init__", [](VectorLexicon* self, const RowLexicon& words, Matrix vectors) {
            new (self) VectorLexicon(words, {vectors.data(), vectors.data() + vectors.size()}, static_cast<uint32_t>(vectors.shape(1)));
        }, nb::arg("words"), nb::arg("vectors"))
        .def_prop_ro("width", &VectorLexicon::width, "Number of dimensions.")
        .def("__len__", &VectorLexicon::size);

    nb::class_<PhraseLexicon>(m, "PhraseLexicon", "Lists of phrases, for gazetteers.")
        .def(nb::init<>())
        .def("add_list", [](PhraseLexicon& lexicon, const std::string& name, const nb::bytes& text, const WordFunction& function) {
            add_phrases(lexicon, name, bytes_view(text), function);
        }, nb::arg("name"), nb::arg("text"), nb::arg("function"), "Add a list: one phrase per line.")
        .def_prop_ro("phrase_count", &PhraseLexicon::phrase_count, "Number of phrases.");
}

void bind_atoms(nb::module_& m) {
    nb::class_<Function>(m, "FunctionEntry", "Entry of the table of word functions.")
        .def_ro("name", &Function::name, "Name in steps.")
        .def_ro("base", &Function::base, "Function that becomes this one with the flag; empty if it has its own name in templates.")
        .def_ro("flag", &Function::flag, "Flag in templates.")
        .def_ro("example", &Function::example, "Example; empty if templates do not name the function.")
        .def_ro("summary", &Function::summary, "Meaning.")
        .def_ro("arguments", &Function::arguments, "Arguments: none, lengths (one step each), range or lexicon.")
        .def_prop_ro("single", [](const Function& f) { return f.count <= Function::Count::at_most_one; }, "Whether it has at most one value.");
    m.def("word_functions", [] {
        const auto functions = word_functions();
        return std::vector<Function>(functions.begin(), functions.end());
    }, "Table of word functions.");

    nb::class_<Step>(m, "Step", "One function of a word function, such as suffix with its lengths a to b.")
        .def("__init__", [](Step* self, std::string_view name, int a, int b, std::shared_ptr<WordLexicon> lexicon) {
            const Function& function = find_function(name);
            if (function.needs_lexicon() && !lexicon) throw InputFault("a lookup step needs a lexicon");
            if (a < 0 || b < 0)
                throw InputFault(concat("step \"", name, "\": expected numbers of 0 or more, got ", std::min(a, b)));
            new (self) Step{&function, a, b, std::move(lexicon)};
        }, nb::arg("function"), nb::arg("a") = 0, nb::arg("b") = 0, nb::arg("lexicon") = nb::none());

    nb::class_<WordFunction>(m, "WordFunction", "Composition of steps: a word to its values.")
        .def(nb::init<std::vector<Step>>(), nb::arg("steps"))
        .def("values", &WordFunction::texts, nb::arg("text"), "Values of a word.");

    nb::class_<Atom>(m, "Atom", "Function of a token and its context.")
        .def_static("word", &word_atom, nb::arg("column"), nb::arg("function"), "Word function.")
        .def_static("context", &context_atom, nb::arg("kind"), nb::arg("column"), nb::arg("function"), nb::arg("window"), nb::arg("plain"),
                    nb::arg("lexicon").none(), "Function of the sentence, by its kind, such as gazetteer or disjunction.")
        .def_static("elsewhere", &elsewhere_atom, nb::arg("column"), nb::arg("inner"), nb::arg("window"), nb::arg("gathering"),
                    "Values of another atom at other occurrences of the word in its document.");
}

void bind_encoding(nb::module_& m) {
    nb::class_<Encoding>(m, "Encoding", "Sparse features of tokens, as row-wise (CSR) arrays.")
        .def_prop_ro("token_count", &Encoding::token_count, "Number of tokens.")
        .def_prop_ro("sentence_count", [](const Encoding& encoding) { return encoding.sentences.size() - 1; }, "Number of sentences.")
        .def_prop_ro("occurrence_count", [](const Encoding& encoding) { return encoding.ids.size(); }, "Number of (token, feature) entries.")
        .def_prop_ro("has_values", [](const Encoding& encoding) { return !encoding.values.empty(); }, "Whether a value differs from 1.")
        .def_prop_ro("has_negative_values", [](const Encoding& encoding) {
            return std::any_of(encoding.values.begin(), encoding.values.end(), [](float value) { return value < 0; });
        }, "Whether a value is below 0.")
        .def("starts", view_of<&Encoding::starts>, "First entry of each token, and the number of entries.")
        .def("ids", view_of<&Encoding::ids>, "Feature of each entry.")
        .def("values", view_of<&Encoding::values>, "Value of each entry; empty if all are 1.")
        .def("sentences", view_of<&Encoding::sentences>, "First token of each sentence, and the number of tokens.")
        .def("cut", &cut, nb::arg("first"), nb::arg("last"), nb::call_guard<nb::gil_scoped_release>(), "Copy of the sentences [first, last).")
        .def("bounds", [](nb::handle self) {
            const auto& sentences = nb::cast<const Encoding&>(self).sentences;
            return View<uint32_t>(sentences.data(), {sentences.size()}, self);
        }, "The result of sentences(), as a memoryview.")
        .def("renumbered", [](const Encoding& encoding, const UInts& new_ids) {
            return replace_ids(encoding, [&](uint32_t id) {
                if (id >= new_ids.size()) throw InputFault(concat("new ids: expected one for every feature, got ", new_ids.size()));
                return new_ids.data()[id];
            });
        }, nb::arg("new_ids"), "Copy with new ids of the features; those with the id 2^32 - 1 are removed.")
        .def("restricted", [](const Encoding& encoding, const nb::bytes& keep) {
            const std::string_view marks = bytes_view(keep);
            return replace_ids(encoding, [&](uint32_t id) {
                if (id >= marks.size()) throw InputFault(concat("keep: expected a mark for every feature, got ", marks.size()));
                return marks[id] ? id : FeatureIndex::kNone;
            });
        }, nb::arg("keep"), "Copy with only the features whose byte in keep is not 0.")
        .def_static("gather", [](const std::vector<SelectionTuple>& parts) {
            std::vector<Selection> selections;
            for (const auto& [encoding, sentences, marks] : parts)
                selections.push_back({encoding, to_vector(sentences), marks ? bytes_view(*marks) : std::string_view()});
            return without_gil([&] { return gather(selections); });
        }, nb::arg("parts"), "Sentences of encodings, each with the features whose byte is not 0 (None: all).");
}

void bind_encoders(nb::module_& m) {
    nb::class_<Encoder>(m, "Encoder", "Compiled templates and the index of their features.")
        .def("__init__", [](Encoder* self, const std::vector<Atom>& atoms, const std::vector<TemplatePair>& templates,
                            bool boundary, uint32_t minimum_count) {
            new (self) Encoder(make_program(atoms, templates, boundary), minimum_count);
        }, nb::arg("atoms"), nb::arg("templates"), nb::arg("boundary"), nb::arg("minimum_count"))
        .def("fit", [](Encoder& encoder, std::shared_ptr<Columns> columns, std::vector<std::string> known) {
            nb::gil_scoped_release release;
            return encoder.fit(std::move(columns), std::move(known));
        }, nb::arg("columns"), nb::arg("known") = std::vector<std::string>(), "Number the features of a corpus, after the known ones, and encode it.")
        .def("extend", [](Encoder& encoder, std::shared_ptr<Columns> columns) {
            nb::gil_scoped_release release;
            return encoder.extend(std::move(columns));
        }, nb::arg("columns"), "Number the new features of another corpus, and encode it.")
        .def("keep", [](Encoder& encoder, const nb::bytes& keep, Encoding* encoding) {
            const std::string_view marks = bytes_view(keep);
            nb::gil_scoped_release release;
            Encoding nothing;
            encoder.keep({marks.begin(), marks.end()}, encoding ? *encoding : nothing);
        }, nb::arg("marks"), nb::arg("encoding").none(), "Remove the features whose byte in marks is 0, also from the encoding.")
        .def("encode", &Encoder::encode, nb::arg("columns"), nb::call_guard<nb::gil_scoped_release>(), "Encode a corpus with the known features.")
        .def_prop_ro("feature_count", &Encoder::feature_count, "Number of features.")
        .def("counts", [](Encoder& encoder) { return to_array(encoder.counts()); }, "Occurrences of each feature.")
        .def("template_numbers", [](const Encoder& encoder) { return to_array(encoder.template_numbers()); }, "Template of each feature.")
        .def("keys", [](const Encoder& encoder) { return to_array(encoder.keys()); }, "Hash of each feature.")
        .def("names", [](Encoder& encoder) -> StringList {
            const NameList& names = encoder.names();
            return list_texts(static_cast<uint32_t>(names.size()), [&](uint32_t i) { return names[i]; });
        }, "Name of each feature.")
        .def("packed_names", [](Encoder& encoder) { return join_sorted(encoder.names().views(), '\0'); }, "Names in order, joined by NUL.")
        .def("begin", &Encoder::begin, "Begin fitting in slices.")
        .def("fit_next", &Encoder::fit_next, nb::arg("columns"), nb::call_guard<nb::gil_scoped_release>(),
             "Number the features of the next sentences after those so far, and encode them with provisional ids.")
        .def("merge", [](Encoder& encoder, const nb::bytes& dictionary) { return to_array(encoder.merge(bytes_view(dictionary))); },
             nb::arg("dictionary"), "Add the dictionary (state) of the next slice; return the provisional id of each of its features.")
        .def("finish", [](Encoder& encoder) { return to_array(without_gil([&] { return encoder.finish(); })); },
             "Remove rare features; return the final id of each provisional one, 2^32 - 1 for those that were removed.")
        .def("state", [](Encoder& encoder) { return to_bytes(encoder.state()); }, "Program and dictionary of the features, as bytes.")
        .def_static("from_state", [](const nb::bytes& state, uint32_t minimum_count) { return Encoder::from_state(bytes_view(state), minimum_count); },
                    nb::arg("state"), nb::arg("minimum_count"), "Encoder of a state.")
        .def_prop_ro("looks_at_documents", [](const Encoder& encoder) { return encoder.program().looks_at_documents(); },
                     "Whether features of a sentence depend on the rest of its document.")
        .def_prop_ro("template_keys", [](const Encoder& encoder) {
            std::vector<std::string> keys;
            for (const Template& one : encoder.program().templates) keys.push_back(one.key);
            return keys;
        }, "Keys of the templates, by number.")
        .def("restore", [](Encoder& encoder, const nb::bytes& dictionary) { encoder.restore(bytes_view(dictionary)); }, nb::arg("dictionary"),
             "Replace the features by those of a dictionary.")
        .def("describe", &Encoder::describe, nb::arg("columns"), nb::arg("sentence"), "Name and value of every feature of a sentence, by token.");

}

void bind_given(nb::module_& m) {
    nb::class_<GivenFeatures>(m, "GivenFeatures", "Index of features that the caller provides as strings.")
        .def(nb::init<>())
        .def("fit", [](GivenFeatures& features, nb::handle sentences, uint32_t minimum_count, const std::vector<std::string>& known) {
            features = GivenFeatures(known);
            Encoding out;
            FeatureReader(features, out).sentences(sentences);
            features.freeze(out, minimum_count);
            return out;
        }, nb::arg("sentences"), nb::arg("minimum_count"), nb::arg("known") = std::vector<std::string>(),
             "Number the features of sentences, after the known ones, and encode them.")
        .def("encode", [](GivenFeatures& features, nb::handle sentences) {
            if (!features.frozen()) throw InputFault("encode: no features yet; call fit first");
            Encoding out;
            FeatureReader(features, out).sentences(sentences);
            return out;
        }, nb::arg("sentences"), "Encode sentences with the known features.")
        .def_prop_ro("feature_count", &GivenFeatures::feature_count, "Number of features.")
        .def("counts", [](const GivenFeatures& features) { return features.counts(); }, "Occurrences of each feature.")
        .def("keys", [](const GivenFeatures& features) { return features.keys(); }, "Hash of each feature.")
        .def("packed_names", [](const GivenFeatures& features) {
            std::vector<std::string_view> names;
            for (uint32_t i = 0; i < features.feature_count(); ++i) names.push_back(features.name(i));
            return join_sorted(std::move(names), '\0');
        }, "Names in order, joined by NUL.")
        .def("names", [](const GivenFeatures& features) -> StringList {
            return list_texts(features.feature_count(), [&](uint32_t i) { return features.name(i); });
        }, "Name of each feature.");
}

}  // namespace

void bind_features(nb::module_& m) {
    bind_lexicons(m);
    bind_atoms(m);
    bind_encoding(m);
    bind_encoders(m);
    bind_given(m);
    m.def("dense_rows", &dense_rows, nb::arg("columns"), nb::arg("column"), nb::arg("function"), nb::arg("lexicon"),
          "Embedding row of every token; -1 where the word has none.");
}

}  // namespace tagpool
