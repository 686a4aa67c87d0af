// Learners that go by single examples or small batches.
#include "trainers/fobos.hpp"
#include "trainers/penalty.hpp"
#include "trainers/perceptron.hpp"
#include "trainers/proximal.hpp"
#include "trainers/sgd.hpp"

#include <functional>
#include <memory>

#include "base/fault.hpp"
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/kept_parameters.hpp"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace tagpool {
namespace {

template <class Learner, class Given>
void start_from(Learner& learner, const Given& parameters) {
    expect_size(parameters.size(), learner.parameter_count(), "parameters");
    learner.start_from(parameters.data());
}

template <class Learner>
auto epoch(Learner& learner) {
    nb::gil_scoped_release release;
    return learner.epoch(check_interrupt);
}

using Groups = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A changed copy of a matrix, row by row.
template <class Work>
nb::object each_row(const Groups& groups, Work&& work) {
    const size_t rows = groups.shape(0), columns = groups.shape(1);
    auto* kept = new std::vector<double>(groups.data(), groups.data() + rows * columns);
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    for (size_t row = 0; row < rows; ++row) work(kept->data() + row * columns, columns);
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>(kept->data(), {rows, columns}, owner));
}

void bind_proximal(nb::module_& m) {
    m.def("prox_l1", [](Groups groups, double step) {
        return each_row(groups, [step](double* row, size_t count) { prox_l1(row, count, step); });
    }, nb::arg("groups"), nb::arg("step"));
    m.def("prox_l2", [](Groups groups, double step) {
        return each_row(groups, [step](double* row, size_t count) { prox_l2(row, count, step); });
    }, nb::arg("groups"), nb::arg("step"));
    m.def("prox_group", [](Groups groups, double step) {
        return each_row(groups, [step](double* row, size_t count) { prox_group(row, count, step); });
    }, nb::arg("groups"), nb::arg("step"));
    m.def("prox_elitist", [](Groups groups, double step, bool approximate) {
        return each_row(groups, [=](double* row, size_t count) { prox_elitist(row, count, step, approximate); });
    }, nb::arg("groups"), nb::arg("step"), nb::arg("approximate") = false);
    m.def("prox_many", [](Groups groups, const std::string& penalty, double strength, double ridge, Doubles steps) {
        Penalty notes = penalty_of(penalty, strength, ridge, groups.shape(1));
        for (size_t i = 0; i < steps.size(); ++i) notes.step(steps.data()[i]);
        return each_row(groups, [&](double* row, size_t count) { notes.catch_up(row, count, 0); });
    }, nb::arg("groups"), nb::arg("penalty"), nb::arg("strength"), nb::arg("ridge"), nb::arg("steps"));
}

}  // namespace

void bind_stochastic(nb::module_& m) {
    bind_proximal(m);

    nb::class_<Sgd>(m, "Sgd")
        .def("__init__", [](Sgd* self, std::shared_ptr<TrainingSet> set, bool chain, double l2, double step, size_t average_from, uint64_t seed,
                            Floats example_weights, size_t batch, unsigned threads, double dropout, std::optional<UShorts> groups) {
            SgdOptions options{l2, step, average_from, seed, batch, threads, dropout};
            if (groups) options.groups = copied(*groups);
            std::vector<float> weights = copied(example_weights);
            nb::gil_scoped_release release;
            new (self) Sgd(std::move(set), chain, options, std::move(weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("l2"), nb::arg("step"), nb::arg("average_from"), nb::arg("seed"),
             nb::arg("example_weights"), nb::arg("batch") = SgdOptions().batch, nb::arg("threads") = 1, nb::arg("dropout") = 0.0,
             nb::arg("groups") = nb::none())
        .def_prop_ro("parameter_count", &Sgd::parameter_count)
        .def_prop_ro("step", &Sgd::step)
        .def("start_from", &start_from<Sgd, Floats>, nb::arg("parameters"))
        .def("epoch", &epoch<Sgd>)
        .def("parameters", [](const Sgd& s) { return owned(s.parameters()); })
        .def("kept", [](const Sgd& s) { return KeptParameters{s.parameters()}; })
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

    nb::class_<Fobos>(m, "Fobos")
        .def("__init__", [](Fobos* self, std::shared_ptr<TrainingSet> set, bool chain, const std::string& penalty, double strength, double ridge,
                            double step, uint64_t seed, Floats example_weights, size_t batch, unsigned threads) {
            new (self) Fobos(std::move(set), chain, {penalty, strength, ridge, step, seed, batch, threads}, copied(example_weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("penalty"), nb::arg("strength"), nb::arg("ridge"), nb::arg("step"), nb::arg("seed"),
             nb::arg("example_weights"), nb::arg("batch") = FobosOptions().batch, nb::arg("threads") = 1)
        .def_prop_ro("parameter_count", &Fobos::parameter_count)
        .def_prop_ro("step", &Fobos::step)
        .def("start_from", &start_from<Fobos, Doubles>, nb::arg("parameters"))
        .def("epoch", &epoch<Fobos>)
        .def("parameters", [](Fobos& f) { return owned(f.parameters()); });
}

}  // namespace tagpool
