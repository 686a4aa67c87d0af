// Experts that are trained together as one pool.
#include "trainers/elitist.hpp"

#include <memory>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace tagpool {
void bind_elitist(nb::module_& m) {
    nb::class_<Elitist>(m, "Elitist")
        .def("__init__", [](Elitist* self, std::shared_ptr<TrainingSet> set, bool chain, const std::string& penalty, double strength, double mu,
                            Doubles alpha, bool learn_alpha, double step, double spread, uint64_t seed, Floats example_weights, size_t batch,
                            unsigned threads) {
            new (self) Elitist(std::move(set), chain, {penalty, strength, mu, copied(alpha), learn_alpha, step, spread, seed, batch, threads},
                               copied(example_weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("penalty"), nb::arg("strength"), nb::arg("mu"), nb::arg("alpha"),
             nb::arg("learn_alpha"), nb::arg("step"), nb::arg("spread"), nb::arg("seed"), nb::arg("example_weights"), nb::arg("batch"),
             nb::arg("threads"))
        .def_prop_ro("experts", &Elitist::experts)
        .def_prop_ro("parameter_count", &Elitist::parameter_count)
        .def_prop_ro("step", &Elitist::step)
        .def("start_from", [](Elitist& learner, Doubles parameters) {
            expect_size(parameters.size(), learner.parameter_count(), "parameters");
            learner.start_from(parameters.data());
        }, nb::arg("parameters"))
        .def("epoch", [](Elitist& learner) {
            nb::gil_scoped_release release;
            return learner.epoch(check_interrupt);
        })
        .def("parameters", [](Elitist& learner) { return owned(learner.parameters()); });
}

}  // namespace tagpool
