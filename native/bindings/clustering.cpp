// Clusters of words from raw text.
#include "clusters/bigrams.hpp"
#include "clusters/brown.hpp"

#include "base/fault.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/string.h>

namespace tagpool {

void bind_clustering(nb::module_& m) {
    nb::class_<SentenceText>(m, "SentenceText")
        .def(nb::init<WordFunction>(), nb::arg("function"))
        .def("add_text", [](SentenceText& text, const nb::bytes& data) {
            const std::string_view view = bytes_view(data);
            nb::gil_scoped_release release;
            text.add_text(view);
        }, nb::arg("text"))
        .def("add_sentence", [](SentenceText& text, nb::handle words) {
            for (const nb::handle word : words) {
                std::string_view view;
                if (!utf8_of(word, view)) throw InputFault("expected words (str) that can be written as UTF-8, got " + type_of(word));
                text.add_word(view);
            }
            text.end_sentence();
        }, nb::arg("words"))
        .def_prop_ro("token_count", &SentenceText::token_count)
        .def("bigrams", [](const SentenceText& text, uint64_t minimum) {
            nb::gil_scoped_release release;
            return text.bigrams(minimum);
        }, nb::arg("minimum"))
        // The words of some bigrams, in the order of their numbers.
        .def("words", [](const SentenceText& text, const Bigrams& bigrams) {
            nb::list out;
            for (const uint32_t name : bigrams.names) {
                const std::string_view word = text.word(name);
                out.append(nb::str(word.data(), word.size()));
            }
            return out;
        }, nb::arg("bigrams"));

    nb::class_<Bigrams>(m, "Bigrams")
        .def("__len__", &Bigrams::size)
        .def("counts", [](const Bigrams& bigrams) {
            nb::list out;
            for (const uint64_t count : bigrams.counts) out.append(count);
            return out;
        });

    // `report` is called with the number of pairs joined so far.
    m.def("brown_merges", [](const Bigrams& bigrams, size_t clusters, const nb::object& report) {
        std::vector<std::pair<uint32_t, uint32_t>> merges;
        {
            nb::gil_scoped_release release;
            merges = brown_merges(bigrams, clusters, [&](size_t done) {
                nb::gil_scoped_acquire acquire;
                if (PyErr_CheckSignals() != 0) throw nb::python_error();
                if (!report.is_none()) report(done);
            });
        }
        nb::list out;
        for (const auto& [first, second] : merges) out.append(nb::make_tuple(first, second));
        return out;
    }, nb::arg("bigrams"), nb::arg("clusters"), nb::arg("report").none() = nb::none());
}

}  // namespace tagpool
