#include "dataset/observations.hpp"

#include <algorithm>
#include <bit>

#include "base/fault.hpp"
#include "base/state.hpp"
#include "dataset/mix_bits.hpp"

namespace tagpool {
namespace {

Observations::Mark random_number(uint64_t token, float value) {
    const uint64_t seed = (token + 1) * 0x9e3779b97f4a7c15u + std::bit_cast<uint32_t>(value);
    return {mix_bits(seed), mix_bits(seed ^ 0xd1b54a32d192ed03u)};
}

void keep_distinct(std::vector<uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

template <class Number>
void add_to(std::vector<Number>& sums, const std::vector<Number>& more) {
    if (sums.size() < more.size()) sums.resize(more.size());
    for (size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

void check_labels(const std::vector<uint32_t>& sentences, const int32_t* gold, uint32_t labels) {
    if (std::adjacent_find(sentences.begin(), sentences.end()) != sentences.end()) throw InputFault("a training sentence has no tokens; remove it");
    for (uint32_t token = 0; token < sentences.back(); ++token)
        if (gold[token] < kUnknownLabel || gold[token] >= static_cast<int32_t>(labels))
            throw InputFault("label " + std::to_string(gold[token]) + " is out of range; there are " + std::to_string(labels) + " labels");
}

}  // namespace

Observations::Observations(const TrainingOptions& options, uint32_t features, uint32_t history_features, uint64_t begin)
    : label_count_(options.labels), begin_(begin), observes_labels_(!options.all_cells && options.known.observe),
      words_((options.labels + size_t{63}) / 64), features_(features), counts_lengths_(options.bundle) {
    if (label_count_ == 0 || label_count_ > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(label_count_));
    if (!options.all_cells) labels_.assign(size_t{features} * words_, 0);
    if (options.merge_twins) marks_.resize(features);
    if (!options.all_transitions) transitions_.assign(size_t{label_count_} * label_count_, 0);
    history_occurrences_.assign(history_features, 0);
}

void Observations::add(const Encoding& encoding, const int32_t* gold, const Encoding* history) {
    check_labels(encoding.sentences, gold, label_count_);
    if (history && history->sentences != encoding.sentences) throw InputFault("transition features and features are of different sentences");
    if (begin_ + tokens_ + encoding.token_count() > UINT32_MAX) throw InputFault("more than 4 billion tokens");
    add_features(encoding, gold);
    if (!encoding.values.empty()) add_values(encoding);
    else if (has_values_) squares_.add_ones(encoding.ids.size());
    if (!marks_.empty()) add_marks(encoding);
    if (!transitions_.empty()) add_transitions(encoding.sentences, gold);
    if (history) add_history(*history, gold);
    if (counts_lengths_) add_lengths(encoding);
    tokens_ += encoding.token_count();
    sentences_ += encoding.sentences.size() - 1;
    occurrences_ += encoding.ids.size();
}

void Observations::add_features(const Encoding& encoding, const int32_t* gold) {
    for (size_t sentence = 0; sentence + 1 < encoding.sentences.size(); ++sentence) {
        const uint32_t begin = encoding.sentences[sentence], end = encoding.sentences[sentence + 1];
        const auto at = static_cast<uint32_t>(begin_ + tokens_ + begin);
        longest_ = std::max(longest_, end - begin);
        for (uint32_t token = begin; token < end; ++token) {
            const auto label = static_cast<size_t>(gold[token]);
            const bool count = observes_labels_ && gold[token] != kUnknownLabel;  // an unknown label observes no cell
            for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
                const uint32_t id = encoding.ids[i];
                Feature& feature = features_[id];
                if (feature.occurrences++ == 0) feature.first = at;
                feature.last = at;
                if (count) labels_[id * words_ + label / 64] |= uint64_t{1} << (label % 64);
            }
        }
    }
}

void Observations::add_values(const Encoding& encoding) {
    if (!has_values_) squares_.add_ones(occurrences_);  // the values so far were 1
    has_values_ = true;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
        const float value = encoding.values[i];
        squares_.add_square(value);
        has_others_ |= value != 0 && value != 1;
        if (value != 0) continue;
        if (zeros_.empty()) zeros_.assign(features_.size(), 0);
        ++zeros_[encoding.ids[i]];
    }
}

void Observations::add_marks(const Encoding& encoding) {
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        const Mark plain = random_number(begin_ + tokens_ + token, 1.0f);
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
            const Mark number = encoding.values.empty() ? plain : random_number(begin_ + tokens_ + token, encoding.values[i]);
            Mark& mark = marks_[encoding.ids[i]];
            mark.low += number.low;
            mark.high += number.high;
        }
    }
}

void Observations::add_transitions(const std::vector<uint32_t>& sentences, const int32_t* gold) {
    for (size_t sentence = 0; sentence + 1 < sentences.size(); ++sentence)
        for (size_t token = sentences[sentence] + size_t{1}; token < sentences[sentence + 1]; ++token)
            if (gold[token - 1] != kUnknownLabel && gold[token] != kUnknownLabel)
                transitions_[static_cast<size_t>(gold[token - 1]) * label_count_ + static_cast<size_t>(gold[token])] = 1;
}

void Observations::add_history(const Encoding& history, const int32_t* gold) {
    for (size_t sentence = 0; sentence + 1 < history.sentences.size(); ++sentence)
        for (size_t token = history.sentences[sentence] + size_t{1}; token < history.sentences[sentence + 1]; ++token) {
            const bool known = gold[token] != kUnknownLabel && gold[token - 1] != kUnknownLabel;
            const auto bigram = static_cast<uint64_t>(gold[token - 1]) * label_count_ + static_cast<uint64_t>(gold[token]);
            for (uint64_t i = history.starts[token]; i < history.starts[token + 1]; ++i) {
                if (history.ids[i] >= history_occurrences_.size()) throw InputFault("a transition feature is out of range");
                ++history_occurrences_[history.ids[i]];
                if (known) history_cells_.push_back(uint64_t{history.ids[i]} << 32 | bigram);
            }
            if (history_cells_.size() < compact_) continue;
            keep_distinct(history_cells_);
            compact_ = std::max(compact_, 2 * history_cells_.size());
        }
}

void Observations::add_lengths(const Encoding& encoding) {
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        size_t length = encoding.starts[token + 1] - encoding.starts[token];
        for (uint64_t i = encoding.starts[token]; !encoding.values.empty() && i < encoding.starts[token + 1]; ++i) length -= encoding.values[i] == 0;
        if (length >= lengths_.size()) lengths_.resize(length + 1);
        ++lengths_[length];
    }
}

void Observations::merge(const Observations& next) {
    if (next.begin_ != begin_ + tokens_) throw InputFault("observations must be merged in the order of the sentences");
    expect_size(next.features_.size(), features_.size(), "features of the observations");
    expect_size(next.label_count_, label_count_, "labels of the observations");
    expect_size(next.history_occurrences_.size(), history_occurrences_.size(), "transition features of the observations");
    for (size_t i = 0; i < features_.size(); ++i) {
        const Feature& other = next.features_[i];
        features_[i].occurrences += other.occurrences;
        features_[i].first = std::min(features_[i].first, other.first);
        if (other.last != kNever) features_[i].last = other.last;
    }
    if (next.has_values_ && !has_values_) squares_.add_ones(occurrences_);
    squares_.merge(next.squares_);
    if (has_values_ && !next.has_values_) squares_.add_ones(next.occurrences_);
    has_values_ |= next.has_values_;
    has_others_ |= next.has_others_;
    add_to(zeros_, next.zeros_);
    add_to(lengths_, next.lengths_);
    add_to(history_occurrences_, next.history_occurrences_);
    for (size_t i = 0; i < labels_.size(); ++i) labels_[i] |= next.labels_[i];
    for (size_t i = 0; i < marks_.size(); ++i) {
        marks_[i].low += next.marks_[i].low;
        marks_[i].high += next.marks_[i].high;
    }
    for (size_t i = 0; i < transitions_.size(); ++i) transitions_[i] |= next.transitions_[i];
    history_cells_.insert(history_cells_.end(), next.history_cells_.begin(), next.history_cells_.end());
    keep_distinct(history_cells_);
    longest_ = std::max(longest_, next.longest_);
    tokens_ += next.tokens_;
    sentences_ += next.sentences_;
    occurrences_ += next.occurrences_;
}

std::vector<uint64_t> Observations::history_cells() const {
    std::vector<uint64_t> cells = history_cells_;
    keep_distinct(cells);
    return cells;
}

size_t Observations::usual_length() const { return static_cast<size_t>(std::max_element(lengths_.begin(), lengths_.end()) - lengths_.begin()); }

// All but the single numbers.
template <class State>
void Observations::visit_arrays(State& state) {
    squares_.visit_state(state);
    state.array("features", reinterpret_cast<uint32_t*>(features_.data()), 3 * features_.size());
    state.vector("zeros", zeros_);
    state.array("labels", labels_.data(), labels_.size());
    state.vector("lengths", lengths_);
    state.array("marks", reinterpret_cast<uint64_t*>(marks_.data()), 2 * marks_.size());
    state.array("transitions", transitions_.data(), transitions_.size());
    state.vector("history_cells", history_cells_);
    state.array("history_occurrences", history_occurrences_.data(), history_occurrences_.size());
}

std::string Observations::bytes() {
    keep_distinct(history_cells_);
    StateWriter state;
    uint64_t counts[] = {label_count_, begin_, tokens_, sentences_, occurrences_, longest_, has_values_, has_others_};
    state.copy("counts", std::vector<uint64_t>(std::begin(counts), std::end(counts)));
    visit_arrays(state);
    return state.write();
}

void Observations::read(std::string_view bytes) {
    StateReader state(bytes);
    uint64_t counts[8];
    state.array("counts", counts, std::size(counts));
    expect_size(counts[0], label_count_, "labels of the observations");
    begin_ = counts[1], tokens_ = counts[2], sentences_ = counts[3], occurrences_ = counts[4];
    longest_ = static_cast<uint32_t>(counts[5]);
    has_values_ = counts[6] != 0, has_others_ = counts[7] != 0;
    visit_arrays(state);
    if (!zeros_.empty()) expect_size(zeros_.size(), features_.size(), "zeros");
}

}  // namespace tagpool
