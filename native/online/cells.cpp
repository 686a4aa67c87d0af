#include "online/cells.hpp"

namespace tagpool {

OnlineCells::OnlineCells(size_t labels, AdaGrad update)
    : rows_(labels, update), sketched_(labels <= kMostSketched), cells_(0), weights_(rows_.stride()) {
    make_cells(kFirst);
}

// The table is half full at most: an eighth of the places are enough for slots that have none of their own. One more cell is nowhere().
void OnlineCells::make_cells(size_t places) {
    cells_ = OnlineSketches(sketched_ ? rows_.stride() : 0, sizeof(Head));
    cells_.append(places + places / 8 + 1);
    mask_ = last_ = places - 1;
}

// A cell for a slot that has none.
size_t OnlineCells::link(uint32_t slot) {
    size_t cell = slot & mask_;
    if (head(cell).key) {
        if (last_ + 2 == cells_.size()) cells_.append(cells_.size() / 8);
        Head first = head(cell);
        set_head(++last_, {0, PairRows::kNone, first.next});
        first.next = static_cast<uint32_t>(last_);
        set_head(cell, first);
        cell = last_;
    }
    set_head(cell, {slot + 1, PairRows::kNone, head(cell).next});
    return cell;
}

bool OnlineCells::insert(uint32_t slot) {
    if (find(slot) != kNone) return false;
    if (++count_ * 2 > mask_ + 1) grow();
    link(slot);
    return true;
}

void OnlineCells::grow() {
    const OnlineSketches before = std::move(cells_);
    make_cells((mask_ + 1) * 2);
    for (size_t number = 0; number < before.size(); ++number) {
        Head old;
        std::memcpy(&old, before.head(number), sizeof(old));
        if (!old.key) continue;
        const size_t cell = link(old.key - 1);
        old.next = head(cell).next;
        std::memcpy(cells_.head(cell), before.head(number), before.bytes());
        set_head(cell, old);
    }
}

// Whether a slot is in F cannot be foreseen, and mostly its cell is the first one looked at: nothing branches then.
void OnlineCells::append_found(std::span<const uint32_t> slots, Buffer<uint32_t>& cells, std::vector<Displaced>& displaced) const {
    cells.reserve_more(slots.size() + 1);
    uint32_t* const begin = cells.data() + cells.size();
    uint32_t* end = begin;
    for (const uint32_t slot : slots) {
        const auto cell = static_cast<uint32_t>(slot & mask_);
        const Head at = head(cell);
        const bool is_here = at.key == slot + 1;
        if (!is_here && at.next) [[unlikely]] {
            cells_.prefetch(at.next);
            displaced.push_back({slot, static_cast<uint32_t>(end - cells.data()), at.next});
        }
        *end = cell;
        end += is_here || at.next;
    }
    cells.extend_written(static_cast<size_t>(end - begin));
}

float OnlineCells::estimate(std::span<const uint32_t> cells, float threshold, float* scores) const {
    if (!sketched_) {
        for (const uint32_t cell : cells) rows_.add<false>(row(cell), 1, threshold, scores);
        return 0;
    }
    const float scales = cells_.add(cells.data(), cells.size(), scores);
    return scales / 2 + static_cast<float>(cells.size()) * rows_.longest_step() * (threshold - sketch_threshold_);
}

void OnlineCells::refresh_sketches(float threshold, size_t examples) {
    constexpr float kTolerable = 5e-4f;  // of a weight: tokens have tens of them, and what is asked for is a lead of 1
    if (!sketched_ || rows_.longest_step() * (threshold - sketch_threshold_) < kTolerable || examples < sketched_at_ + count_) return;
    for (size_t cell = 0; cell < cells_.size(); ++cell)
        if (head(cell).row != PairRows::kNone) sketch(cell, threshold);
    sketch_threshold_ = threshold;
    sketched_at_ = examples;
}

void OnlineCells::sketch(size_t cell, float threshold) {
    rows_.fill(head(cell).row, threshold, weights_.data());
    cells_.make(cell, weights_.data());
}

void OnlineCells::learn(uint32_t cell, uint16_t right, uint16_t wrong, float gradient, float threshold) {
    Head now = head(cell);
    const auto [of_right, of_wrong] = rows_.learn(now.row, right, wrong, gradient, threshold);
    set_head(cell, now);
    if (sketched_ && !(cells_.set(cell, right, of_right) && cells_.set(cell, wrong, of_wrong))) sketch(cell, threshold);
}

void OnlineCells::start(uint32_t cell, uint16_t label, float weight) {
    Head now = head(cell);
    rows_.start(now.row, label, weight);
    set_head(cell, now);
    if (sketched_) sketch(cell, 0);
}

void OnlineCells::sum_up(float threshold) {
    for (size_t cell = 0; cell < cells_.size(); ++cell)
        if (const uint32_t row = head(cell).row; row != PairRows::kNone) rows_.sum_up(row, threshold);
}

}  // namespace tagpool
