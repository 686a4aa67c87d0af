#include <algorithm>
#include <optional>

#include "bindings/helpers.hpp"
#include "dataset/training_set.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tagpool {

void bind_dataset(nb::module_& m) {
    nb::class_<TrainingSet>(m, "TrainingSet")
        .def("__init__", [](TrainingSet* self, const Encoding& encoding, Ints gold, uint32_t features, uint32_t labels, bool all_pairs,
                            uint32_t dense_from, bool boundaries, bool all_transitions, uint32_t order, const Encoding* history,
                            uint32_t history_features, std::optional<UInts> known_features, std::optional<UShorts> known_labels,
                            bool merge_twins, bool bundle, std::optional<UShorts> known_states, std::optional<UShorts> known_trigrams,
                            std::optional<UInts> known_triple_features, std::optional<UInts> known_triple_pairs, bool observe,
                            std::optional<UInts> transitions, bool lean) {
            expect_size(gold.size(), encoding.token_count(), "labels, one a token");
            if (std::any_of(encoding.ids.begin(), encoding.ids.end(), [features](uint32_t id) { return id >= features; }))
                throw InputFault("a feature is out of range");
            TrainingOptions options{labels, all_pairs, dense_from, boundaries, all_transitions, order, merge_twins, lean, bundle};
            if (known_features && known_labels) {
                expect_size(known_labels->size(), known_features->size(), "labels of known pairs");
                for (size_t i = 0; i < known_features->size(); ++i) options.known.emplace_back(known_features->data()[i], known_labels->data()[i]);
            }
            if (known_states) options.known_arcs.states = to_vector(*known_states);
            if (known_trigrams) options.known_arcs.trigrams = to_vector(*known_trigrams);
            if (known_triple_features) options.known_arcs.triple_features = to_vector(*known_triple_features);
            if (known_triple_pairs) options.known_arcs.triple_pairs = to_vector(*known_triple_pairs);
            options.observe = observe;
            if (transitions) options.transitions = to_vector(*transitions);
            const int32_t* const labels_of_tokens = gold.data();
            nb::gil_scoped_release release;  // others may be laid out, or trained, beside
            new (self) TrainingSet(encoding, labels_of_tokens, features, options, history, history_features);
        }, nb::arg("encoding"), nb::arg("gold"), nb::arg("features"), nb::arg("labels"), nb::arg("all_pairs"), nb::arg("dense_from") = 5,
             nb::arg("boundaries") = true, nb::arg("all_transitions") = true, nb::arg("order") = 1, nb::arg("history").none() = nb::none(),
             nb::arg("history_features") = 0, nb::arg("known_features") = nb::none(), nb::arg("known_labels") = nb::none(),
             nb::arg("merge_twins") = false, nb::arg("bundle") = false, nb::arg("known_states") = nb::none(), nb::arg("known_trigrams") = nb::none(),
             nb::arg("known_triple_features") = nb::none(), nb::arg("known_triple_pairs") = nb::none(), nb::arg("observe") = true,
             nb::arg("transitions") = nb::none(), nb::arg("lean") = false)
        .def_prop_ro("pair_count", &TrainingSet::pair_count)
        .def_prop_ro("parameter_count", [](const TrainingSet& s) { return s.places().size(); })
        .def_prop_ro("bundle_count", [](const TrainingSet& s) { return s.bundled() ? s.bundled()->part_begins.back() : 0; })
        .def("keep_shards_only", &TrainingSet::keep_shards_only, nb::call_guard<nb::gil_scoped_release>())
        .def("row_of", [](const TrainingSet& s, uint32_t feature) { return s.row_of(feature); }, nb::arg("feature"))
        .def("pair_features", [](const TrainingSet& s) { return to_array(s.pair_features()); })
        .def("pair_labels", [](const TrainingSet& s) { return to_array(s.pair_labels()); })
        .def("edges", [](const TrainingSet& s) { return to_array(s.edges()); })
        // Of what transitions look at beyond two labels; the number of labels stands for "before the sentence".
        .def("states", [](const TrainingSet& s) { return to_array(s.arcs().states().as_pairs()); })
        .def("trigrams", [](const TrainingSet& s) { return to_array(s.arcs().trigrams()); })
        .def("triples", [](const TrainingSet& s) { return std::pair(to_array(s.arcs().triple_features()), to_array(s.arcs().triple_pairs(s.labels(), s.stride()))); });
}

}  // namespace tagpool
