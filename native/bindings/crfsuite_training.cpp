#include <cstdint>
#include <optional>

#include "bindings/helpers.hpp"
#include "crfsuite/instances.hpp"
#include "crfsuite/l2sgd.hpp"
#include "crfsuite/online_trainer.hpp"
#include "crfsuite/path_trainers.hpp"
#include "crfsuite/trained_weights.hpp"
#include "trainers/objective.hpp"

namespace tagpool {
namespace {

struct CrfsuiteOptions {
    std::optional<int32_t> holdout;
    CellOptions cells;
    uint32_t seed;

    CrfsuiteData with(const Instances& instances) const { return {instances, holdout, cells, seed}; }
};

void bind_path_trainers(nb::module_& m) {
    const auto instances = nb::arg("instances"), options = nb::arg("options");
    nb::class_<AveragedPerceptron, OnlineTrainer>(m, "AveragedPerceptron", "CRFsuite's averaged perceptron.")
        .def("__init__", [](AveragedPerceptron* self, const Instances& data, const CrfsuiteOptions& online) {
            new (self) AveragedPerceptron(online.with(data));
        }, nb::keep_alive<1, 2>(), instances, options);
    nb::class_<PassiveAggressive, OnlineTrainer>(m, "PassiveAggressive", "CRFsuite's passive aggressive algorithm.")
        .def("__init__", [](PassiveAggressive* self, const Instances& data, const CrfsuiteOptions& online, int type, double c, bool error_sensitive,
                            bool averaging) {
            new (self) PassiveAggressive(online.with(data), {type, c, error_sensitive, averaging});
        }, nb::keep_alive<1, 2>(), instances, options, nb::arg("type"), nb::arg("c"), nb::arg("error_sensitive"), nb::arg("averaging"));
    nb::class_<Arow, OnlineTrainer>(m, "Arow", "CRFsuite's adaptive regularisation of weights.")
        .def("__init__", [](Arow* self, const Instances& data, const CrfsuiteOptions& online, double variance, double gamma) {
            new (self) Arow(online.with(data), variance, gamma);
        }, nb::keep_alive<1, 2>(), instances, options, nb::arg("variance"), nb::arg("gamma"));
}

void bind_l2sgd(nb::module_& m) {
    const auto samples = nb::arg("samples");
    nb::class_<L2Sgd, OnlineTrainer>(m, "L2Sgd", "CRFsuite's stochastic gradient descent.")
        .def("__init__", [](L2Sgd* self, const Instances& data, const CrfsuiteOptions& online, double c2) {
            new (self) L2Sgd(online.with(data), c2);
        }, nb::keep_alive<1, 2>(), nb::arg("instances"), nb::arg("options"), nb::arg("c2"))
        .def("begin_calibration", &L2Sgd::begin_calibration, "Shuffle the sentences.")
        .def("initial_loss", [](L2Sgd& trainer, size_t count) {
            return without_gil([&] { return trainer.initial_loss(std::min(count, trainer.sentence_count()), check_interrupt); });
        }, samples, "Loss of the first sentences with weights of 0.")
        .def("try_step", [](L2Sgd& trainer, double eta, size_t count) {
            return without_gil([&] { return trainer.try_step(eta, std::min(count, trainer.sentence_count()), check_interrupt); });
        }, nb::arg("eta"), samples, "Loss after one pass over the first sentences with a first step.")
        .def("start", &L2Sgd::start, nb::arg("eta"), "Restart from weights of 0 with a first step.")
        .def("restore_best", &L2Sgd::restore_best, "Return to the weights of the epoch with the least loss.")
        .def_prop_ro("step", &L2Sgd::step, "Step of the last update.")
        .def_prop_ro("update_count", &L2Sgd::update_count, "Number of updates since the start.");
}

}  // namespace

void bind_crfsuite_training(nb::module_& m) {
    nb::class_<CrfsuiteOptions>(m, "CrfsuiteOptions", "Holdout group, minimum frequency, cells and random seed of CRFsuite's online trainers.")
        .def("__init__", [](CrfsuiteOptions* self, std::optional<int32_t> holdout, double minimum, bool all_labels, bool all_transitions,
                            uint32_t seed) {
            new (self) CrfsuiteOptions{holdout, {minimum, all_labels, all_transitions}, seed};
        }, nb::kw_only(), nb::arg("holdout").none(), nb::arg("minimum"), nb::arg("all_labels"), nb::arg("all_transitions"), nb::arg("seed"));
    nb::class_<OnlineTrainer>(m, "OnlineTrainer", "Base of CRFsuite's online trainers.")
        .def("epoch", [](OnlineTrainer& trainer) { return without_gil([&] { return trainer.epoch(check_interrupt); }); },
             "Train one epoch in a new order; return its loss.")
        .def("norm", [](OnlineTrainer& trainer) { return without_gil([&] { return trainer.norm(); }); }, "Norm of the weights in the log.")
        .def_prop_ro("feature_count", [](const OnlineTrainer& trainer) { return trainer.cells().feature_count(); }, "Number of weights.")
        .def_prop_ro("sentence_count", &OnlineTrainer::sentence_count, "Number of training sentences.");
    bind_path_trainers(m);
    bind_l2sgd(m);

    nb::class_<TrainedWeights>(m, "TrainedWeights", "Weights of a training set as a CRFsuite model file stores them.")
        .def("__init__", [](TrainedWeights* self, const TrainingSet& set, Objective& objective) {
            new (self) TrainedWeights(set, objective.parameters());
        }, nb::arg("training"), nb::arg("objective"))
        .def("__init__", [](TrainedWeights* self, const TrainingSet& set, Doubles parameters) {
            new (self) TrainedWeights(set, to_vector(parameters));
        }, nb::arg("training"), nb::arg("parameters"))
        .def("__init__", [](TrainedWeights* self, OnlineTrainer& trainer) {
            new (self) TrainedWeights(trainer.cells(), trainer.result());
        }, nb::arg("trainer"))
        .def("__len__", &TrainedWeights::size)
        .def("active", &TrainedWeights::active, "Number of weights other than 0.")
        .def("active_attributes", &TrainedWeights::active_attributes, "Number of attributes with a weight other than 0.")
        .def("label", [](const TrainedWeights& weights, const Instances& instances, int32_t group) {
            return to_array(without_gil([&] { return weights.label(instances, group); }));
        }, nb::arg("instances"), nb::arg("group"), "Best labels of the tokens of a group.")
        .def("finite", &TrainedWeights::finite, "Whether all weights are finite.");
}

}  // namespace tagpool
