#include <memory>

#include "bindings/helpers.hpp"
#include "bindings/tagging.hpp"
#include "features/given.hpp"
#include "online/learner.hpp"
#include "online/model.hpp"

namespace tagpool {
namespace {

using Keys = ArrayArgument<uint64_t>;

std::unique_ptr<OnlineModel> build(OnlineTrained trained, const Induced& induced, const std::vector<std::string>& labels, const Encoder* history,
                                   Bytes forbidden) {
    trained.forbidden = to_vector(forbidden);
    trained.labels = labels;
    trained.induced = induced;
    if (history) {
        trained.history = history->program();
        trained.history_keys = history->keys();
    }
    nb::gil_scoped_release release;
    return std::make_unique<OnlineModel>(std::move(trained));
}

// Weights [count][labels]; add(i, row) adds those of feature i.
template <class Add>
Array<float> weight_table(const OnlineModel& model, size_t count, Add&& add) {
    const size_t labels = model.labels().size();
    std::vector<float> out(count * labels);
    for (size_t i = 0; i < count; ++i) add(i, out.data() + i * labels);
    return to_array(std::move(out));
}

std::vector<int32_t> tag(const OnlineModel& model, const Columns& columns, Threads threads, size_t beam) {
    std::vector<int32_t> out(columns.token_count());
    nb::gil_scoped_release release;
    model.tag(columns, threads, beam, out.data());
    return out;
}

std::vector<int32_t> tag(const OnlineModel& model, const Encoding& encoding, const Encoding* history, Threads threads, size_t beam) {
    std::vector<int32_t> out(encoding.token_count());
    nb::gil_scoped_release release;
    model.tag(encoding, history, threads, beam, out.data());
    return out;
}

void start_features(OnlineLearner& learner, Floats weights, size_t labels) {
    for (size_t i = 0; i < weights.size(); ++i)
        if (weights.data()[i] != 0)
            learner.start_feature(static_cast<uint32_t>(i / labels), static_cast<uint16_t>(i % labels), weights.data()[i]);
}

uint32_t start_history(OnlineLearner& learner, uint32_t feature, const std::vector<uint16_t>& before, Floats weights) {
    const uint32_t number = learner.history_number(feature, before);
    for (size_t label = 0; label < weights.size(); ++label)
        if (weights.data()[label] != 0) learner.start_history(feature, before, static_cast<uint16_t>(label), weights.data()[label]);
    return number;
}

void start_conjunctions(OnlineLearner& learner, UInts first, UInts second, Floats weights) {
    const size_t count = first.size(), labels = count ? weights.size() / count : 0;
    expect_size(second.size(), count, "second features of conjunctions");
    expect_size(weights.size(), count * labels, "weights of conjunctions");
    for (size_t i = 0; i < count; ++i) {
        learner.join(first.data()[i], second.data()[i]);
        for (size_t label = 0; label < labels; ++label)
            if (const float weight = weights.data()[i * labels + label]; weight != 0)
                learner.start_conjunction(first.data()[i], second.data()[i], static_cast<uint16_t>(label), weight);
    }
}

void bind_induced(nb::module_& m) {
    nb::class_<Induced>(m, "Induced", "Learned features, conjunctions and weights.")
        .def_ro("slots", &Induced::slots, "Hash table size for conjunctions.")
        .def_prop_ro("width", &Induced::width, "Numbers per feature with previous labels: the feature and its labels.")
        .def("numbers", [](const Induced& induced) { return to_array(induced.numbers); }, "Features with weights.")
        .def("history_features", [](const Induced& induced) { return to_array(induced.history_features); }, "Features with previous labels: the feature.")
        .def("history_labels", [](const Induced& induced) { return to_array(induced.history_labels); }, "Features with previous labels: the labels.")
        .def("hashes", [](const Induced& induced) { return to_array(induced.hashes); }, "Hash of each feature, for conjunctions.")
        .def("conjunction_slots", [](const Induced& induced) { return to_array(induced.conjunction_slots); }, "Slot of each conjunction.")
        .def("conjunction_first", [](const Induced& induced) { return to_array(induced.conjunction_first); }, "First feature of each conjunction.")
        .def("conjunction_second", [](const Induced& induced) { return to_array(induced.conjunction_second); }, "Second feature of each conjunction.")
        .def("begins", [](const Induced& induced) { return to_array(induced.begins); }, "First weight of each row.")
        .def("weight_labels", [](const Induced& induced) { return to_array(induced.weight_labels); }, "Label of each weight.")
        .def("weights", [](const Induced& induced) { return to_array(induced.weights); }, "All weights.");
}

void bind_learner(nb::module_& m) {
    nb::class_<OnlineHistory>(m, "OnlineHistory", "Features that include previous labels: their static part, and how far back each label is.")
        .def("__init__", [](OnlineHistory* self, std::shared_ptr<Encoding> encoding, Keys keys, const std::vector<std::vector<uint8_t>>& backs,
                            UShorts templates) {
            new (self) OnlineHistory{std::move(encoding), to_vector(keys), {backs, to_vector(templates)}};
        }, nb::arg("encoding"), nb::arg("keys"), nb::arg("backs"), nb::arg("templates"));

    nb::class_<OnlineData>(m, "OnlineData", "Training data of an OnlineLearner. label_keys has one more key, for the label before a sentence.")
        .def("__init__", [](OnlineData* self, std::shared_ptr<Encoding> features, Ints gold, Keys keys, Keys label_keys,
                            std::optional<OnlineHistory> history, std::optional<Floats> sentence_weights) {
            if (label_keys.size() == 0) throw InputFault("label_keys: expected one key per label, and one more");
            new (self) OnlineData{std::move(features), to_vector(gold), to_vector(keys), to_vector(label_keys),
                                  history.value_or(OnlineHistory()), sentence_weights ? to_vector(*sentence_weights) : std::vector<float>()};
        }, nb::arg("features"), nb::arg("gold"), nb::arg("keys"), nb::arg("label_keys"), nb::arg("history") = nb::none(),
             nb::arg("sentence_weights") = nb::none());

    nb::class_<AdaGrad>(m, "AdaGrad", "Update rule: step and rho of AdaGrad, and the l1 penalty of dual averaging.")
        .def("__init__", [](AdaGrad* self, float step, float rho, double l1, bool dual_averaging) {
            new (self) AdaGrad{step, rho, dual_averaging, l1};
        }, nb::kw_only(), nb::arg("step"), nb::arg("rho"), nb::arg("l1"), nb::arg("dual_averaging"));

    nb::class_<OnlineOptions>(m, "OnlineOptions", "Parameters of an OnlineLearner.")
        .def("__init__", [](OnlineOptions* self, const AdaGrad& update, size_t strongest, uint32_t slots, size_t batch, double gold_share,
                            size_t average_from, uint64_t seed) {
            new (self) OnlineOptions{update, strongest, slots, batch, gold_share, 0, average_from, seed};
        }, nb::kw_only(), nb::arg("update"), nb::arg("strongest"), nb::arg("slots"), nb::arg("batch"), nb::arg("gold_share"),
             nb::arg("average_from"), nb::arg("seed"))
        .def("set_dropout", [](OnlineOptions& options, double rate) { options.dropout = rate; }, nb::arg("rate"),
             "Set the probability that a token lacks a feature in an epoch.");

    nb::class_<OnlineLearner>(m, "OnlineLearner", "Online learner with dynamic feature induction.")
        .def(nb::init<OnlineData, const OnlineOptions&>(), nb::arg("data"), nb::arg("options"), nb::call_guard<nb::gil_scoped_release>())
        .def("epoch", [](OnlineLearner& learner) {
            nb::gil_scoped_release release;
            return learner.epoch(check_interrupt);
        }, "Train one epoch; return the mean loss.")
        .def_prop_ro("conjunction_count", &OnlineLearner::conjunction_count, "Number of conjunctions.")
        .def("learned", &OnlineLearner::learned, nb::call_guard<nb::gil_scoped_release>(), "Weights learned so far.")
        .def("state", [](OnlineLearner& learner) { return to_bytes(without_gil([&] { return learner.state(); })); },
             "State between two epochs, for a checkpoint.")
        .def("restore", [](OnlineLearner& learner, const nb::bytes& state) { learner.restore(bytes_view(state)); }, nb::arg("state"),
             "Continue from the state of a learner with the same options and data, before the first epoch.")
        .def_static("write_learned", [](const Induced& learned) { return to_bytes(OnlineLearner::write_learned(learned)); }, nb::arg("learned"),
                    "Learned weights as bytes.")
        .def("read_learned", [](const OnlineLearner& learner, const nb::bytes& block) { return learner.read_learned(bytes_view(block)); },
             nb::arg("block"), "Learned weights from bytes.")
        .def("start_features", &start_features, nb::arg("weights"), nb::arg("labels"), "Set initial weights [features][labels].")
        .def("start_history", &start_history, nb::arg("feature"), nb::arg("before"), nb::arg("weights"),
             "Add a feature with previous labels and its initial weights [labels]; return its number for conjunctions.")
        .def("start_conjunctions", &start_conjunctions, nb::arg("first"), nb::arg("second"), nb::arg("weights"),
             "Add conjunctions and their initial weights [conjunctions][labels].");
}

void bind_building(nb::class_<OnlineModel>& bound) {
    bound
        .def_static("from_encoder", [](Encoder& encoder, const Encoder* history, const std::vector<std::string>& labels, const Induced& induced,
                                       Bytes forbidden) {
            OnlineTrained trained;
            trained.program = encoder.program();
            trained.keys = encoder.keys();
            return build(std::move(trained), induced, labels, history, forbidden);
        }, nb::arg("encoder"), nb::arg("history").none(), nb::arg("labels"), nb::arg("induced"), nb::arg("forbidden"), "Model of an encoder's features.")
        .def_static("from_given", [](GivenFeatures& features, const std::vector<std::string>& labels, const Induced& induced, Bytes forbidden) {
            OnlineTrained trained;
            trained.keys = features.keys();
            return build(std::move(trained), induced, labels, nullptr, forbidden);
        }, nb::arg("features"), nb::arg("labels"), nb::arg("induced"), nb::arg("forbidden"), "Model of features that the caller provides.")
        .def_static("of_encoded", [](const std::vector<std::string>& labels, const Induced& induced, Bytes forbidden) {
            return build(OnlineTrained(), induced, labels, nullptr, forbidden);
        }, nb::arg("labels"), nb::arg("induced"), nb::arg("forbidden"), "Model of encoded features, known by number.")
        .def("history_encoder", [](const OnlineModel& model, uint32_t minimum_count) {
            if (!model.history()) throw InputFault("the model has no features that include previous labels");
            return std::make_unique<Encoder>(*model.history(), minimum_count);
        }, nb::arg("minimum_count"), "New encoder with the templates that include previous labels.")
        .def_prop_ro("history_template_keys", [](const OnlineModel& model) { return keys_in(model.history()); },
                     "Keys of the templates that include previous labels.")
        .def_prop_ro("backs", [](const OnlineModel& model) { return model.look_back().backs; }, "For each such template, how far back its labels are.")
        .def("forbidden", [](const OnlineModel& model) { return to_array(model.forbidden()); }, "Forbidden edges, as those of Model.")
        .def_prop_ro("chain", [](const OnlineModel&) { return true; }, "True: labels depend on previous labels.")
        .def_prop_ro("conjunction_count", &OnlineModel::conjunction_count, "Number of conjunctions.")
        .def_prop_ro("has_history", [](const OnlineModel& model) { return model.history().has_value(); }, "Whether features include previous labels.");
}

void bind_weights(nb::class_<OnlineModel>& bound) {
    bound
        .def("weights_of", [](const OnlineModel& model, const std::vector<std::string>& names) {
            return weight_table(model, names.size(), [&](size_t i, float* to) { model.add_weights(model.slots().find(model.key_of(names[i])), to); });
        }, nb::arg("names"), "Weights of features by name, [names][labels].")
        .def("numbers_of", [](const OnlineModel& model, const std::vector<std::string>& names) {
            std::vector<uint32_t> out;
            for (const std::string& name : names) out.push_back(model.slots().find(model.key_of(name)));
            return to_array(std::move(out));
        }, nb::arg("names"), "Numbers of features by name.")
        .def("labelled_numbers_of", [](const OnlineModel& model, const std::vector<std::string>& names, const std::vector<std::vector<uint16_t>>& before) {
            expect_size(before.size(), names.size(), "lists of labels");
            std::vector<uint32_t> out;
            for (size_t i = 0; i < names.size(); ++i) {
                const uint32_t feature = model.history_feature(names[i]);
                out.push_back(feature == FrozenIndex::kNone ? feature : model.find_labelled(feature, before[i]));
            }
            return to_array(std::move(out));
        }, nb::arg("names"), nb::arg("before"), "Numbers of features with previous labels, by the name of the static part and the labels.")
        .def("weights_at", [](const OnlineModel& model, UInts numbers) {
            return weight_table(model, numbers.size(), [&](size_t i, float* to) { model.add_weights(numbers.data()[i], to); });
        }, nb::arg("numbers"), "Weights of features by number, [numbers][labels].")
        .def("conjunction_weights_at", [](const OnlineModel& model, UInts first, UInts second) {
            expect_size(second.size(), first.size(), "second features of conjunctions");
            return weight_table(model, first.size(), [&](size_t i, float* to) { model.add_conjunction_weights(first.data()[i], second.data()[i], to); });
        }, nb::arg("first"), nb::arg("second"), "Weights of conjunctions, [conjunctions][labels].");
}

void bind_tagging(nb::class_<OnlineModel>& bound) {
    bound
        .def("tag_sentences", [](const OnlineModel& model, nb::handle sentences, Threads threads, size_t beam) {
            const Columns columns = columns_of(model.columns(), sentences);
            return as_lists(model.labels(), tag(model, columns, threads, beam), columns.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), nb::arg("beam"), "Labels of sentences.")
        .def("tag_columns", [](const OnlineModel& model, const Columns& columns, Threads threads, size_t beam) {
            return as_lists(model.labels(), tag(model, columns, threads, beam), columns.sentences);
        }, nb::arg("columns"), nb::arg("threads"), nb::arg("beam"), "Labels of a corpus.")
        .def("tag_lines", [](const OnlineModel& model, const Columns& columns, Threads threads, size_t beam, const nb::bytes& text,
                             std::optional<bool> tabs) {
            return label_lines(text, tag(model, columns, threads, beam), model.labels(), tabs);
        }, nb::arg("columns"), nb::arg("threads"), nb::arg("beam"), nb::arg("text"), nb::arg("tabs").none(), "As tag_lines of Model.")
        .def("tag_given", [](const OnlineModel& model, nb::handle sentences, Threads threads, size_t beam) {
            const Encoding encoding = encode_given(model.slots(), model.given(), sentences);
            return as_lists(model.labels(), tag(model, encoding, nullptr, threads, beam), encoding.sentences);
        }, nb::arg("sentences"), nb::arg("threads"), nb::arg("beam"), "Labels of sentences.")
        .def("tag_encoding", [](const OnlineModel& model, const Encoding& encoding, Threads threads, size_t beam, const Encoding* history) {
            const Encoding placed = without_gil([&] { return model.placed(encoding); });
            return to_array(tag(model, placed, history, threads, beam));
        }, nb::arg("encoding"), nb::arg("threads"), nb::arg("beam"), nb::arg("history").none() = nb::none(), "Label numbers of encoded tokens.");
}

}  // namespace

void bind_online(nb::module_& m) {
    bind_induced(m);
    bind_learner(m);
    nb::class_<OnlineModel> bound(m, "OnlineModel", "Model of an OnlineLearner, which tags.");
    bind_common(bound);
    bind_building(bound);
    bind_weights(bound);
    bind_tagging(bound);
}

}  // namespace tagpool
