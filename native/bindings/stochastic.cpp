// Learners that go by single examples or small batches.
#include "../perceptron.hpp"
#include "../sgd.hpp"

#include <functional>
#include <memory>

#include "../fault.hpp"
#include "arrays.hpp"
#include "bindings.hpp"
#include <nanobind/stl/shared_ptr.h>

namespace tagpool {
namespace {

// Lets Python see signals (Ctrl-C) from within a long run that has let go of the interpreter.
void look_up() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

template <class Learner, class Given>
void start_from(Learner& learner, const Given& parameters) {
    expect_size(parameters.size(), learner.parameter_count(), "parameters");
    learner.start_from(parameters.data());
}

template <class Learner>
auto epoch(Learner& learner) {
    nb::gil_scoped_release release;
    return learner.epoch(look_up);
}

}  // namespace

void bind_stochastic(nb::module_& m) {
    nb::class_<Sgd>(m, "Sgd")
        .def("__init__", [](Sgd* self, std::shared_ptr<TrainingSet> set, bool chain, double l2, double step, size_t average_from, uint64_t seed,
                            Floats example_weights, size_t batch, unsigned threads) {
            new (self) Sgd(std::move(set), chain, {l2, step, average_from, seed, batch, threads}, copied(example_weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("l2"), nb::arg("step"), nb::arg("average_from"), nb::arg("seed"),
             nb::arg("example_weights"), nb::arg("batch") = SgdOptions().batch, nb::arg("threads") = 1)
        .def_prop_ro("parameter_count", &Sgd::parameter_count)
        .def_prop_ro("step", &Sgd::step)
        .def("start_from", &start_from<Sgd, Floats>, nb::arg("parameters"))
        .def("epoch", &epoch<Sgd>)
        .def("parameters", [](const Sgd& s) { return owned(s.parameters()); })
        .def("current", [](const Sgd& s) { return owned(s.current()); });

    nb::class_<Perceptron>(m, "Perceptron")
        .def("__init__", [](Perceptron* self, std::shared_ptr<TrainingSet> set, bool chain, uint64_t seed, Floats example_weights) {
            new (self) Perceptron(std::move(set), chain, seed, copied(example_weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("seed"), nb::arg("example_weights"))
        .def_prop_ro("parameter_count", &Perceptron::parameter_count)
        .def("start_from", &start_from<Perceptron, Floats>, nb::arg("parameters"))
        .def("epoch", &epoch<Perceptron>)
        .def("parameters", [](const Perceptron& p) { return owned(p.parameters()); })
        .def("current", [](const Perceptron& p) { return owned(p.current()); });
}

}  // namespace tagpool
