// Dynamic feature induction: its learner, and the models it makes.
#include "online/learner.hpp"
#include "online/model.hpp"

#include <memory>

#include "features/given.hpp"
#include "bindings/arrays.hpp"
#include "bindings/tagging.hpp"
#include <nanobind/stl/shared_ptr.h>

namespace tagpool {
namespace {

using Keys = Given1D<uint64_t>;

LabelHistory look_back(const std::vector<std::vector<uint8_t>>& backs, const UShorts& templates) { return {backs, copied(templates)}; }

std::unique_ptr<OnlineModel> built(OnlineTrained trained, const Induced& induced, const std::vector<std::string>& labels, const Encoder* history) {
    trained.labels = labels;
    trained.induced = induced;
    if (history) {
        trained.history = history->program();
        trained.history_keys = history->keys();
    }
    nb::gil_scoped_release release;
    return std::make_unique<OnlineModel>(std::move(trained));
}

// One number a label for each of some features.
template <class Add>
nb::object weight_table(const OnlineModel& model, size_t count, Add&& add) {
    const size_t labels = model.labels().size();
    std::vector<float> out(count * labels);
    for (size_t i = 0; i < count; ++i) add(i, out.data() + i * labels);
    return owned(std::move(out));
}

std::vector<int32_t> tagged(const OnlineModel& model, const Columns& columns, unsigned threads, size_t beam) {
    std::vector<int32_t> out(columns.token_count());
    nb::gil_scoped_release release;
    model.tag(columns, threads, beam, out.data());
    return out;
}

std::vector<int32_t> tagged(const OnlineModel& model, const Encoding& placed, const Encoding* history, unsigned threads, size_t beam) {
    std::vector<int32_t> out(placed.token_count());
    nb::gil_scoped_release release;
    model.tag(placed, history, threads, beam, out.data());
    return out;
}

void bind_learner(nb::module_& m) {
    nb::class_<Induced>(m, "Induced")
        .def_ro("slots", &Induced::slots)
        .def_prop_ro("width", &Induced::width)
        .def("numbers", [](const Induced& i) { return owned(i.numbers); })
        .def("history_features", [](const Induced& i) { return owned(i.history_features); })
        .def("history_labels", [](const Induced& i) { return owned(i.history_labels); })
        .def("hashes", [](const Induced& i) { return owned(i.hashes); })
        .def("pair_slots", [](const Induced& i) { return owned(i.pair_slots); })
        .def("pair_first", [](const Induced& i) { return owned(i.pair_first); })
        .def("pair_second", [](const Induced& i) { return owned(i.pair_second); })
        .def("begins", [](const Induced& i) { return owned(i.begins); })
        .def("weight_labels", [](const Induced& i) { return owned(i.weight_labels); })
        .def("weights", [](const Induced& i) { return owned(i.weights); });

    nb::class_<OnlineLearner>(m, "OnlineLearner")
        .def("__init__", [](OnlineLearner* self, std::shared_ptr<Encoding> features, Ints gold, uint32_t labels, Keys keys, Keys label_keys,
                            std::shared_ptr<Encoding> history, Keys history_keys, const std::vector<std::vector<uint8_t>>& backs,
                            UShorts history_templates, Floats sentence_weights, float step, float rho, double l1, bool dual_averaging,
                            size_t strongest, uint32_t slots, size_t batch, double gold_share, size_t average_from, uint64_t seed) {
            OnlineData data{std::move(features), std::move(history), look_back(backs, history_templates), copied(gold), copied(keys),
                            copied(history_keys), copied(label_keys), copied(sentence_weights)};
            const OnlineOptions options{{step, rho, dual_averaging}, l1, strongest, slots, batch, gold_share, average_from, seed};
            nb::gil_scoped_release release;
            new (self) OnlineLearner(std::move(data), labels, options);
        }, nb::arg("features"), nb::arg("gold"), nb::arg("labels"), nb::arg("keys"), nb::arg("label_keys"), nb::arg("history").none(),
             nb::arg("history_keys"), nb::arg("backs"), nb::arg("history_templates"), nb::arg("sentence_weights"), nb::arg("step"),
             nb::arg("rho"), nb::arg("l1"), nb::arg("dual_averaging"), nb::arg("strongest"), nb::arg("slots"), nb::arg("batch"),
             nb::arg("gold_share"), nb::arg("average_from"), nb::arg("seed"))
        .def("epoch", [](OnlineLearner& learner) {
            nb::gil_scoped_release release;
            return learner.epoch(check_interrupt);
        })
        .def_prop_ro("pair_count", &OnlineLearner::pair_count)
        .def("learned", &OnlineLearner::learned, nb::call_guard<nb::gil_scoped_release>())
        // Features by labels, row by row: what is not zero becomes a weight.
        .def("start_features", [](OnlineLearner& learner, Floats weights, size_t labels) {
            for (size_t i = 0; i < weights.size(); ++i)
                if (weights.data()[i] != 0)
                    learner.start_feature(static_cast<uint32_t>(i / labels), static_cast<uint16_t>(i % labels), weights.data()[i]);
        }, nb::arg("weights"), nb::arg("labels"))
        // A feature with previous labels; returns the number it has in pairs.
        .def("start_history", [](OnlineLearner& learner, uint32_t feature, const std::vector<uint16_t>& before, Floats weights) {
            const uint32_t number = learner.history_number(feature, before);
            for (size_t label = 0; label < weights.size(); ++label)
                if (weights.data()[label] != 0) learner.start_history(feature, before, static_cast<uint16_t>(label), weights.data()[label]);
            return number;
        }, nb::arg("feature"), nb::arg("before"), nb::arg("weights"))
        .def("start_pairs", [](OnlineLearner& learner, UInts first, UInts second, Floats weights) {
            const size_t count = first.size(), labels = count ? weights.size() / count : 0;
            expect_size(second.size(), count, "second features of pairs");
            expect_size(weights.size(), count * labels, "weights of pairs");
            for (size_t i = 0; i < count; ++i) {
                learner.join(first.data()[i], second.data()[i]);
                for (size_t label = 0; label < labels; ++label)
                    if (const float weight = weights.data()[i * labels + label]; weight != 0)
                        learner.start_pair_weight(first.data()[i], second.data()[i], static_cast<uint16_t>(label), weight);
            }
        }, nb::arg("first"), nb::arg("second"), nb::arg("weights"));
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_learner(m);
    nb::class_<OnlineModel> bound(m, "OnlineModel");
    bind_common(bound);
    bound
        .def_static("from_encoder", [](Encoder& encoder, const Encoder* history, const std::vector<std::string>& labels, const Induced& induced) {
            OnlineTrained trained;
            trained.program = encoder.program();
            trained.hash_size = encoder.hash_size();
            if (!trained.hash_size) trained.keys = encoder.keys();
            return built(std::move(trained), induced, labels, history);
        }, nb::arg("encoder"), nb::arg("history").none(), nb::arg("labels"), nb::arg("induced"))
        .def_static("from_given", [](GivenFeatures& features, const std::vector<std::string>& labels, const Induced& induced) {
            OnlineTrained trained;
            trained.keys = features.keys();
            return built(std::move(trained), induced, labels, nullptr);
        }, nb::arg("features"), nb::arg("labels"), nb::arg("induced"))
        .def_static("of_encoded", [](const std::vector<std::string>& labels, const Induced& induced) {
            return built(OnlineTrained(), induced, labels, nullptr);
        }, nb::arg("labels"), nb::arg("induced"))
        .def("history_encoder", [](const OnlineModel& model, uint32_t minimum_count) {
            if (!model.history()) throw InputFault("this model does not look at previous labels");
            return std::make_unique<Encoder>(*model.history(), minimum_count, 0u);
        }, nb::arg("minimum_count"))
        .def_prop_ro("history_template_keys", [](const OnlineModel& model) { return keys_in(model.history()); })
        // By template of the history: how far back each of its labels stands.
        .def_prop_ro("backs", [](const OnlineModel& model) { return model.look_back().backs; })
        .def_prop_ro("chain", [](const OnlineModel&) { return true; })  // labels depend on those before
        .def_prop_ro("pair_count", &OnlineModel::pair_count)
        .def_prop_ro("has_history", [](const OnlineModel& model) { return model.history().has_value(); })
        .def("weights_of", [](const OnlineModel& model, const std::vector<std::string>& names) {
            return weight_table(model, names.size(), [&](size_t i, float* to) { model.add_weights(model.slots().find(model.key_of(names[i])), to); });
        }, nb::arg("names"))
        .def("numbers_of", [](const OnlineModel& model, const std::vector<std::string>& names) {
            std::vector<uint32_t> out;
            for (const std::string& name : names) out.push_back(model.slots().find(model.key_of(name)));
            return owned(std::move(out));
        }, nb::arg("names"))
        // Of features with previous labels: the name of what they are without, and the numbers of their labels.
        .def("labelled_numbers_of", [](const OnlineModel& model, const std::vector<std::string>& names, const std::vector<std::vector<uint16_t>>& before) {
            expect_size(before.size(), names.size(), "lists of labels");
            std::vector<uint32_t> out;
            for (size_t i = 0; i < names.size(); ++i) {
                const uint32_t feature = model.history_feature(names[i]);
                out.push_back(feature == FrozenIndex::kNone ? feature : model.find_labelled(feature, before[i]));
            }
            return owned(std::move(out));
        }, nb::arg("names"), nb::arg("before"))
        // Of features by such numbers, and of pairs of them: a row of labels each.
        .def("weights_at", [](const OnlineModel& model, UInts numbers) {
            return weight_table(model, numbers.size(), [&](size_t i, float* to) { model.add_weights(numbers.data()[i], to); });
        }, nb::arg("numbers"))
        .def("pair_weights_at", [](const OnlineModel& model, UInts first, UInts second) {
            expect_size(second.size(), first.size(), "second features of pairs");
            return weight_table(model, first.size(), [&](size_t i, float* to) { model.add_pair_weights(first.data()[i], second.data()[i], to); });
        }, nb::arg("first"), nb::arg("second"))
        .def("tag_sentences", [](const OnlineModel& model, nb::handle sentences, unsigned threads, size_t beam) {
            const Columns columns = columns_of(model.columns(), sentences);
            return as_lists(model.labels(), tagged(model, columns, threads, beam), columns.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), nb::arg("beam"))
        .def("tag_columns", [](const OnlineModel& model, const Columns& columns, unsigned threads, size_t beam) {
            return as_lists(model.labels(), tagged(model, columns, threads, beam), columns.sentences);
        }, nb::arg("columns"), nb::arg("threads"), nb::arg("beam"))
        .def("tag_given", [](const OnlineModel& model, nb::handle sentences, unsigned threads, size_t beam) {
            const Encoding encoding = placed_features(model.slots(), model.given(), sentences);
            return as_lists(model.labels(), tagged(model, encoding, nullptr, threads, beam), encoding.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), nb::arg("beam"))
        .def("tag_encoding", [](const OnlineModel& model, const Encoding& encoding, unsigned threads, size_t beam, const Encoding* history) {
            return owned(tagged(model, model.placed(encoding), history, threads, beam));
        }, nb::arg("encoding"), nb::arg("threads"), nb::arg("beam"), nb::arg("history").none() = nb::none());
}

}  // namespace tagpool
