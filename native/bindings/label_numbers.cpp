#include "text/label_numbers.hpp"

#include <tuple>

#include "bindings/helpers.hpp"

namespace tagpool {
namespace {

LabelNumbers span_of(const Ints& array) { return {array.data(), array.size()}; }
SentenceBounds span_of(const UInts& array) { return {array.data(), array.size()}; }

}  // namespace

void bind_label_numbers(nb::module_& m) {
    nb::class_<LabelStates>(m, "LabelStates", "States of labels with two states: the label that continues a span, the states before it and elsewhere.")
        .def("__init__", [](LabelStates* self, const std::vector<int32_t>& continuation, const std::vector<int32_t>& first,
                            const std::vector<int32_t>& last) {
            expect_size(continuation.size(), first.size(), "continuations, one for each label");
            expect_size(last.size(), first.size(), "last states, one for each label");
            new (self) LabelStates{continuation, first, last};
        }, nb::arg("continuation"), nb::arg("first"), nb::arg("last"));
    m.def("count_labels", [](Ints numbers, size_t labels) { return count_labels(span_of(numbers), labels); }, nb::arg("numbers"),
          nb::arg("labels"), nb::sig("def count_labels(numbers: typing.Any, labels: int) -> list[int]"),
          "Number of tokens with each label; -1 does not count.");
    m.def("count_bigrams", [](Ints numbers, UInts bounds, size_t labels) { return count_bigrams(span_of(numbers), span_of(bounds), labels); },
          nb::arg("numbers"), nb::arg("bounds"), nb::arg("labels"),
          nb::sig("def count_bigrams(numbers: typing.Any, bounds: typing.Any, labels: int) -> list[int]"),
          "Number of each label bigram, [L + 1][L + 1]; number L is the boundary of a sentence. Bigrams with -1 do not count.");
    m.def("renumber_labels", [](Ints numbers, const std::vector<int32_t>& table) { return to_view(renumber_labels(span_of(numbers), table)); },
          nb::arg("numbers"), nb::arg("table"),
          nb::sig("def renumber_labels(numbers: typing.Any, table: collections.abc.Sequence[int]) -> memoryview"),
          "New numbers of labels; -1 stays.");
    m.def("refine_labels", [](Ints numbers, UInts bounds, const LabelStates& states) {
        return to_view(refine_labels(span_of(numbers), span_of(bounds), states));
    }, nb::arg("numbers"), nb::arg("bounds"), nb::arg("states"),
          nb::sig("def refine_labels(numbers: typing.Any, bounds: typing.Any, states: LabelStates) -> memoryview"),
          "State of each token; -1 if the label is, or if the next label decides and is -1.");
    m.def("count_spans", [](Ints gold, Ints predicted, UInts bounds, const std::vector<int32_t>& type, const std::vector<int32_t>& after,
                            const std::vector<int32_t>& into) {
        expect_size(after.size(), type.size(), "numbers after labels");
        expect_size(into.size(), type.size(), "numbers into labels");
        const SpanCounts counts = count_spans(span_of(gold), span_of(predicted), span_of(bounds), {type, after, into});
        return std::tuple(counts.correct, counts.predicted, counts.gold);
    }, nb::arg("gold"), nb::arg("predicted"), nb::arg("bounds"), nb::arg("type"), nb::arg("after"), nb::arg("into"),
          nb::sig("def count_spans(gold: typing.Any, predicted: typing.Any, bounds: typing.Any, type: collections.abc.Sequence[int], "
                  "after: collections.abc.Sequence[int], into: collections.abc.Sequence[int]) -> tuple[int, int, int]"),
          "Numbers of correct, predicted and gold spans (tagpool/evaluation/chunks.py).");
}

}  // namespace tagpool
