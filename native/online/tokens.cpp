// What the tokens of a sentence have, for the online learner: features, pairs of them, and the rows of both.
#include <algorithm>

#include "online/learner.hpp"

namespace tagpool {

void OnlineLearner::Tokens::clear() {
    histories.clear();
    for (Buffer<uint32_t>* each : {&hashes, &candidates, &cells, &rows}) each->clear();
    values.clear();
    displaced.clear();
    for (std::vector<size_t>* each : {&hash_ends, &history_ends, &candidate_ends, &cell_ends, &displaced_ends, &row_ends}) each->assign(1, 0);
    for (std::vector<size_t>* each : {&fixed_candidates, &fixed_cells, &fixed_rows}) each->clear();
}

void OnlineLearner::find_pairs(size_t begin, size_t t) {
    const Encoding& encoding = *data_.features;
    const size_t from = tokens_.hashes.size(), candidates_from = tokens_.candidates.size();
    constexpr size_t kAhead = 2;  // tokens
    if (const size_t ahead = std::min(begin + t + kAhead, encoding.token_count() - 1); true)
        for (uint64_t i = encoding.starts[ahead]; i < encoding.starts[ahead + 1]; ++i) __builtin_prefetch(&features_[encoding.ids[i]]);
    if (options_.strongest > 0) {
        const uint64_t first = encoding.starts[begin + t], end = encoding.starts[begin + t + 1];
        tokens_.hashes.reserve_more(end - first + 1);
        uint32_t* next = tokens_.hashes.data() + from;
        for (uint64_t i = first; i < end; ++i) {
            *next = features_[encoding.ids[i]].hash;
            next += *next != 0;
        }
        tokens_.hashes.extend_written(static_cast<size_t>(next - tokens_.hashes.data()) - from);
    }
    tokens_.hash_ends.push_back(tokens_.hashes.size());
    if (const size_t count = tokens_.hashes.size() - from; count > 1) pairs().join_all(tokens_.hashes.data() + from, count, tokens_.candidates);
    // Cells are asked for as soon as their slots are known, while other pairs are looked for.
    const size_t fixed = tokens_.candidates.size();
    cells_.prefetch({tokens_.candidates.data() + candidates_from, fixed - candidates_from});
    tokens_.fixed_candidates.push_back(fixed);
    if (data_.history.encoding) find_history(begin, t, data_.gold.data() + begin, tokens_.histories, tokens_.candidates);
    tokens_.history_ends.push_back(tokens_.histories.size());
    tokens_.candidate_ends.push_back(tokens_.candidates.size());
    cells_.prefetch({tokens_.candidates.data() + fixed, tokens_.candidates.size() - fixed});
}

void OnlineLearner::find_rows(size_t begin, size_t t) {
    const Encoding& encoding = *data_.features;
    for (uint64_t i = encoding.starts[begin + t]; i < encoding.starts[begin + t + 1]; ++i) {
        const uint32_t row = features_[encoding.ids[i]].row;
        if (!row) continue;
        tokens_.rows.push_back(row);
        if (!encoding.values.empty()) tokens_.values.push_back(encoding.values[i]);
    }
    const size_t first = tokens_.candidate_ends[t], fixed = tokens_.fixed_candidates[t], history = tokens_.history_ends[t];
    const uint32_t* const candidates = tokens_.candidates.data();
    if (fixed > first) cells_.append_found({candidates + first, fixed - first}, tokens_.cells, tokens_.displaced);
    tokens_.fixed_cells.push_back(tokens_.cells.size());
    if (const size_t end = tokens_.candidate_ends[t + 1]; end > fixed) cells_.append_found({candidates + fixed, end - fixed}, tokens_.cells, tokens_.displaced);
    tokens_.cell_ends.push_back(tokens_.cells.size());
    tokens_.displaced_ends.push_back(tokens_.displaced.size());
    tokens_.fixed_rows.push_back(tokens_.rows.size());
    append_history_rows(tokens_.histories.data() + history, tokens_.history_ends[t + 1] - history, tokens_.rows);
    if (!encoding.values.empty()) tokens_.values.resize(tokens_.rows.size(), 1.0f);
    for (size_t i = tokens_.row_ends.back(); i < tokens_.rows.size(); ++i) rows_.prefetch_sketch(tokens_.rows[i]);
    tokens_.row_ends.push_back(tokens_.rows.size());
}

void OnlineLearner::append_history_rows(const uint32_t* numbers, size_t count, Buffer<uint32_t>& rows) const {
    for (size_t i = 0; i < count; ++i)
        if (const uint32_t row = histories_[numbers[i]].row) rows.push_back(row);
}

// What a token has with the labels given before: features, and slots that their pairs may have.
void OnlineLearner::find_history(size_t begin, size_t t, const int32_t* given, std::vector<uint32_t>& numbers, Buffer<uint32_t>& candidates) {
    history_hashes_here_.clear();
    const auto before = [&](size_t back) { return label_before(given, t, back, labels_); };
    for (uint64_t i = data_.history.encoding->starts[begin + t]; i < data_.history.encoding->starts[begin + t + 1]; ++i) {
        const uint32_t number = history_index_.find(data_.history.labels.key(data_.history.encoding->ids[i], before));
        if (number == FeatureIndex::kNone) continue;
        numbers.push_back(number);
        if (const uint32_t hash = histories_[number].hash) history_hashes_here_.push_back(hash);
    }
    const size_t from = tokens_.hash_ends[t];
    for (size_t i = 0; i < history_hashes_here_.size(); ++i) {
        const uint32_t one = history_hashes_here_[i];
        pairs().join(one, tokens_.hashes.data() + from, tokens_.hash_ends[t + 1] - from, candidates);
        pairs().join(one, history_hashes_here_.data() + i + 1, history_hashes_here_.size() - i - 1, candidates);
    }
}

// The same with other labels than the gold ones.
void OnlineLearner::look_back(size_t begin, size_t t) {
    history_numbers_.clear();
    history_candidates_.clear();
    history_cells_.clear();
    history_rows_.clear();
    find_history(begin, t, given_.data(), history_numbers_, history_candidates_);
    cells_.prefetch({history_candidates_.data(), history_candidates_.size()});
    append_history_rows(history_numbers_.data(), history_numbers_.size(), history_rows_);
    for (const uint32_t row : history_rows_) rows_.prefetch_sketch(row);
    history_displaced_.clear();
    cells_.append_found({history_candidates_.data(), history_candidates_.size()}, history_cells_, history_displaced_);
    cells_.settle(history_displaced_, history_cells_);
}

}  // namespace tagpool
