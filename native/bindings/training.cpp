#include "trainers/lbfgs.hpp"
#include "kernels/kernels.hpp"
#include "trainers/objective.hpp"
#include "dataset/training_set.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/fault.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/kept_parameters.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace tagpool {
namespace {

const char* name_of(LbfgsEnd end) {
    switch (end) {
        case LbfgsEnd::converged: return "converged";
        case LbfgsEnd::no_progress: return "no progress";
        case LbfgsEnd::iterations: return "iterations";
        case LbfgsEnd::stopped: return "stopped";
    }
    return "";
}

// Lets somebody who pressed Ctrl-C have their prompt back at once, not after the last iteration.
void check_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// From where the objective stands; the way is reported to Python.
LbfgsResult minimised(Objective& f, const LbfgsOptions& options, const nb::object& report) {
    nb::gil_scoped_release release;
    return minimise([&f](const double* at, double* gradient) {
        const double value = f.evaluate(at, gradient);
        check_signals();
        return value;
    }, f.point(), options, [&](const LbfgsIteration& now) {
        nb::gil_scoped_acquire acquire;
        return report.is_none() || nb::cast<bool>(report(now.number, now.value, now.gradient_norm, now.trials, now.step));
    });
}

}  // namespace

void bind_training(nb::module_& m) {
    m.def("kernel_name", [] { return std::string(kernels<float>().name); });

    nb::class_<TrainingSet>(m, "TrainingSet")
        .def("__init__", [](TrainingSet* self, const Encoding& encoding, Ints gold, uint32_t features, uint32_t labels, bool all_pairs,
                            uint32_t dense_from, bool boundaries, bool all_transitions, const Encoding* history,
                            uint32_t history_features, std::optional<UInts> known_features, std::optional<UShorts> known_labels,
                            bool merge_twins, bool bundle,
                            std::optional<UInts> known_triple_features, std::optional<UInts> known_triple_pairs, bool observe,
                            std::optional<UInts> transitions, bool lean) {
            expect_size(gold.size(), encoding.token_count(), "labels, one a token");
            if (std::any_of(encoding.ids.begin(), encoding.ids.end(), [features](uint32_t id) { return id >= features; }))
                throw InputFault("a feature is out of range");
            TrainingOptions options{labels, all_pairs, dense_from, boundaries, all_transitions, merge_twins, lean, bundle};
            if (known_features && known_labels) {
                expect_size(known_labels->size(), known_features->size(), "labels of known pairs");
                for (size_t i = 0; i < known_features->size(); ++i) options.known.emplace_back(known_features->data()[i], known_labels->data()[i]);
            }
            if (known_triple_features) options.known_arcs.triple_features = copied(*known_triple_features);
            if (known_triple_pairs) options.known_arcs.triple_pairs = copied(*known_triple_pairs);
            options.observe = observe;
            if (transitions) options.transitions = copied(*transitions);
            const int32_t* const labels_of_tokens = gold.data();
            nb::gil_scoped_release release;  // others may be laid out, or trained, beside
            new (self) TrainingSet(encoding, labels_of_tokens, features, options, history, history_features);
        }, nb::arg("encoding"), nb::arg("gold"), nb::arg("features"), nb::arg("labels"), nb::arg("all_pairs"), nb::arg("dense_from") = 5,
             nb::arg("boundaries") = true, nb::arg("all_transitions") = true, nb::arg("history").none() = nb::none(),
             nb::arg("history_features") = 0, nb::arg("known_features") = nb::none(), nb::arg("known_labels") = nb::none(),
             nb::arg("merge_twins") = false, nb::arg("bundle") = false,
             nb::arg("known_triple_features") = nb::none(), nb::arg("known_triple_pairs") = nb::none(), nb::arg("observe") = true,
             nb::arg("transitions") = nb::none(), nb::arg("lean") = false)
        .def_prop_ro("pair_count", &TrainingSet::pair_count)
        .def_prop_ro("parameter_count", [](const TrainingSet& s) { return s.places().size(); })
        .def_prop_ro("bundle_count", [](const TrainingSet& s) { return s.bundled() ? s.bundled()->part_begins.back() : 0; })
        .def("keep_shards_only", &TrainingSet::keep_shards_only, nb::call_guard<nb::gil_scoped_release>())
        .def("row_of", [](const TrainingSet& s, uint32_t feature) { return s.row_of(feature); }, nb::arg("feature"))
        .def("pair_features", [](const TrainingSet& s) { return owned(s.pair_features()); })
        .def("pair_labels", [](const TrainingSet& s) { return owned(s.pair_labels()); })
        .def("edges", [](const TrainingSet& s) { return owned(s.edges()); })
        // Of transition features: the feature, and b * labels + c, of each weight.
        .def("triples", [](const TrainingSet& s) { return nb::make_tuple(owned(s.arcs().triple_features()), owned(s.arcs().triple_pairs(s.labels(), s.stride()))); });

    nb::class_<KeptParameters>(m, "KeptParameters")
        .def("__len__", [](const KeptParameters& kept) { return kept.values.size(); })
        .def("finite", [](const KeptParameters& kept) {
            return std::all_of(kept.values.begin(), kept.values.end(), [](float value) { return std::isfinite(value); });
        });

    nb::class_<Objective>(m, "Objective")
        .def("__init__", [](Objective* self, std::shared_ptr<TrainingSet> set, bool chain, double l2, Floats example_weights, unsigned threads) {
            new (self) Objective(std::move(set), chain, l2, copied(example_weights), threads);
        }, nb::arg("training"), nb::arg("chain"), nb::arg("l2"), nb::arg("example_weights"), nb::arg("threads"))
        .def_prop_ro("parameter_count", &Objective::parameter_count)
        .def("__call__", [](Objective& f, Doubles parameters) {
            expect_size(parameters.size(), f.parameter_count(), "parameters");
            std::vector<double> gradient(f.parameter_count());
            double value;
            {
                nb::gil_scoped_release release;
                value = f(parameters.data(), gradient.data());
            }
            return nb::make_tuple(value, owned(std::move(gradient)));
        }, nb::arg("parameters"))
        .def("minimise", [](Objective& f, Doubles start, size_t iterations, size_t memory, double gradient_tolerance, double value_tolerance,
                            size_t period, nb::object report, double l1) {
            expect_size(start.size(), f.parameter_count(), "parameters");
            if (!(l1 >= 0)) throw InputFault("expected l1 to be 0 or more");
            f.start_from(start.data());
            const LbfgsResult result = minimised(f, {memory, iterations, gradient_tolerance, value_tolerance, period, l1, f.threads()}, report);
            std::vector<double> found(f.parameter_count());
            f.each_here([&](size_t i, double parameter) { found[i] = parameter; });
            return nb::make_tuple(owned(std::move(found)), name_of(result.end), result.value, result.iterations, result.evaluations);
        }, nb::arg("start"), nb::arg("iterations"), nb::arg("memory"), nb::arg("gradient_tolerance"), nb::arg("value_tolerance"),
             nb::arg("period"), nb::arg("report").none(), nb::arg("l1") = 0.0)
        // The same without arrays: from parameters that were kept (None: zero), to where `found_weights` finds them.
        .def("minimise_kept", [](Objective& f, const KeptParameters* start, size_t iterations, size_t memory, double gradient_tolerance,
                                 double value_tolerance, size_t period, nb::object report, double l1) {
            if (start) expect_size(start->values.size(), f.parameter_count(), "parameters");
            if (!(l1 >= 0)) throw InputFault("expected l1 to be 0 or more");
            f.start_from(start ? start->values.data() : nullptr);
            const LbfgsResult result = minimised(f, {memory, iterations, gradient_tolerance, value_tolerance, period, l1, f.threads()}, report);
            return nb::make_tuple(name_of(result.end), result.value);
        }, nb::arg("start").none(), nb::arg("iterations"), nb::arg("memory"), nb::arg("gradient_tolerance"), nb::arg("value_tolerance"),
             nb::arg("period"), nb::arg("report").none(), nb::arg("l1") = 0.0)
        // The length of the parameters as a vector where the minimiser stands, and how many are not zero.
        .def("length_here", [](Objective& f) {
            expect_size(f.point().size(), f.memory_size(), "a point: nothing was minimised yet");
            double squares = 0;
            size_t active = 0;
            f.each_here([&](size_t, double parameter) {
                squares += parameter * parameter;
                active += parameter != 0;
            });
            return nb::make_tuple(std::sqrt(squares), active);
        })
        // Where the minimiser stands, also after it was interrupted.
        .def("here", [](Objective& f) {
            expect_size(f.point().size(), f.memory_size(), "a point: nothing was minimised yet");
            std::vector<double> at(f.parameter_count());
            f.each_here([&](size_t i, double parameter) { at[i] = parameter; });
            return owned(std::move(at));
        });
}

}  // namespace tagpool
