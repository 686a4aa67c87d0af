#include "base/fault.hpp"
#include "bindings/helpers.hpp"
#include "clusters/bigrams.hpp"
#include "clusters/brown.hpp"

namespace tagpool {

void bind_clusters(nb::module_& m) {
    nb::class_<Bigrams>(m, "Bigrams", "Counts of adjacent words.")
        .def("__len__", &Bigrams::size)
        .def("counts", [](const Bigrams& bigrams) { return bigrams.counts; }, "Occurrences of each word, most frequent first.");

    nb::class_<SentenceText>(m, "SentenceText", "Tokenised text, from which bigrams are counted.")
        .def(nb::init<WordFunction>(), nb::arg("function"))
        .def("add_text", [](SentenceText& text, const nb::bytes& data) {
            const std::string_view view = bytes_view(data);
            nb::gil_scoped_release release;
            text.add_text(view);
        }, nb::arg("text"), "Add sentences: one per line, words separated by blanks.")
        .def("add_sentence", [](SentenceText& text, nb::handle words) {
            for (const nb::handle word : words) {
                std::string_view view;
                if (!utf8_of(word, view)) throw InputFault("expected words (str) that UTF-8 encodes, got " + type_of(word));
                text.add_word(view);
            }
            text.end_sentence();
        }, nb::arg("words"), "Add a sentence.")
        .def_prop_ro("token_count", &SentenceText::token_count, "Number of tokens.")
        .def("bigrams", &SentenceText::bigrams, nb::arg("minimum"), nb::call_guard<nb::gil_scoped_release>(),
             "Bigrams of the words that occur at least minimum times.")
        .def("words", [](const SentenceText& text, const Bigrams& bigrams) -> StringList {
            return list_texts(bigrams.size(), [&](uint32_t i) { return text.word(bigrams.names[i]); });
        }, nb::arg("bigrams"), "Words of bigrams, most frequent first.");

    m.def("brown_merges", [](const Bigrams& bigrams, size_t clusters, const std::optional<nb::typed<nb::callable, nb::object(int)>>& report) {
        nb::gil_scoped_release release;
        return brown_merges(bigrams, clusters, [&](size_t merges) {
            check_interrupt();
            if (!report) return;
            nb::gil_scoped_acquire acquire;
            (*report)(merges);
        });
    }, nb::arg("bigrams"), nb::arg("clusters"), nb::arg("report") = nb::none(),
          "Merges of Brown clustering, in order; report is called with the number of merges so far.");
}

}  // namespace tagpool
