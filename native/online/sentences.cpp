// Data of a sentence's tokens for the online learner: features, conjunctions, and their rows.
#include <algorithm>

#include "base/portable.hpp"
#include "online/learner.hpp"

namespace tagpool {

void OnlineLearner::Tokens::clear() {
    histories.clear();
    for (Buffer<uint32_t>* numbers : {&hashes, &candidates, &entries, &rows}) numbers->clear();
    values.clear();
    displaced.clear();
    for (std::vector<size_t>* ends : {&hash_ends, &history_ends, &candidate_ends, &entry_ends, &displaced_ends, &row_ends}) ends->assign(1, 0);
    for (std::vector<size_t>* ends : {&fixed_candidates, &fixed_entries, &fixed_rows}) ends->clear();
}

void OnlineLearner::find_conjunctions(size_t begin, size_t t) {
    const Encoding& encoding = *shown_;
    const size_t from = tokens_.hashes.size(), candidates_from = tokens_.candidates.size();
    constexpr size_t kAhead = 2;  // tokens
    if (const size_t ahead = std::min(begin + t + kAhead, encoding.token_count() - 1); true)
        for (uint64_t i = encoding.starts[ahead]; i < encoding.starts[ahead + 1]; ++i) prefetch_line(&features_[encoding.ids[i]]);
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
    if (const size_t count = tokens_.hashes.size() - from; count > 1)
        conjunctions().join_all(tokens_.hashes.data() + from, count, tokens_.candidates);
    // Prefetch entries as soon as their slots are known.
    const size_t fixed = tokens_.candidates.size();
    table_.prefetch({tokens_.candidates.data() + candidates_from, fixed - candidates_from});
    tokens_.fixed_candidates.push_back(fixed);
    if (shown_history_) find_history(begin, t, data_.gold.data() + begin, tokens_.histories, tokens_.candidates);
    tokens_.history_ends.push_back(tokens_.histories.size());
    tokens_.candidate_ends.push_back(tokens_.candidates.size());
    table_.prefetch({tokens_.candidates.data() + fixed, tokens_.candidates.size() - fixed});
}

void OnlineLearner::find_rows(size_t begin, size_t t) {
    const Encoding& encoding = *shown_;
    for (uint64_t i = encoding.starts[begin + t]; i < encoding.starts[begin + t + 1]; ++i) {
        const uint32_t row = features_[encoding.ids[i]].row;
        if (!row) continue;
        tokens_.rows.push_back(row);
        if (!encoding.values.empty()) tokens_.values.push_back(encoding.values[i]);
    }
    const size_t first = tokens_.candidate_ends[t], fixed = tokens_.fixed_candidates[t], history = tokens_.history_ends[t];
    const uint32_t* const candidates = tokens_.candidates.data();
    if (fixed > first) table_.append_entries({candidates + first, fixed - first}, tokens_.entries, tokens_.displaced);
    tokens_.fixed_entries.push_back(tokens_.entries.size());
    if (const size_t end = tokens_.candidate_ends[t + 1]; end > fixed)
        table_.append_entries({candidates + fixed, end - fixed}, tokens_.entries, tokens_.displaced);
    tokens_.entry_ends.push_back(tokens_.entries.size());
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

// Finds the features of a token with previous labels, and the candidate slots of their conjunctions.
void OnlineLearner::find_history(size_t begin, size_t t, const int32_t* labels, std::vector<uint32_t>& numbers, Buffer<uint32_t>& candidates) {
    history_hashes_here_.clear();
    const auto before = [&](size_t back) { return label_before(labels, t, back, labels_); };
    for (uint64_t i = shown_history_->starts[begin + t]; i < shown_history_->starts[begin + t + 1]; ++i) {
        const uint32_t number = history_index_.find(data_.history.labels.key(shown_history_->ids[i], before));
        if (number == FeatureIndex::kNone) continue;
        numbers.push_back(number);
        if (const uint32_t hash = histories_[number].hash) history_hashes_here_.push_back(hash);
    }
    const size_t from = tokens_.hash_ends[t];
    for (size_t i = 0; i < history_hashes_here_.size(); ++i) {
        const uint32_t one = history_hashes_here_[i];
        conjunctions().join(one, tokens_.hashes.data() + from, tokens_.hash_ends[t + 1] - from, candidates);
        conjunctions().join(one, history_hashes_here_.data() + i + 1, history_hashes_here_.size() - i - 1, candidates);
    }
}

// Finds the same with predicted labels, where they differ from the gold labels.
void OnlineLearner::find_predicted_history(size_t begin, size_t t) {
    history_numbers_.clear();
    history_candidates_.clear();
    history_entries_.clear();
    history_rows_.clear();
    find_history(begin, t, previous_labels_.data(), history_numbers_, history_candidates_);
    table_.prefetch({history_candidates_.data(), history_candidates_.size()});
    append_history_rows(history_numbers_.data(), history_numbers_.size(), history_rows_);
    for (const uint32_t row : history_rows_) rows_.prefetch_sketch(row);
    history_displaced_.clear();
    table_.append_entries({history_candidates_.data(), history_candidates_.size()}, history_entries_, history_displaced_);
    table_.resolve(history_displaced_, history_entries_);
}

}  // namespace tagpool
