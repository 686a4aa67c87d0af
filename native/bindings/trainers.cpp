#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "bindings/helpers.hpp"
#include "trainers/elitist.hpp"
#include "trainers/fobos.hpp"
#include "trainers/objective.hpp"
#include "trainers/part_gradients.hpp"
#include "trainers/penalty.hpp"
#include "trainers/perceptron.hpp"
#include "trainers/proximal.hpp"
#include "trainers/sgd.hpp"

namespace tagpool {
namespace {

using OptionalFloats = std::optional<Floats>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using MutableMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using Report = std::optional<nb::typed<nb::callable, bool(int, double, double, int, double)>>;

// Parameters that one trainer passes to another without a Python array.
struct Parameters {
    std::vector<float> values;
};

std::string name_of(const LbfgsResult& result) {
    switch (result.end) {
        case LbfgsEnd::converged: return "converged";
        case LbfgsEnd::small_gain: return "small gain";
        case LbfgsEnd::no_progress: return "no progress";
        case LbfgsEnd::iterations: return "iterations";
        case LbfgsEnd::stopped: return "stopped";
        case LbfgsEnd::failed: return std::to_string(result.code);
    }
    return "";
}

LbfgsSearch search_of(const std::string& name) {
    if (name.empty()) return LbfgsSearch::tagpool;
    if (name == "Backtracking") return LbfgsSearch::backtracking;
    if (name == "StrongBacktracking") return LbfgsSearch::strong_backtracking;
    if (name == "MoreThuente") return LbfgsSearch::more_thuente;
    throw InputFault("search='" + name + "': expected MoreThuente, Backtracking, StrongBacktracking or nothing");
}

template <class AnyTrainer, class Values>
void start_from(AnyTrainer& trainer, const Values& parameters) {
    expect_size(parameters.size(), trainer.parameter_count(), "parameters");
    trainer.start_from(parameters.data());
}

std::vector<float> vector_or_empty(const std::optional<Floats>& array) { return array ? to_vector(*array) : std::vector<float>(); }

// Minimises from the objective's current point.
LbfgsResult minimise_from_point(Objective& objective, const LbfgsOptions& options, const Report& report, StateReader* state = nullptr) {
    nb::gil_scoped_release release;
    return objective.minimise(options, check_interrupt, [&](const LbfgsIteration& now) {
        if (!report) return true;
        nb::gil_scoped_acquire acquire;
        return nb::cast<bool>((*report)(now.number, now.value, now.gradient_norm, now.trials, now.step));
    }, state);
}

std::tuple<Array<double>, std::string, double, size_t, size_t> minimise_array(Objective& objective, Doubles start, const LbfgsOptions& options,
                                                                              const Report& report, const std::optional<nb::bytes>& state) {
    start_from(objective, start);
    std::optional<StateReader> reader;
    if (state) reader.emplace(bytes_view(*state));
    const LbfgsResult result = minimise_from_point(objective, options, report, reader ? &*reader : nullptr);
    return {to_array(objective.parameters()), name_of(result), result.value, result.iterations, result.evaluations};
}

std::pair<std::string, double> minimise_in_place(Objective& objective, const Parameters* start, const LbfgsOptions& options, const Report& report) {
    if (start) start_from(objective, start->values);
    else objective.start_from<double>(nullptr);
    const LbfgsResult result = minimise_from_point(objective, options, report);
    return {name_of(result), result.value};
}

std::pair<double, size_t> norm_of_point(Objective& objective) {
    double squares = 0;
    size_t active = 0;
    objective.each_parameter([&](size_t, double parameter) {
        squares += parameter * parameter;
        active += parameter != 0;
    });
    return {std::sqrt(squares), active};
}

using PartTuple = std::tuple<double, Doubles, Doubles, Doubles>;
using EvaluateParts = nb::typed<nb::callable, nb::typed<nb::iterable, PartTuple>(Array<double>)>;

// Calls Python, which owns the interpreter lock meanwhile.
SumParts sum_parts_of(const EvaluateParts& evaluate, const std::shared_ptr<const WeightLayout>& layout, size_t free) {
    return [evaluate = nb::callable(evaluate), layout, free](const double* weights, const std::function<void(const PartSum&)>& add) {
        nb::gil_scoped_acquire acquire;
        size_t part = 0;
        for (nb::handle item : nb::iter(evaluate(to_array(std::vector<double>(weights, weights + free))))) {
            const auto [loss, shared, own, edges] = nb::cast<PartTuple>(item);
            if (part >= layout->parts()) throw InputFault("got more than " + counted(layout->parts(), "part"));
            size_t own_count = 0;
            for (const auto& [first, last] : layout->own_places(part++)) own_count += last - first;
            expect_size(shared.size(), layout->shared_count(), "shared gradient of a part");
            expect_size(own.size(), own_count, "own gradient of a part");
            expect_size(edges.size(), layout->edge_size(), "gradient of the edges of a part");
            add({loss, shared.data(), own.data(), edges.data()});
        }
    };
}

std::unique_ptr<Objective> objective_of_parts(const std::shared_ptr<WeightLayout>& layout, bool chain, double l2, const EvaluateParts& evaluate) {
    const auto set = std::make_shared<const TrainingSet>(layout);
    return std::make_unique<Objective>(set, chain, l2, sum_parts_of(evaluate, layout, FreeWeights(*set, chain).size()));
}

nb::tuple to_tuple(const PartSum& sum, const WeightLayout& layout, size_t part) {
    size_t own_count = 0;
    for (const auto& [first, last] : layout.own_places(part)) own_count += last - first;
    const auto array = [](const double* values, size_t count) { return to_array(std::vector<double>(values, values + count)); };
    return nb::make_tuple(sum.loss, array(sum.shared, layout.shared_count()), array(sum.own, own_count), array(sum.edges, layout.edge_size()));
}

void bind_part_gradients(nb::module_& m) {
    nb::class_<PartGradients>(m, "PartGradients", "Losses and gradients of single parts of a training set, for Objective.of_parts.")
        .def("__init__", [](PartGradients* self, const std::shared_ptr<TrainingSet>& set, bool chain, const std::optional<Floats>& example_weights) {
            new (self) PartGradients(set, chain, vector_or_empty(example_weights));
        }, nb::arg("training"), nb::arg("chain"), nb::arg("example_weights") = nb::none())
        .def_prop_ro("free_count", &PartGradients::free_count, "Number of weights that evaluate receives.")
        .def("move_to", [](PartGradients& gradients, const Doubles& weights) {
            expect_size(weights.size(), gradients.free_count(), "weights");
            gradients.move_to(weights.data());
        }, nb::arg("weights"), "Set the weights.")
        .def("part", [](PartGradients& gradients, size_t part) -> nb::typed<nb::tuple, double, Array<double>, Array<double>, Array<double>> {
            const PartSum sum = without_gil([&] { return gradients(part); });
            return to_tuple(sum, gradients.weights(), part);
        }, nb::arg("part"), "Loss of a part, and its gradient: of shared weights, of those that only this part has, and of edges.");
}

void bind_objective(nb::module_& m) {
    nb::class_<Parameters>(m, "Parameters", "Parameters that one trainer passes to another.")
        .def("__len__", [](const Parameters& parameters) { return parameters.values.size(); })
        .def("finite", [](const Parameters& parameters) {
            return std::all_of(parameters.values.begin(), parameters.values.end(), [](float value) { return std::isfinite(value); });
        }, "Whether all are finite.");

    nb::class_<LbfgsOptions>(m, "LbfgsOptions", "Parameters of L-BFGS and OWL-QN.")
        .def("__init__", [](LbfgsOptions* self, size_t iterations, size_t memory, double gradient_tolerance, double value_tolerance,
                            size_t period, double l1, const std::pair<std::string, size_t>& search) {
            const auto& [name, trials] = search;
            new (self) LbfgsOptions{memory, iterations, gradient_tolerance, value_tolerance, period, l1, 1, search_of(name), trials};
        }, nb::kw_only(), nb::arg("iterations"), nb::arg("memory") = 6, nb::arg("gradient_tolerance") = 1e-5, nb::arg("value_tolerance") = 1e-5,
             nb::arg("period") = 10, nb::arg("l1") = 0.0, nb::arg("search") = std::pair("", 20));

    nb::class_<Objective>(m, "Objective", "Negative log-likelihood of a training set, with an l2 penalty.")
        .def("__init__", [](Objective* self, const std::shared_ptr<TrainingSet>& set, bool chain, double l2, std::optional<Floats> example_weights,
                            Threads threads) {
            if (set->stream()) new (self) Objective(set, chain, l2, sum_parts_of_stream(set, chain));
            else new (self) Objective(set, chain, l2, vector_or_empty(example_weights), threads);
        }, nb::arg("training"), nb::arg("chain"), nb::arg("l2"), nb::arg("example_weights").none(), nb::arg("threads"))
        .def_static("of_parts", &objective_of_parts, nb::arg("weights"), nb::arg("chain"), nb::arg("l2"), nb::arg("evaluate"),
                    "Objective whose parts are computed elsewhere: evaluate(weights) returns (loss, shared, own, edges) of PartGradients for each "
                    "part, in order.")
        .def_prop_ro("parameter_count", [](const Objective& objective) { return objective.parameter_count(); }, "Number of parameters.")
        .def("__call__", [](Objective& objective, Doubles parameters) {
            expect_size(parameters.size(), objective.parameter_count(), "parameters");
            std::vector<double> gradient(objective.parameter_count());
            const double value = without_gil([&] { return objective(parameters.data(), gradient.data()); });
            return std::pair{value, to_array(std::move(gradient))};
        }, nb::arg("parameters"), "Value and gradient.")
        .def("minimise", &minimise_array, nb::arg("start"), nb::arg("options"), nb::arg("report") = nb::none(),
             nb::arg("state") = nb::none(),
             "Minimise, from a state if there is one; return the parameters, the reason for the end, the value, and the numbers of iterations and evaluations. "
             "report(iteration, value, gradient norm, trials, step) returns False to stop.")
        .def("minimise_in_place", &minimise_in_place, nb::arg("start").none(), nb::arg("options"), nb::arg("report") = nb::none(),
             "Minimise without arrays, from parameters (None: 0); return the reason for the end and the value.")
        .def("norm_here", &norm_of_point, "Euclidean norm of the current parameters, and how many are not 0.")
        .def("here", [](Objective& objective) { return to_array(objective.parameters()); }, "Current parameters, also after an interrupt.")
        .def("state", [](const Objective& objective) { return to_bytes(objective.state()); }, "State after an iteration, during its report.");
}

// Methods that all trainers by epochs have.
template <class AnyTrainer>
void bind_trainer(nb::class_<AnyTrainer>& bound) {
    bound.def_prop_ro("parameter_count", [](const AnyTrainer& trainer) { return trainer.parameter_count(); }, "Number of parameters.")
        .def("start_from", &start_from<AnyTrainer, ArrayArgument<typename AnyTrainer::Number>>, nb::arg("parameters"),
             "Restart from these parameters.")
        .def("epoch", [](AnyTrainer& trainer) { return without_gil([&] { return trainer.epoch(check_interrupt); }); },
             "Train one epoch; return the mean loss, or the number of errors of a perceptron.")
        .def("parameters", [](AnyTrainer& trainer) { return to_array(trainer.parameters()); }, "Parameters of the result.")
        .def("weights", [](AnyTrainer& trainer) {
            auto parameters = trainer.parameters();
            if constexpr (std::is_same_v<typename AnyTrainer::Number, float>) return to_view(std::move(parameters));
            else return to_view(std::vector<float>(parameters.begin(), parameters.end()));
        }, "Parameters of the result in single precision, as a memoryview.")
        .def("state", [](AnyTrainer& trainer) { return to_bytes(without_gil([&] { return write_state(trainer); })); },
             "State between two epochs, for a checkpoint.")
        .def("restore", [](AnyTrainer& trainer, const nb::bytes& state) { read_state(trainer, bytes_view(state)); }, nb::arg("state"),
             "Continue from the state of a trainer with the same options and data.");
}

void bind_stochastic(nb::module_& m) {
    nb::class_<SgdOptions>(m, "SgdOptions", "Parameters of Sgd; step 0 follows from the number of features.")
        .def("__init__", [](SgdOptions* self, double l2, double step, size_t average_from, uint64_t seed, size_t batch, Threads threads,
                            double dropout) {
            new (self) SgdOptions{l2, average_from, dropout, 0, {step, seed, batch, threads}};
        }, nb::kw_only(), nb::arg("l2"), nb::arg("step") = 0.0, nb::arg("average_from") = 1, nb::arg("seed") = 1,
             nb::arg("batch") = StepOptions().batch, nb::arg("threads") = 1, nb::arg("dropout") = 0.0)
        .def("set_trained_on", [](SgdOptions& options, size_t sentences) { options.trained_on = sentences; }, nb::arg("sentences"),
             "Set the number of sentences that the first parameters were trained on.");
    nb::class_<Sgd> sgd(m, "Sgd", "Averaged stochastic gradient descent.");
    sgd.def("__init__", [](Sgd* self, const std::shared_ptr<TrainingSet>& set, bool chain, SgdOptions options,
                           const std::optional<Floats>& example_weights, const std::optional<UShorts>& groups) {
        if (groups) options.groups = to_vector(*groups);
        std::vector<float> weights = vector_or_empty(example_weights);
        nb::gil_scoped_release release;
        new (self) Sgd(set, chain, options, std::move(weights));
    }, nb::arg("training"), nb::arg("chain"), nb::arg("options"), nb::arg("example_weights") = nb::none(), nb::arg("groups") = nb::none());
    bind_trainer(sgd);
    sgd.def_prop_ro("step", [](const Sgd& trainer) { return trainer.step(); }, "First step size.")
        .def("native_parameters", [](const Sgd& trainer) { return Parameters{trainer.parameters()}; }, "Parameters without an array.")
        .def("current", [](const Sgd& trainer) { return to_array(trainer.current()); }, "Parameters without averaging.");

    nb::class_<Perceptron> perceptron(m, "Perceptron", "Averaged structured perceptron.");
    perceptron.def("__init__", [](Perceptron* self, const std::shared_ptr<TrainingSet>& set, bool chain, uint64_t seed, const OptionalFloats& example_weights) {
        new (self) Perceptron(set, chain, seed, vector_or_empty(example_weights));
    }, nb::arg("training"), nb::arg("chain"), nb::arg("seed"), nb::arg("example_weights").none());
    bind_trainer(perceptron);
    perceptron.def("current", [](const Perceptron& trainer) { return to_array(trainer.current()); }, "Parameters without averaging.");

    nb::class_<FobosOptions>(m, "FobosOptions", "Parameters of Fobos; step 0 is calibrated.")
        .def("__init__", [](FobosOptions* self, const std::string& penalty, double strength, double ridge, double step, uint64_t seed, size_t batch,
                            Threads threads) {
            new (self) FobosOptions{penalty, strength, ridge, {step, seed, batch, threads}};
        }, nb::kw_only(), nb::arg("penalty"), nb::arg("strength"), nb::arg("ridge") = 0.0, nb::arg("step") = 0.0, nb::arg("seed") = 1,
             nb::arg("batch") = StepOptions().batch, nb::arg("threads") = 1);
    nb::class_<Fobos> fobos(m, "Fobos", "Forward-backward splitting, for penalties that are not smooth.");
    fobos.def("__init__", [](Fobos* self, const std::shared_ptr<TrainingSet>& set, bool chain, const FobosOptions& options, const OptionalFloats& example_weights) {
        new (self) Fobos(set, chain, options, vector_or_empty(example_weights));
    }, nb::arg("training"), nb::arg("chain"), nb::arg("options"), nb::arg("example_weights").none());
    bind_trainer(fobos);
    fobos.def_prop_ro("step", [](const Fobos& trainer) { return trainer.step(); }, "First step size.");

    nb::class_<ElitistOptions>(m, "ElitistOptions", "Parameters of Elitist; step 0 is calibrated.")
        .def("__init__", [](ElitistOptions* self, const std::string& penalty, double strength, double mu, double step, uint64_t seed, size_t batch,
                            Threads threads) {
            new (self) ElitistOptions{penalty, strength, mu, {step, seed, batch, threads}};
        }, nb::kw_only(), nb::arg("penalty"), nb::arg("strength"), nb::arg("mu") = 0.0, nb::arg("step") = 0.0, nb::arg("seed") = 1,
             nb::arg("batch") = 8, nb::arg("threads") = 1);
    nb::class_<Elitist> elitist(m, "Elitist", "Experts that are trained together as one pool.");
    elitist.def("__init__", [](Elitist* self, const std::shared_ptr<TrainingSet>& set, bool chain, ElitistOptions options, Doubles alpha,
                               bool learn_alpha, const OptionalFloats& example_weights) {
        options.alpha = to_vector(alpha);
        options.learn_alpha = learn_alpha;
        new (self) Elitist(set, chain, options, vector_or_empty(example_weights));
    }, nb::arg("training"), nb::arg("chain"), nb::arg("options"), nb::arg("alpha"), nb::arg("learn_alpha"), nb::arg("example_weights").none());
    bind_trainer(elitist);
    elitist.def_prop_ro("step", [](const Elitist& trainer) { return trainer.step(); }, "First step size.")
        .def_prop_ro("experts", &Elitist::experts, "Number of experts.");
}

// Applies work(row, columns) to each row of a copy.
template <class Work>
MutableMatrix map_rows(const Matrix& groups, Work&& work) {
    const size_t rows = groups.shape(0), columns = groups.shape(1);
    auto* values = new std::vector<double>(groups.data(), groups.data() + rows * columns);
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    for (size_t row = 0; row < rows; ++row) work(values->data() + row * columns, columns);
    return MutableMatrix(values->data(), {rows, columns}, owner);
}

void bind_proximal(nb::module_& m) {
    const auto bind_prox = [&](const char* name, void (*prox)(double*, size_t, double), const char* doc) {
        m.def(name, [prox](Matrix groups, double step) {
            return map_rows(groups, [&](double* row, size_t count) { prox(row, count, step); });
        }, nb::arg("groups"), nb::arg("step"), doc);
    };
    bind_prox("prox_l1", &prox_l1, "Proximal step of the l1 penalty, for each row.");
    bind_prox("prox_l2", &prox_l2, "Proximal step of the squared l2 penalty, for each row.");
    bind_prox("prox_group", &prox_group, "Proximal step of the group penalty, for each row.");
    m.def("prox_elitist", [](Matrix groups, double step, bool approximate) {
        return map_rows(groups, [=](double* row, size_t count) {
            prox_l1(row, count, elitist_threshold(row, count, step, approximate ? count : 0));
        });
    }, nb::arg("groups"), nb::arg("step"), nb::arg("approximate") = false, "Proximal step of the elitist penalty, for each row.");
    m.def("prox_many", [](Matrix groups, const std::string& penalty, double strength, double ridge, Doubles steps) {
        Penalty lazy = penalty_of(penalty, strength, ridge, groups.shape(1));
        for (size_t i = 0; i < steps.size(); ++i) lazy.step(steps.data()[i]);
        return map_rows(groups, [&](double* row, size_t count) { lazy.apply_missed_steps(row, count, 0); });
    }, nb::arg("groups"), nb::arg("penalty"), nb::arg("strength"), nb::arg("ridge"), nb::arg("steps"),
          "Several lazy proximal steps at once, for each row.");
}

}  // namespace

void bind_trainers(nb::module_& m) {
    m.def("are_finite", [](Floats numbers) {
        return std::all_of(numbers.data(), numbers.data() + numbers.size(), [](float number) { return std::isfinite(number); });
    }, nb::arg("numbers"), "Whether all numbers are finite.");
    bind_objective(m);
    bind_part_gradients(m);
    bind_stochastic(m);
    bind_proximal(m);
}

}  // namespace tagpool
