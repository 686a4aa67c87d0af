// What the online learner makes of a token: whether sketches of its weights say enough, and its scores.
#include <algorithm>
#include <limits>

#include "online/learner.hpp"

namespace tagpool {

OnlineLearner::Parts OnlineLearner::parts(size_t t) const {
    const auto between = [](const Buffer<uint32_t>& all, size_t from, size_t to) { return std::span(all.data() + from, to - from); };
    Parts found;
    found.rows = between(tokens_.rows, tokens_.row_ends[t], tokens_.fixed_rows[t]);
    found.cells = between(tokens_.cells, tokens_.cell_ends[t], tokens_.fixed_cells[t]);
    if (other_history_) {
        found.labelled_rows = between(history_rows_, 0, history_rows_.size());
        found.labelled_cells = between(history_cells_, 0, history_cells_.size());
    } else {
        found.labelled_rows = between(tokens_.rows, tokens_.fixed_rows[t], tokens_.row_ends[t + 1]);
        found.labelled_cells = between(tokens_.cells, tokens_.fixed_cells[t], tokens_.cell_ends[t + 1]);
    }
    return found;
}

// Whether a token's label leads by more than 1 in any case, by what sketches of its weights say. If not, they say which labels may score most.
bool OnlineLearner::surely_right(size_t t, uint16_t gold) {
    if (!tokens_.values.empty()) return false;
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    // What a token has with the gold labels follows what it has in any case.
    const auto estimate = [&](std::span<const uint32_t> rows, std::span<const uint32_t> cells) {
        const float of_rows = rows_.estimate(rows.data(), rows.size(), h, scores_.data());
        return cells.empty() ? of_rows : of_rows + cells_.estimate(cells, h, scores_.data());
    };
    float error = 0;
    if (other_history_) {
        const Parts has = parts(t);
        error = estimate(has.rows, has.cells) + estimate(has.labelled_rows, has.labelled_cells);
    } else {
        const size_t row = tokens_.row_ends[t], cell = tokens_.cell_ends[t];
        error = estimate({tokens_.rows.data() + row, tokens_.row_ends[t + 1] - row}, {tokens_.cells.data() + cell, tokens_.cell_ends[t + 1] - cell});
    }
    constexpr float kRounding = 1e-3f, kLeast = -std::numeric_limits<float>::infinity();
    const float of_gold = scores_[gold], apart = 2.01f * error + kRounding;
    scores_[gold] = kLeast;
    std::fill(scores_.begin() + labels_, scores_.end(), kLeast);
    float most[8];
    std::fill_n(most, 8, kLeast);
    for (size_t y = 0; y < scores_.size(); y += 8)
        for (size_t k = 0; k < 8; ++k) most[k] = most[k] > scores_[y + k] ? most[k] : scores_[y + k];
    const float best = *std::max_element(most, most + 8);
    if (of_gold - best > 1 + apart) return true;
    scores_[gold] = std::numeric_limits<float>::infinity();
    for (uint32_t y = 0; y < labels_; ++y)
        if (!(scores_[y] < best - apart)) contenders_.push_back(static_cast<uint16_t>(y));
    constexpr size_t kMany = 8;
    if (contenders_.size() > kMany) contenders_.clear();
    return false;
}

// The scores of a token: of what it has in any case, then of what it has with the labels before.
void OnlineLearner::score(size_t t) {
    if (!contenders_.empty()) return score_contenders(t);
    constexpr size_t kAhead = 16;
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    const Parts has = parts(t);
    const bool valued = !tokens_.values.empty();
    const float* const values = valued ? tokens_.values.data() + tokens_.row_ends[t] : nullptr;
    const auto add = [&]<bool kValued>(const auto& from, size_t count, auto&& row) {
        for (size_t i = 0; i < std::min(kAhead, count); ++i) from.prefetch(row(i));
        for (size_t i = 0; i < count; ++i) {
            if (i + kAhead < count) from.prefetch(row(i + kAhead));
            from.template add<kValued>(row(i), kValued ? values[i] : 1, h, scores_.data());
        }
    };
    if (valued) add.operator()<true>(rows_, has.rows.size(), [&](size_t i) { return has.rows[i]; });
    else add.operator()<false>(rows_, has.rows.size(), [&](size_t i) { return has.rows[i]; });
    add.operator()<false>(cells_.rows(), has.cells.size(), [&](size_t i) { return cells_.row(has.cells[i]); });
    add.operator()<false>(rows_, has.labelled_rows.size(), [&](size_t i) { return has.labelled_rows[i]; });
    add.operator()<false>(cells_.rows(), has.labelled_cells.size(), [&](size_t i) { return cells_.row(has.labelled_cells[i]); });
}

// The same for those labels alone that may score most; summed in the same order, so that no bit differs. Others score less than anything.
void OnlineLearner::score_contenders(size_t t) {
    const float h = threshold();
    std::fill(scores_.begin(), scores_.end(), 0.0f);
    const Parts has = parts(t);
    rows_here_.clear();
    for (const auto& [rows, cells] : {std::pair(has.rows, has.cells), std::pair(has.labelled_rows, has.labelled_cells)}) {
        for (const uint32_t row : rows) rows_.prefetch_some(row, contenders_);
        const size_t from = rows_here_.size();
        for (const uint32_t cell : cells) rows_here_.push_back(cells_.row(cell));
        for (size_t i = from; i < rows_here_.size(); ++i) cells_.rows().prefetch_some(rows_here_[i], contenders_);
    }
    const uint32_t* of_cells = rows_here_.data();
    for (const auto& [rows, count] : {std::pair(has.rows, has.cells.size()), std::pair(has.labelled_rows, has.labelled_cells.size())}) {
        for (const uint32_t row : rows) rows_.add_some(row, contenders_, h, scores_.data());
        for (size_t i = 0; i < count; ++i) cells_.rows().add_some(*of_cells++, contenders_, h, scores_.data());
    }
    uint32_t y = 0;
    for (const uint16_t contender : contenders_) {
        for (; y < contender; ++y) scores_[y] = -std::numeric_limits<float>::infinity();
        ++y;
    }
    for (; y < labels_; ++y) scores_[y] = -std::numeric_limits<float>::infinity();
}

}  // namespace tagpool
