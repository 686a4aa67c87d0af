#include "features/lexicon.hpp"

#include <memory>

#include "base/fault.hpp"
#include "features/words.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

// One phrase a line, its words separated by blanks and passed through the function that the template applies to tokens. A phrase
// with a word that has no value is left out: no text can match it.
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

}  // namespace

void bind_lexicons(nb::module_& m) {
    nb::class_<WordLexicon>(m, "WordLexicon")
        .def(nb::init<>())
        .def("add", &WordLexicon::add, nb::arg("word"), nb::arg("value"))
        .def("value", [](const WordLexicon& l, std::string_view word) -> nb::object {
            const std::string_view value = l.value(word);
            return value.data() ? nb::object(nb::str(value.data(), value.size())) : nb::none();
        }, nb::arg("word"))
        .def("items", [](const WordLexicon& l) {
            nb::list out;
            for (uint32_t i = 0; i < l.size(); ++i)
                out.append(nb::make_tuple(nb::str(l.word(i).data(), l.word(i).size()),
                                          nb::str(l.value_at(i).data(), l.value_at(i).size())));
            return out;
        })
        .def("__len__", &WordLexicon::size);

    nb::class_<RowLexicon>(m, "RowLexicon")
        .def(nb::init<>())
        .def("add", &RowLexicon::add, nb::arg("word"), nb::arg("row"))
        .def("row", &RowLexicon::row, nb::arg("word"))
        .def("words", [](const RowLexicon& l) {
            nb::list out;
            for (uint32_t i = 0; i < l.size(); ++i) out.append(nb::str(l.word(i).data(), l.word(i).size()));
            return out;
        })
        .def("__len__", &RowLexicon::size);

    nb::class_<VectorLexicon>(m, "VectorLexicon")
        .def("__init__", [](VectorLexicon* self, const RowLexicon& words, nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu> vectors) {
            new (self) VectorLexicon(words, {vectors.data(), vectors.data() + vectors.size()}, static_cast<uint32_t>(vectors.shape(1)));
        }, nb::arg("words"), nb::arg("vectors"))
        .def_prop_ro("width", &VectorLexicon::width)
        .def("__len__", &VectorLexicon::size);

    nb::class_<Step>(m, "Step")
        .def("__init__", [](Step* self, std::string_view name, int a, int b, std::shared_ptr<WordLexicon> lexicon) {
            const auto function = named<Function>(kFunctionNames, name);
            if (function == Function::lookup && !lexicon) throw InputFault("a lookup needs a lexicon");
            if (a < 0 || b < 0) throw InputFault("a step's numbers cannot be negative");
            new (self) Step{function, a, b, std::move(lexicon)};
        }, nb::arg("function"), nb::arg("a") = 0, nb::arg("b") = 0, nb::arg("lexicon") = nb::none());

    nb::class_<WordFunction>(m, "WordFunction")
        .def(nb::init<std::vector<Step>>(), nb::arg("steps"))
        .def("values", [](const WordFunction& f, std::string_view text) {
            std::vector<std::string> out;
            f.values(text, Values(out));
            return out;
        }, nb::arg("text"));

    nb::class_<PhraseLexicon>(m, "PhraseLexicon")
        .def(nb::init<>())
        .def("add_list", [](PhraseLexicon& l, const std::string& name, const nb::bytes& text, const WordFunction& function) {
            add_phrases(l, name, bytes_view(text), function);
        }, nb::arg("name"), nb::arg("text"), nb::arg("function"))
        .def_prop_ro("list_count", &PhraseLexicon::list_count)
        .def_prop_ro("phrase_count", &PhraseLexicon::phrase_count);
}

}  // namespace tagpool
