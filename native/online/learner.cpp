#include "online/learner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/fault.hpp"

namespace tagpool {

OnlineLearner::OnlineLearner(OnlineData data, const OnlineOptions& options)
    : data_(std::move(data)), labels_(data_.label_count()), options_(options), random_(options.seed), rows_(labels_, options.update),
      features_(data_.keys.size()), can_join_(data_.keys.size(), true), bits_(options.slots), cells_(labels_, options.update), scores_(rows_.stride()) {
    const size_t tokens = data_.features->token_count(), sentences = data_.features->sentences.size() - 1;
    if (data_.gold.size() != tokens) throw InputFault("expected one label a token");
    if (std::any_of(data_.gold.begin(), data_.gold.end(), [&](int32_t y) { return y < -1 || y >= static_cast<int32_t>(labels_); }))
        throw InputFault("a label is out of range");
    if (!data_.sentence_weights.empty() && data_.sentence_weights.size() != sentences) throw InputFault("expected one weight a sentence");
    for (const uint32_t id : data_.features->ids)
        if (id >= features_.size()) throw InputFault("a feature is out of range");
    data_.history.labels.check();
    depth_ = data_.history.labels.depth();
    if (data_.history.labels.templates.size() != data_.history.keys.size()) throw InputFault("expected one template a feature of the label history");
    if (data_.history.encoding) {
        if (data_.history.encoding->sentences != data_.features->sentences)
            throw InputFault("the features of the label history are not those of the same sentences");
        for (const uint32_t id : data_.history.encoding->ids)
            if (id >= data_.history.keys.size()) throw InputFault("a feature of the label history is out of range");
        if (!data_.history.encoding->values.empty()) throw InputFault("features with previous labels cannot have values");
    }
    if (options_.strongest > 0 && options_.slots < features_.size())
        throw InputFault("expected at least as many slots for pairs as there are features, " + std::to_string(features_.size()) + ", got " +
                         std::to_string(options_.slots));
    if (options_.batch == 0) throw InputFault("expected at least one sentence a batch");
    for (size_t i = 0; i < data_.features->values.size(); ++i)
        if (data_.features->values[i] != 1.0f) can_join_[data_.features->ids[i]] = false;
    merge_repeated();
}

// A feature that a token has twice becomes one of twice the value, so that its gradient is squared as a whole.
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
    auto made = std::make_shared<Encoding>();
    Encoding& merged = *made;
    merged.sentences = from.sentences;
    std::vector<std::pair<uint32_t, float>> row;
    for (size_t token = 0; token < from.token_count(); ++token) {
        row.clear();
        for (uint64_t i = from.starts[token]; i < from.starts[token + 1]; ++i) {
            const auto same = std::find_if(row.begin(), row.end(), [&](const auto& each) { return each.first == from.ids[i]; });
            if (same != row.end()) same->second += value(i);
            else row.emplace_back(from.ids[i], value(i));
        }
        for (const auto& [id, of] : row) merged.append(id, of);
        merged.end_token();
    }
    data_.features = std::move(made);
}

double OnlineLearner::epoch(InterruptCheck interrupt) {
    std::vector<uint32_t> order(data_.features->sentences.size() - 1);
    std::iota(order.begin(), order.end(), 0u);
    random_.shuffle(order);
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
        for (const Feature& each : features_)
            if (each.row) rows_.sum_up(each.row, h);
        for (const Feature& each : histories_)
            if (each.row) rows_.sum_up(each.row, h);
        cells_.sum_up(h);
        ++summed_;
    }
    return loss;
}

// One sentence, with the weights there are at the beginning of its batch. Returns its loss.
double OnlineLearner::learn(uint32_t sentence, double gold_share) {
    const size_t begin = data_.features->sentences[sentence], length = data_.features->sentences[sentence + 1] - begin;
    const float weight = data_.sentence_weights.empty() ? 1.0f : data_.sentence_weights[sentence];
    tokens_.clear();
    given_.resize(length);
    same_since_ = 0;
    double loss = 0;
    // All is looked up in large tables: what a step needs is asked for by the one before, some tokens ahead.
    constexpr size_t kRows = 2, kDecision = 4;
    for (size_t t = 0; t < length + kDecision; ++t) {
        if (t < length) find_pairs(begin, t);
        if (t >= kRows && t < length + kRows) find_rows(begin, t - kRows);
        if (t >= kDecision) loss += decide(begin, t - kDecision, weight, gold_share);
    }
    return loss;
}

// Labels a token, and returns its loss.
double OnlineLearner::decide(size_t begin, size_t t, float weight, double gold_share) {
    other_history_ = data_.history.encoding && t < same_since_ + depth_ && same_since_ > 0;
    if (other_history_) look_back(begin, t);
    cells_.settle(std::span(tokens_.displaced).subspan(tokens_.displaced_ends[t], tokens_.displaced_ends[t + 1] - tokens_.displaced_ends[t]), tokens_.cells);
    const int32_t gold = data_.gold[begin + t];
    const auto y = static_cast<uint16_t>(gold);
    double loss = 0;
    contenders_.clear();
    if (gold >= 0 && surely_right(t, y)) {
        ++batch_examples_;
        given_[t] = gold;
        random_.uniform();  // as for others
        return loss;
    }
    score(t);
    const float* const scores = scores_.data();
    given_[t] = static_cast<int32_t>(std::max_element(scores, scores + labels_) - scores);
    if (gold >= 0) {
        ++batch_examples_;
        const float of_gold = scores_[y];
        scores_[y] -= 1;
        const auto worst = static_cast<uint16_t>(std::max_element(scores, scores + labels_) - scores);
        loss = static_cast<double>(weight) * std::max(0.0, static_cast<double>(scores_[worst]) + 1 - static_cast<double>(of_gold));
        if (worst != y) note_mistake(begin, t, y, worst, weight);
        if (random_.uniform() < gold_share) given_[t] = gold;
    }
    if (given_[t] != gold) same_since_ = t + 1;
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
    history_hashes_.push_back(PairView::hash_of(key));
    return number;
}

void OnlineLearner::note_mistake(size_t begin, size_t t, uint16_t right, uint16_t wrong, float weight) {
    const size_t histories_from = mistake_histories_.size();
    if (data_.history.encoding)
        for (uint64_t i = data_.history.encoding->starts[begin + t]; i < data_.history.encoding->starts[begin + t + 1]; ++i)
            mistake_histories_.push_back(insert_history(data_.history.encoding->ids[i], [&](size_t back) { return label_before(given_.data(), t, back, labels_); }));
    const Parts has = parts(t);
    if (options_.strongest > 0) {
        append_mistake_cells(has.cells, has.labelled_cells);
        for (size_t i = mistakes_.empty() ? 0 : mistakes_.back().cells_end; i < mistake_cells_.size(); ++i)
            cells_.prefetch_for_update(mistake_cells_[i].first, right, wrong);
        induce(begin + t, right, wrong, histories_from);
    }
    for (const auto rows : {has.rows, has.labelled_rows})
        for (const uint32_t row : rows) rows_.prefetch_for_update(row, right, wrong);
    mistakes_.push_back({static_cast<uint32_t>(begin + t), right, wrong, weight, mistake_histories_.size(), mistake_cells_.size()});
}

// Pairs of one slot are one feature, of a higher value: each cell comes once, and how often it is there.
void OnlineLearner::append_mistake_cells(std::span<const uint32_t> some, std::span<const uint32_t> others) {
    const size_t from = mistake_cells_.size(), most = some.size() + others.size();
    mistake_places_.assign(std::bit_ceil(2 * most + 1), 0);
    for (const auto cells : {some, others})
        for (const uint32_t cell : cells) {
            if (cell == cells_.nowhere()) continue;
            const size_t mask = mistake_places_.size() - 1;
            size_t i = cell & mask;
            while (mistake_places_[i] && mistake_cells_[from + mistake_places_[i] - 1].first != cell) i = (i + 1) & mask;
            if (!mistake_places_[i]) {
                mistake_cells_.emplace_back(cell, 0);
                mistake_places_[i] = static_cast<uint32_t>(mistake_cells_.size() - from);
            }
            ++mistake_cells_[from + mistake_places_[i] - 1].second;
        }
}

// The features that spoke most for the right label and against the wrong one; of equal ones those that come first.
void OnlineLearner::induce(size_t token, uint16_t right, uint16_t wrong, size_t histories_from) {
    const float h = threshold();
    std::vector<std::pair<float, uint32_t>> found;
    const auto consider = [&](uint32_t number, uint32_t row) {
        const float lead = rows_.weight(row, right, h) - rows_.weight(row, wrong, h);
        if (lead > 0) found.emplace_back(lead, number);
    };
    for (uint64_t i = data_.features->starts[token]; i < data_.features->starts[token + 1]; ++i)
        if (const uint32_t id = data_.features->ids[i]; can_join_[id]) consider(id, features_[id].row);
    for (size_t i = histories_from; i < mistake_histories_.size(); ++i)
        consider(static_cast<uint32_t>(features_.size()) + mistake_histories_[i], histories_[mistake_histories_[i]].row);
    const size_t count = std::min(options_.strongest, found.size());
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 1; i < count; ++i) to_join_.emplace_back(found[0].second, found[i].second);
}

// The end of a batch: its mistakes become gradients, and what they suggest is joined.
void OnlineLearner::apply() {
    size_t history = 0, cell = 0;
    for (const Mistake& each : mistakes_) {
        touched_.clear();
        for (uint64_t i = data_.features->starts[each.token]; i < data_.features->starts[each.token + 1]; ++i)
            touched_.emplace_back(&features_[data_.features->ids[i]].row, each.weight * value(i));
        for (; history < each.histories_end; ++history) touched_.emplace_back(&histories_[mistake_histories_[history]].row, each.weight);
        learn_from(each, {mistake_cells_.data() + cell, each.cells_end - cell});
        cell = each.cells_end;
    }
    for (const auto& [first, second] : to_join_) join(first, second);
    mistakes_.clear();
    mistake_histories_.clear();
    mistake_cells_.clear();
    to_join_.clear();
    examples_ += batch_examples_;
    batch_examples_ = 0;
    rows_.refresh_sketches(threshold(), examples_);
    cells_.refresh_sketches(threshold(), examples_);
}

// Rows are in a cache still, since they were read; what only updates need is asked for ahead.
void OnlineLearner::learn_from(const Mistake& mistake, std::span<const std::pair<uint32_t, uint32_t>> cells) {
    constexpr size_t kAhead = 12;
    const float h = threshold();
    for (size_t i = 0; i < std::min(kAhead, touched_.size()); ++i) rows_.prefetch_for_update(*touched_[i].first, mistake.right, mistake.wrong);
    for (size_t i = 0; i < touched_.size(); ++i) {
        if (i + kAhead < touched_.size()) rows_.prefetch_for_update(*touched_[i + kAhead].first, mistake.right, mistake.wrong);
        const auto [row, gradient] = touched_[i];
        rows_.learn(*row, mistake.right, mistake.wrong, gradient, h);
    }
    const size_t count = cells.size();
    for (size_t i = 0; i < std::min(2 * kAhead, count); ++i) cells_.prefetch_cell(cells[i].first);
    for (size_t i = 0; i < std::min(kAhead, count); ++i) cells_.prefetch_for_update(cells[i].first, mistake.right, mistake.wrong);
    for (size_t i = 0; i < count; ++i) {
        if (i + 2 * kAhead < count) cells_.prefetch_cell(cells[i + 2 * kAhead].first);
        if (i + kAhead < count) cells_.prefetch_for_update(cells[i + kAhead].first, mistake.right, mistake.wrong);
        cells_.learn(cells[i].first, mistake.right, mistake.wrong, mistake.weight * static_cast<float>(cells[i].second), h);
    }
}

uint32_t OnlineLearner::hash_of(uint32_t number) const {
    return number < features_.size() ? PairView::hash_of(data_.keys[number]) : history_hashes_[number - features_.size()];
}

void OnlineLearner::join(uint32_t first, uint32_t second) {
    const uint32_t a = hash_of(first), b = hash_of(second), slot = pairs().slot(a, b);
    feature(first).hash = a;
    feature(second).hash = b;
    if (!cells_.insert(slot)) return;
    pair_slots_.push_back(slot);
    bits_.add_last(pair_slots_);
    pair_first_.push_back(first);
    pair_second_.push_back(second);
}

void OnlineLearner::start_feature(uint32_t number, uint16_t label, float weight) {
    if (number >= features_.size() || label >= labels_) throw InputFault("a weight to start from is out of range");
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
    return insert_history(number, [&](size_t back) { return labels[static_cast<size_t>(std::find(backs.begin(), backs.end(), back) - backs.begin())]; });
}

void OnlineLearner::start_history(uint32_t number, const std::vector<uint16_t>& labels, uint16_t label, float weight) {
    if (label >= labels_) throw InputFault("a weight to start from is out of range");
    rows_.start(histories_[history_number(number, labels)].row, label, weight);
}

void OnlineLearner::start_pair_weight(uint32_t first, uint32_t second, uint16_t label, float weight) {
    const size_t known = features_.size() + histories_.size();
    if (first >= known || second >= known || label >= labels_) throw InputFault("a weight to start from is out of range");
    join(first, second);
    cells_.start(cells_.find(pairs().slot(hash_of(first), hash_of(second))), label, weight);
}

Induced OnlineLearner::learned() const {
    Induced out;
    out.labels = labels_;
    out.features = static_cast<uint32_t>(features_.size());
    out.slots = options_.slots;
    out.history = data_.history.labels;
    out.history_features = history_features_;
    out.history_labels = history_labels_;
    out.pair_slots = pair_slots_;
    out.pair_first = pair_first_;
    out.pair_second = pair_second_;
    out.begins.push_back(0);
    const auto append = [&](const auto& from, uint32_t row) {
        if (row)
            from.each(row, threshold(), summed_, [&](uint16_t label, float weight) {
                if (weight == 0) return;
                out.weight_labels.push_back(label);
                out.weights.push_back(weight);
            });
        out.begins.push_back(out.weights.size());
    };
    for (uint32_t number = 0; number < features_.size(); ++number) {
        if (!features_[number].row && !features_[number].hash) continue;
        out.numbers.push_back(number);
        out.hashes.push_back(features_[number].hash);
        append(rows_, features_[number].row);
    }
    for (const Feature& each : histories_) {
        out.hashes.push_back(each.hash);
        append(rows_, each.row);
    }
    for (const uint32_t slot : pair_slots_) append(cells_.rows(), cells_.row(cells_.find(slot)));
    return out;
}

}  // namespace tagpool
