#include "online/learner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/fault.hpp"

namespace tagpool {

OnlineLearner::OnlineLearner(OnlineData data, const OnlineOptions& options)
    : data_(std::move(data)), labels_(data_.label_count()), options_(options), random_(options.seed), rows_(labels_, options.update),
      features_(data_.keys.size()), can_join_(data_.keys.size(), true), bits_(options.slots), table_(labels_, options.update),
      scores_(rows_.stride()) {
    const size_t tokens = data_.features->token_count(), sentences = data_.features->sentences.size() - 1;
    expect_size(data_.gold.size(), tokens, "labels, one per token");
    if (std::any_of(data_.gold.begin(), data_.gold.end(), [&](int32_t y) { return y < -1 || y >= static_cast<int32_t>(labels_); }))
        throw InputFault("a label is out of range");
    if (!data_.sentence_weights.empty()) expect_size(data_.sentence_weights.size(), sentences, "weights, one per sentence");
    for (const uint32_t id : data_.features->ids)
        if (id >= features_.size()) throw InputFault("a feature is out of range");
    data_.history.labels.check();
    depth_ = data_.history.labels.depth();
    expect_size(data_.history.labels.templates.size(), data_.history.keys.size(), "templates, one for each feature with previous labels");
    if (data_.history.encoding) {
        if (data_.history.encoding->sentences != data_.features->sentences)
            throw InputFault("the features with previous labels belong to other sentences");
        for (const uint32_t id : data_.history.encoding->ids)
            if (id >= data_.history.keys.size()) throw InputFault("a feature with previous labels is out of range");
        if (!data_.history.encoding->values.empty()) throw InputFault("features with previous labels have values; expected none");
    }
    if (options_.strongest > 0 && options_.slots < features_.size())
        throw InputFault(concat("expected at least as many slots as features, ", features_.size(), ", got ", options_.slots));
    if (!(options_.dropout >= 0 && options_.dropout < 1)) throw InputFault("dropout: expected a rate from 0 to less than 1");
    if (options_.batch == 0) throw InputFault("batch: expected at least one sentence");
    for (size_t i = 0; i < data_.features->values.size(); ++i)
        if (data_.features->values[i] != 1.0f) can_join_[data_.features->ids[i]] = false;
    merge_repeated();
    shown_ = data_.features;
    shown_history_ = data_.history.encoding;
}

// Merges repeated features of a token into one with the sum of their values, so that its whole gradient is squared.
void OnlineLearner::merge_repeated() {
    const Encoding& from = *data_.features;
    std::vector<uint32_t> last(features_.size(), UINT32_MAX);
    bool repeated = false;
    for (size_t token = 0; token < from.token_count(); ++token)
        for (uint64_t i = from.starts[token]; i < from.starts[token + 1]; ++i) {
            repeated = repeated || last[from.ids[i]] == token;
            last[from.ids[i]] = static_cast<uint32_t>(token);
        }
    if (!repeated) return;
    auto encoding = std::make_shared<Encoding>();
    Encoding& merged = *encoding;
    merged.sentences = from.sentences;
    std::vector<std::pair<uint32_t, float>> row;
    for (size_t token = 0; token < from.token_count(); ++token) {
        row.clear();
        for (uint64_t i = from.starts[token]; i < from.starts[token + 1]; ++i) {
            const auto same = std::find_if(row.begin(), row.end(), [&](const auto& entry) { return entry.first == from.ids[i]; });
            if (same != row.end()) same->second += from.value(i);
            else row.emplace_back(from.ids[i], from.value(i));
        }
        for (const auto& [id, total] : row) merged.append(id, total);
        merged.end_token();
    }
    data_.features = std::move(encoding);
}

// Draws the features that the tokens have in this epoch. The choice depends on the seed and the epoch only, so that a restored learner
// makes the same one.
void OnlineLearner::choose_features() {
    if (options_.dropout == 0) return;
    const auto draw = [&](const std::shared_ptr<const Encoding>& all, uint64_t part) {
        return std::make_shared<const Encoding>(without_some(*all, options_.dropout, Random(combine(combine(options_.seed, epochs_), part))));
    };
    shown_ = draw(data_.features, 0);
    if (data_.history.encoding) shown_history_ = draw(data_.history.encoding, 1);
}

double OnlineLearner::epoch(InterruptCheck interrupt) {
    const std::vector<uint32_t> order = random_.permutation(shown_->sentences.size() - 1);
    choose_features();
    const double gold_share = std::pow(options_.gold, static_cast<double>(epochs_));
    double loss = 0;
    for (size_t i = 0; i < order.size(); ++i) {
        loss += learn(order[i], gold_share);
        if ((i + 1) % options_.batch != 0 && i + 1 < order.size()) continue;
        apply();
        interrupt.poll();
    }
    if (++epochs_ > options_.average_from) {
        const float h = threshold();
        for (const Feature& single : features_)
            if (single.row) rows_.sum_up(single.row, h);
        for (const Feature& history : histories_)
            if (history.row) rows_.sum_up(history.row, h);
        table_.sum_up(h);
        ++summed_;
    }
    return loss;
}

// Tags one sentence with the weights at the beginning of the batch. Returns its loss.
double OnlineLearner::learn(uint32_t sentence, double gold_share) {
    const size_t begin = shown_->sentences[sentence], length = shown_->sentences[sentence + 1] - begin;
    const float weight = data_.sentence_weights.empty() ? 1.0f : data_.sentence_weights[sentence];
    tokens_.clear();
    previous_labels_.resize(length);
    same_since_ = 0;
    double loss = 0;
    // A software pipeline: each step prefetches from large tables what the next step reads some tokens later.
    constexpr size_t kRows = 2, kDecision = 4;
    for (size_t t = 0; t < length + kDecision; ++t) {
        if (t < length) find_conjunctions(begin, t);
        if (t >= kRows && t < length + kRows) find_rows(begin, t - kRows);
        if (t >= kDecision) loss += decide(begin, t - kDecision, weight, gold_share);
    }
    return loss;
}

// Predicts the label of a token; returns its loss.
double OnlineLearner::decide(size_t begin, size_t t, float weight, double gold_share) {
    other_history_ = shown_history_ && t < same_since_ + depth_ && same_since_ > 0;
    if (other_history_) find_predicted_history(begin, t);
    table_.resolve(std::span(tokens_.displaced).subspan(tokens_.displaced_ends[t], tokens_.displaced_ends[t + 1] - tokens_.displaced_ends[t]),
                   tokens_.entries);
    const int32_t gold = data_.gold[begin + t];
    const auto y = static_cast<uint16_t>(gold);
    double loss = 0;
    contenders_.clear();
    if (gold >= 0 && is_surely_right(t, y)) {
        ++batch_examples_;
        previous_labels_[t] = gold;
        random_.uniform();  // one number per token, as below
        return loss;
    }
    score(t);
    const float* const scores = scores_.data();
    previous_labels_[t] = static_cast<int32_t>(std::max_element(scores, scores + labels_) - scores);
    if (gold >= 0) {
        ++batch_examples_;
        const float gold_score = scores_[y];
        scores_[y] -= 1;
        const auto worst = static_cast<uint16_t>(std::max_element(scores, scores + labels_) - scores);
        loss = static_cast<double>(weight) * std::max(0.0, static_cast<double>(scores_[worst]) + 1 - static_cast<double>(gold_score));
        if (worst != y) record_mistake(begin, t, y, worst, weight);
        if (random_.uniform() < gold_share) previous_labels_[t] = gold;
    }
    if (previous_labels_[t] != gold) same_since_ = t + 1;
    return loss;
}

template <class LabelBefore>
uint32_t OnlineLearner::insert_history(uint32_t feature, LabelBefore&& before) {
    const uint32_t number = history_index_.insert(data_.history.labels.key(feature, before));
    if (number < histories_.size()) return number;
    uint64_t key = data_.history.keys[feature];
    const size_t width = data_.history.labels.width();
    const size_t end = history_labels_.size() + width;
    for (const uint8_t back : data_.history.labels.backs_of(feature)) {
        history_labels_.push_back(static_cast<uint16_t>(before(back)));
        key = combine(key, data_.label_keys[history_labels_.back()]);
    }
    history_labels_.resize(end);
    histories_.emplace_back();
    history_features_.push_back(feature);
    history_hashes_.push_back(ConjunctionSet::hash_of(key));
    return number;
}

void OnlineLearner::record_mistake(size_t begin, size_t t, uint16_t right, uint16_t wrong, float weight) {
    const size_t histories_from = mistake_histories_.size();
    if (shown_history_)
        for (uint64_t i = shown_history_->starts[begin + t]; i < shown_history_->starts[begin + t + 1]; ++i)
            mistake_histories_.push_back(
                insert_history(shown_history_->ids[i], [&](size_t back) { return label_before(previous_labels_.data(), t, back, labels_); }));
    const TokenParts token = parts(t);
    if (options_.strongest > 0) {
        append_mistake_conjunctions(token.entries, token.labelled_entries);
        for (size_t i = mistakes_.empty() ? 0 : mistakes_.back().entries_end; i < mistake_conjunctions_.size(); ++i)
            table_.prefetch_for_update(mistake_conjunctions_[i].first, right, wrong);
        induce(begin + t, right, wrong, histories_from);
    }
    for (const auto rows : {token.rows, token.labelled_rows})
        for (const uint32_t row : rows) rows_.prefetch_for_update(row, right, wrong);
    mistakes_.push_back({static_cast<uint32_t>(begin + t), right, wrong, weight, mistake_histories_.size(), mistake_conjunctions_.size()});
}

// Conjunctions with the same slot are one feature with a higher value: appends each entry once, with its number of occurrences.
void OnlineLearner::append_mistake_conjunctions(std::span<const uint32_t> fixed, std::span<const uint32_t> labelled) {
    const size_t from = mistake_conjunctions_.size(), most = fixed.size() + labelled.size();
    mistake_places_.assign(std::bit_ceil(2 * most + 1), 0);
    for (const auto entries : {fixed, labelled})
        for (const uint32_t entry : entries) {
            if (entry == table_.empty_entry()) continue;
            const size_t mask = mistake_places_.size() - 1;
            size_t i = entry & mask;
            while (mistake_places_[i] && mistake_conjunctions_[from + mistake_places_[i] - 1].first != entry) i = (i + 1) & mask;
            if (!mistake_places_[i]) {
                mistake_conjunctions_.emplace_back(entry, 0);
                mistake_places_[i] = static_cast<uint32_t>(mistake_conjunctions_.size() - from);
            }
            ++mistake_conjunctions_[from + mistake_places_[i] - 1].second;
        }
}

// Joins the features with the largest margin of the right over the wrong label; ties go to the first.
void OnlineLearner::induce(size_t token, uint16_t right, uint16_t wrong, size_t histories_from) {
    const float h = threshold();
    std::vector<std::pair<float, uint32_t>> candidates;
    const auto consider = [&](uint32_t number, uint32_t row) {
        const float margin = rows_.weight(row, right, h) - rows_.weight(row, wrong, h);
        if (margin > 0) candidates.emplace_back(margin, number);
    };
    for (uint64_t i = shown_->starts[token]; i < shown_->starts[token + 1]; ++i)
        if (const uint32_t id = shown_->ids[i]; can_join_[id]) consider(id, features_[id].row);
    for (size_t i = histories_from; i < mistake_histories_.size(); ++i)
        consider(static_cast<uint32_t>(features_.size()) + mistake_histories_[i], histories_[mistake_histories_[i]].row);
    const size_t count = std::min(options_.strongest, candidates.size());
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 1; i < count; ++i) to_join_.emplace_back(candidates[0].second, candidates[i].second);
}

// Ends a batch: applies the gradients of its mistakes, and adds the induced conjunctions.
void OnlineLearner::apply() {
    size_t history = 0, entry = 0;
    for (const Mistake& mistake : mistakes_) {
        updates_.clear();
        for (uint64_t i = shown_->starts[mistake.token]; i < shown_->starts[mistake.token + 1]; ++i)
            updates_.emplace_back(&features_[shown_->ids[i]].row, mistake.weight * value(i));
        for (; history < mistake.histories_end; ++history) updates_.emplace_back(&histories_[mistake_histories_[history]].row, mistake.weight);
        learn_from(mistake, {mistake_conjunctions_.data() + entry, mistake.entries_end - entry});
        entry = mistake.entries_end;
    }
    for (const auto& [first, second] : to_join_) join(first, second);
    mistakes_.clear();
    mistake_histories_.clear();
    mistake_conjunctions_.clear();
    to_join_.clear();
    examples_ += batch_examples_;
    batch_examples_ = 0;
    rows_.refresh_sketches(threshold(), examples_);
    table_.refresh_sketches(threshold(), examples_);
}

// Rows were read recently and are in the cache. Prefetch what only updates read.
void OnlineLearner::learn_from(const Mistake& mistake, std::span<const std::pair<uint32_t, uint32_t>> entries) {
    constexpr size_t kAhead = 12;
    const float h = threshold();
    for (size_t i = 0; i < std::min(kAhead, updates_.size()); ++i) rows_.prefetch_for_update(*updates_[i].first, mistake.right, mistake.wrong);
    for (size_t i = 0; i < updates_.size(); ++i) {
        if (i + kAhead < updates_.size()) rows_.prefetch_for_update(*updates_[i + kAhead].first, mistake.right, mistake.wrong);
        const auto [row, gradient] = updates_[i];
        rows_.learn(*row, mistake.right, mistake.wrong, gradient, h);
    }
    const size_t count = entries.size();
    for (size_t i = 0; i < std::min(2 * kAhead, count); ++i) table_.prefetch_entry(entries[i].first);
    for (size_t i = 0; i < std::min(kAhead, count); ++i) table_.prefetch_for_update(entries[i].first, mistake.right, mistake.wrong);
    for (size_t i = 0; i < count; ++i) {
        if (i + 2 * kAhead < count) table_.prefetch_entry(entries[i + 2 * kAhead].first);
        if (i + kAhead < count) table_.prefetch_for_update(entries[i + kAhead].first, mistake.right, mistake.wrong);
        table_.learn(entries[i].first, mistake.right, mistake.wrong, mistake.weight * static_cast<float>(entries[i].second), h);
    }
}

uint32_t OnlineLearner::hash_of(uint32_t number) const {
    return number < features_.size() ? ConjunctionSet::hash_of(data_.keys[number]) : history_hashes_[number - features_.size()];
}

void OnlineLearner::join(uint32_t first, uint32_t second) {
    const uint32_t a = hash_of(first), b = hash_of(second), slot = conjunctions().slot(a, b);
    feature(first).hash = a;
    feature(second).hash = b;
    if (!table_.insert(slot)) return;
    conjunction_slots_.push_back(slot);
    bits_.add_last(conjunction_slots_);
    conjunction_first_.push_back(first);
    conjunction_second_.push_back(second);
}

void OnlineLearner::start_feature(uint32_t number, uint16_t label, float weight) {
    if (number >= features_.size() || label >= labels_) throw InputFault("an initial weight is out of range");
    rows_.start(features_[number].row, label, weight);
}

uint32_t OnlineLearner::history_number(uint32_t number, const std::vector<uint16_t>& labels) {
    if (number >= data_.history.keys.size() || labels.size() != data_.history.labels.backs_of(number).size() ||
        std::any_of(labels.begin(), labels.end(), [&](uint16_t label) { return label > labels_; }))
        throw InputFault("a feature with previous labels is out of range");
    size_t next = 0;
    const auto following = [&](size_t) { return labels[next++]; };
    const uint64_t key = data_.history.labels.key(number, following);
    if (const uint32_t known = history_index_.find(key); known != FeatureIndex::kNone) return known;
    const auto& backs = data_.history.labels.backs_of(number);
    return insert_history(number,
                          [&](size_t back) { return labels[static_cast<size_t>(std::find(backs.begin(), backs.end(), back) - backs.begin())]; });
}

void OnlineLearner::start_history(uint32_t number, const std::vector<uint16_t>& labels, uint16_t label, float weight) {
    if (label >= labels_) throw InputFault("an initial weight is out of range");
    rows_.start(histories_[history_number(number, labels)].row, label, weight);
}

void OnlineLearner::start_conjunction(uint32_t first, uint32_t second, uint16_t label, float weight) {
    const size_t known = features_.size() + histories_.size();
    if (first >= known || second >= known || label >= labels_) throw InputFault("an initial weight is out of range");
    join(first, second);
    table_.start(table_.find(conjunctions().slot(hash_of(first), hash_of(second))), label, weight / conjunction_scale());
}

Induced OnlineLearner::learned() const {
    Induced out;
    out.labels = labels_;
    out.features = static_cast<uint32_t>(features_.size());
    out.slots = options_.slots;
    out.history = data_.history.labels;
    out.history_features = history_features_;
    out.history_labels = history_labels_;
    out.conjunction_slots = conjunction_slots_;
    out.conjunction_first = conjunction_first_;
    out.conjunction_second = conjunction_second_;
    out.begins.push_back(0);
    const auto append = [&](const auto& from, uint32_t row, float scale = 1) {
        if (row)
            from.for_each(row, threshold(), summed_, [&](uint16_t label, float weight) {
                if (weight == 0) return;
                out.weight_labels.push_back(label);
                out.weights.push_back(scale * weight);
            });
        out.begins.push_back(out.weights.size());
    };
    for (uint32_t number = 0; number < features_.size(); ++number) {
        if (!features_[number].row && !features_[number].hash) continue;
        out.numbers.push_back(number);
        out.hashes.push_back(features_[number].hash);
        append(rows_, features_[number].row);
    }
    for (const Feature& history : histories_) {
        out.hashes.push_back(history.hash);
        append(rows_, history.row);
    }
    for (const uint32_t slot : conjunction_slots_) append(table_.rows(), table_.row(table_.find(slot)), conjunction_scale());
    return out;
}

}  // namespace tagpool
