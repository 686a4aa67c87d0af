// State of an online learner for checkpoints. It has the entries of rows and the features of conjunctions; the tables that find them and the
// sketches are built again. They do not change a result.
#include <algorithm>

#include "base/fault.hpp"
#include "base/state.hpp"
#include "online/learner.hpp"

namespace tagpool {
namespace {

[[noreturn]] void refuse(const char* content) { throw InputFault(concat("the state has ", content, " out of range")); }

template <class Number>
void expect_below(const std::vector<Number>& numbers, size_t bound, const char* content) {
    if (std::any_of(numbers.begin(), numbers.end(), [&](Number number) { return number >= bound; })) refuse(content);
}

template <class State, class Rows>
void visit_rows(State& state, const std::string& name, Rows& rows) {
    state.vector(name + ".counts", rows.counts);
    state.vector(name + ".labels", rows.labels);
    state.vector(name + ".numbers", rows.numbers);
}

// Content of the state of a learner beside its counts: one list of names for writing and reading.
struct Stored {
    std::vector<uint8_t> joined;
    std::vector<float> largest_steps;  // of rows and of conjunctions
    std::vector<uint32_t> history_features;
    std::vector<uint16_t> history_labels;
    std::vector<uint32_t> first, second;  // features of conjunctions
    OnlineRows::State rows;
    ConjunctionRows::State conjunctions;

    template <class State>
    void visit(State& state) {
        state.vector("joined", joined);
        state.vector("largest_steps", largest_steps);
        state.vector("history_features", history_features);
        state.vector("history_labels", history_labels);
        state.vector("conjunction_first", first);
        state.vector("conjunction_second", second);
        visit_rows(state, "rows", rows);
        visit_rows(state, "conjunctions", conjunctions);
    }
};

template <class State, class AnyInduced>
void visit_learned(State& state, AnyInduced& learned) {
    state.vector("numbers", learned.numbers);
    state.vector("history_features", learned.history_features);
    state.vector("history_labels", learned.history_labels);
    state.vector("hashes", learned.hashes);
    state.vector("conjunction_slots", learned.conjunction_slots);
    state.vector("conjunction_first", learned.conjunction_first);
    state.vector("conjunction_second", learned.conjunction_second);
    state.vector("begins", learned.begins);
    state.vector("weight_labels", learned.weight_labels);
    state.vector("weights", learned.weights);
}

}  // namespace

// Rows --------------------------------------------------------------------------------------------------------------------

template <bool kConjunctions>
void RowsOf<kConjunctions>::append_row(uint32_t row, State& state) const {
    const size_t count = row == kNone ? 0 : size_of(row);
    state.counts.push_back(row != kNone && is_dense(row) ? State::kDenseRow : static_cast<uint32_t>(count));
    for (size_t i = 0; i < count; ++i) {
        if (!is_dense(row)) state.labels.push_back(label_at(row, i));
        const float* const sums = sums_of(row);
        state.numbers.insert(state.numbers.end(), {sums[sum_place(row, i)], sums[step_place(row, i)], squares_at(row, i), sum_at(row, i)});
    }
}

template <bool kConjunctions>
uint32_t RowsOf<kConjunctions>::read_row(State& state, float threshold) {
    if (state.next_count == state.counts.size()) refuse("a row");
    const uint32_t stored = state.counts[state.next_count++];
    if (stored == 0) return kNone;
    const bool dense = stored == State::kDenseRow;
    const size_t count = dense ? labels_ : stored;
    if (count > (state.numbers.size() - state.next_number) / 4) refuse("a weight");
    if (!dense && (count > kCapacities.back() || count > state.labels.size() - state.next_label)) refuse("an entry");
    uint32_t row = kNone;
    if (dense) {
        row = make_dense();
    } else {
        uint32_t kind = 0;
        while (kCapacities[kind] < count) ++kind;
        row = make(kind);
        const auto labels = std::span(state.labels).subspan(state.next_label, count);
        for (size_t i = 0; i < count; ++i)
            if (labels[i] >= labels_ || std::count(labels.begin(), labels.end(), labels[i]) != 1) refuse("a label");
        std::copy(labels.begin(), labels.end(), labels_of(row));
        head_of(row).count = static_cast<uint16_t>(count);
        state.next_label += count;
    }
    for (size_t i = 0; i < count; ++i) {
        const float* const numbers = state.numbers.data() + state.next_number;
        sums_of(row)[sum_place(row, i)] = numbers[0];
        sums_of(row)[step_place(row, i)] = numbers[1];
        squares_at(row, i) = numbers[2];
        sum_at(row, i) = numbers[3];
        state.next_number += 4;
    }
    if (dense && !kConjunctions) sketch(row, threshold);
    return row;
}

template <bool kConjunctions>
void RowsOf<kConjunctions>::set_sketches_at(float largest_step, float threshold, size_t examples) {
    largest_step_ = largest_step;
    sketch_threshold_ = threshold;
    sketched_at_ = examples;
}

template void RowsOf<false>::append_row(uint32_t, State&) const;
template void RowsOf<true>::append_row(uint32_t, State&) const;
template uint32_t RowsOf<false>::read_row(State&, float);
template uint32_t RowsOf<true>::read_row(State&, float);
template void RowsOf<false>::set_sketches_at(float, float, size_t);
template void RowsOf<true>::set_sketches_at(float, float, size_t);

void ConjunctionTable::read_row(uint32_t entry, ConjunctionRows::State& state, float threshold) {
    Head now = head(entry);
    now.row = rows_.read_row(state, threshold);
    set_head(entry, now);
    if (sketched_ && now.row != ConjunctionRows::kNone) sketch(entry, threshold);
}

void ConjunctionTable::set_sketches_at(float largest_step, float threshold, size_t examples) {
    rows_.set_sketches_at(largest_step, threshold, examples);
    sketch_threshold_ = threshold;
    sketched_at_ = examples;
}

// Learner -----------------------------------------------------------------------------------------------------------------

template <class State>
void OnlineLearner::visit_counts(State& state) {
    state.random(random_);
    state.number("examples", examples_);
    state.number("epochs", epochs_);
    state.number("summed", summed_);
}

std::string OnlineLearner::state() {
    StateWriter state;
    visit_counts(state);
    Stored stored;
    for (uint32_t number = 0; number < features_.size() + histories_.size(); ++number) {
        rows_.append_row(feature(number).row, stored.rows);
        stored.joined.push_back(feature(number).hash != 0);
    }
    for (const uint32_t slot : conjunction_slots_) table_.rows().append_row(table_.row(table_.find(slot)), stored.conjunctions);
    stored.largest_steps = {rows_.largest_step(), table_.rows().largest_step()};
    stored.history_features = history_features_;
    stored.history_labels = history_labels_;
    stored.first = conjunction_first_;
    stored.second = conjunction_second_;
    stored.visit(state);
    return state.write();
}

void OnlineLearner::restore(std::string_view block) {
    StateReader state(block);
    visit_counts(state);
    Stored stored;
    stored.visit(state);

    restore_history(stored.history_features, stored.history_labels);
    const size_t known = features_.size() + histories_.size();
    const std::vector<uint32_t>&first = stored.first, &second = stored.second;
    expect_size(stored.joined.size(), known, "features");
    expect_size(stored.largest_steps.size(), 2, "largest steps");
    expect_size(second.size(), first.size(), "second features of conjunctions");
    expect_below(first, known, "a feature of a conjunction");
    expect_below(second, known, "a feature of a conjunction");
    const float h = threshold();
    for (uint32_t number = 0; number < known; ++number) {
        Feature& restored = feature(number);
        restored.row = rows_.read_row(stored.rows, h);
        if (stored.joined[number]) restored.hash = hash_of(number);
    }
    for (size_t i = 0; i < first.size(); ++i) {
        join(first[i], second[i]);
        expect_size(conjunction_slots_.size(), i + 1, "different conjunctions");
        table_.read_row(table_.find(conjunction_slots_.back()), stored.conjunctions, h);
    }
    rows_.set_sketches_at(stored.largest_steps[0], h, examples_);
    table_.set_sketches_at(stored.largest_steps[1], h, examples_);
}

// Adds the features with previous labels in their order.
void OnlineLearner::restore_history(const std::vector<uint32_t>& features, const std::vector<uint16_t>& labels) {
    expect_below(features, data_.history.keys.size(), "a feature with previous labels");
    const size_t width = data_.history.labels.width();
    expect_size(labels.size(), features.size() * width, "previous labels");
    for (size_t i = 0; i < features.size(); ++i) {
        const auto begin = labels.begin() + static_cast<std::ptrdiff_t>(i * width);
        const auto count = static_cast<std::ptrdiff_t>(data_.history.labels.backs_of(features[i]).size());
        if (history_number(features[i], {begin, begin + count}) != i) refuse("a feature with previous labels");
    }
}

std::string OnlineLearner::write_learned(const Induced& learned) {
    StateWriter state;
    visit_learned(state, learned);
    return state.write();
}

Induced OnlineLearner::read_learned(std::string_view block) const {
    Induced out;
    StateReader state(block);
    visit_learned(state, out);
    out.labels = labels_;
    out.features = static_cast<uint32_t>(features_.size());
    out.slots = options_.slots;
    out.history = data_.history.labels;
    const size_t histories = out.history_features.size(), rows = out.numbers.size() + histories + out.conjunction_slots.size();
    expect_below(out.numbers, features_.size(), "a feature");
    expect_below(out.history_features, data_.history.keys.size(), "a feature with previous labels");
    expect_size(out.history_labels.size(), histories * out.width(), "previous labels");
    expect_below(out.history_labels, size_t{labels_} + 1, "a previous label");
    expect_size(out.hashes.size(), out.numbers.size() + histories, "hashes");
    expect_size(out.conjunction_first.size(), out.conjunction_slots.size(), "first features of conjunctions");
    expect_size(out.conjunction_second.size(), out.conjunction_slots.size(), "second features of conjunctions");
    expect_below(out.conjunction_slots, options_.slots, "a slot");
    expect_below(out.conjunction_first, features_.size() + histories, "a feature of a conjunction");
    expect_below(out.conjunction_second, features_.size() + histories, "a feature of a conjunction");
    expect_size(out.begins.size(), rows + 1, "rows");
    expect_size(out.weight_labels.size(), out.weights.size(), "labels of weights");
    if (out.begins.front() != 0 || out.begins.back() != out.weights.size() || !std::is_sorted(out.begins.begin(), out.begins.end())) refuse("a row");
    for (size_t row = 0; row < rows; ++row)
        for (uint64_t i = out.begins[row]; i < out.begins[row + 1]; ++i)
            if (out.weight_labels[i] >= labels_ || (i > out.begins[row] && out.weight_labels[i] <= out.weight_labels[i - 1])) refuse("a label");
    return out;
}

}  // namespace tagpool
