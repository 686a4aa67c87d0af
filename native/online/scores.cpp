// Scores of a token in the online learner: bounds from sketches, then exact scores.
#include <algorithm>
#include <limits>

#include "online/learner.hpp"

namespace tagpool {

OnlineLearner::TokenParts OnlineLearner::parts(size_t t) const {
    const auto between = [](const Buffer<uint32_t>& all, size_t from, size_t to) { return std::span(all.data() + from, to - from); };
    TokenParts out;
    out.rows = between(tokens_.rows, tokens_.row_ends[t], tokens_.fixed_rows[t]);
    out.entries = between(tokens_.entries, tokens_.entry_ends[t], tokens_.fixed_entries[t]);
    if (other_history_) {
        out.labelled_rows = between(history_rows_, 0, history_rows_.size());
        out.labelled_entries = between(history_entries_, 0, history_entries_.size());
    } else {
        out.labelled_rows = between(tokens_.rows, tokens_.fixed_rows[t], tokens_.row_ends[t + 1]);
        out.labelled_entries = between(tokens_.entries, tokens_.fixed_entries[t], tokens_.entry_ends[t + 1]);
    }
    return out;
}

// Returns whether the gold label leads by more than 1 according to the sketches. If not, collects the labels that may score highest.
bool OnlineLearner::is_surely_right(size_t t, uint16_t gold) {
    if (!tokens_.values.empty()) return false;
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    // Data with gold previous labels follows the data without labels.
    const auto estimate = [&](std::span<const uint32_t> rows, std::span<const uint32_t> entries) {
        const float row_error = rows_.estimate(rows.data(), rows.size(), h, scores_.data());
        return entries.empty() ? row_error : row_error + table_.estimate(entries, h, scores_.data());
    };
    float error = 0;
    if (other_history_) {
        const TokenParts token = parts(t);
        error = estimate(token.rows, token.entries) + estimate(token.labelled_rows, token.labelled_entries);
    } else {
        const size_t row = tokens_.row_ends[t], entry = tokens_.entry_ends[t];
        error =
            estimate({tokens_.rows.data() + row, tokens_.row_ends[t + 1] - row}, {tokens_.entries.data() + entry, tokens_.entry_ends[t + 1] - entry});
    }
    constexpr float kRounding = 1e-3f, kLeast = -std::numeric_limits<float>::infinity();
    const float gold_score = scores_[gold], margin = 2.01f * error + kRounding;
    scores_[gold] = kLeast;
    std::fill(scores_.begin() + labels_, scores_.end(), kLeast);
    float most[8];
    std::fill_n(most, 8, kLeast);
    for (size_t y = 0; y < scores_.size(); y += 8)
        for (size_t k = 0; k < 8; ++k) most[k] = most[k] > scores_[y + k] ? most[k] : scores_[y + k];
    const float best = *std::max_element(most, most + 8);
    if (gold_score - best > 1 + margin) return true;
    scores_[gold] = std::numeric_limits<float>::infinity();
    for (uint32_t y = 0; y < labels_; ++y)
        if (!(scores_[y] < best - margin)) contenders_.push_back(static_cast<uint16_t>(y));
    constexpr size_t kMany = 8;
    if (contenders_.size() > kMany) contenders_.clear();
    return false;
}

// Computes the scores of a token: first without, then with previous labels.
void OnlineLearner::score(size_t t) {
    if (!contenders_.empty()) return score_contenders(t);
    constexpr size_t kAhead = 16;
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    const TokenParts token = parts(t);
    const bool valued = !tokens_.values.empty();
    const float* const values = valued ? tokens_.values.data() + tokens_.row_ends[t] : nullptr;
    const auto add = [&]<bool kValued>(const auto& from, size_t count, auto&& row) {
        for (size_t i = 0; i < std::min(kAhead, count); ++i) from.prefetch(row(i));
        for (size_t i = 0; i < count; ++i) {
            if (i + kAhead < count) from.prefetch(row(i + kAhead));
            from.template add<kValued>(row(i), kValued ? values[i] : 1, h, scores_.data());
        }
    };
    if (valued) add.operator()<true>(rows_, token.rows.size(), [&](size_t i) { return token.rows[i]; });
    else add.operator()<false>(rows_, token.rows.size(), [&](size_t i) { return token.rows[i]; });
    add.operator()<false>(table_.rows(), token.entries.size(), [&](size_t i) { return table_.row(token.entries[i]); });
    add.operator()<false>(rows_, token.labelled_rows.size(), [&](size_t i) { return token.labelled_rows[i]; });
    add.operator()<false>(table_.rows(), token.labelled_entries.size(), [&](size_t i) { return table_.row(token.labelled_entries[i]); });
}

// Computes only the scores of the contenders, in the same order of summation, so that the bits agree. Other labels score -infinity.
void OnlineLearner::score_contenders(size_t t) {
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    const TokenParts token = parts(t);
    rows_here_.clear();
    for (const auto& [rows, entries] : {std::pair(token.rows, token.entries), std::pair(token.labelled_rows, token.labelled_entries)}) {
        for (const uint32_t row : rows) rows_.prefetch_some(row, contenders_);
        const size_t from = rows_here_.size();
        for (const uint32_t entry : entries) rows_here_.push_back(table_.row(entry));
        for (size_t i = from; i < rows_here_.size(); ++i) table_.rows().prefetch_some(rows_here_[i], contenders_);
    }
    const uint32_t* entry_rows = rows_here_.data();
    for (const auto& [rows, count] : {std::pair(token.rows, token.entries.size()), std::pair(token.labelled_rows, token.labelled_entries.size())}) {
        for (const uint32_t row : rows) rows_.add_some(row, contenders_, h, scores_.data());
        for (size_t i = 0; i < count; ++i) table_.rows().add_some(*entry_rows++, contenders_, h, scores_.data());
    }
    uint32_t y = 0;
    for (const uint16_t contender : contenders_) {
        for (; y < contender; ++y) scores_[y] = -std::numeric_limits<float>::infinity();
        ++y;
    }
    for (; y < labels_; ++y) scores_[y] = -std::numeric_limits<float>::infinity();
}

}  // namespace tagpool
