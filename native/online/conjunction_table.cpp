#include "online/conjunction_table.hpp"

namespace tagpool {

ConjunctionTable::ConjunctionTable(size_t labels, AdaGrad update)
    : rows_(labels, update), sketched_(labels <= kMostLabels), entries_(0), weights_(rows_.stride()) {
    allocate(kInitialBuckets);
}

// The table is at most half full, so that one more entry per eight buckets is enough for lists. The last entry is empty_entry().
void ConjunctionTable::allocate(size_t buckets) {
    entries_ = OnlineSketches(sketched_ ? rows_.stride() : 0, sizeof(Head));
    entries_.append(buckets + buckets / 8 + 1);
    mask_ = last_ = buckets - 1;
}

// Adds an entry for a new slot.
size_t ConjunctionTable::link(uint32_t slot) {
    size_t entry = slot & mask_;
    if (head(entry).key) {
        if (last_ + 2 == entries_.size()) entries_.append(entries_.size() / 8);
        Head first = head(entry);
        set_head(++last_, {0, ConjunctionRows::kNone, first.next});
        first.next = static_cast<uint32_t>(last_);
        set_head(entry, first);
        entry = last_;
    }
    set_head(entry, {slot + 1, ConjunctionRows::kNone, head(entry).next});
    return entry;
}

bool ConjunctionTable::insert(uint32_t slot) {
    if (find(slot) != kNone) return false;
    if (++count_ * 2 > mask_ + 1) grow();
    link(slot);
    return true;
}

void ConjunctionTable::grow() {
    const OnlineSketches before = std::move(entries_);
    allocate((mask_ + 1) * 2);
    for (size_t number = 0; number < before.size(); ++number) {
        Head old;
        std::memcpy(&old, before.head(number), sizeof(old));
        if (!old.key) continue;
        const size_t entry = link(old.key - 1);
        old.next = head(entry).next;
        std::memcpy(entries_.head(entry), before.head(number), before.bytes());
        set_head(entry, old);
    }
}

// Branch-free in the common case: whether a slot has an entry is unpredictable, and an entry is usually in its bucket.
void ConjunctionTable::append_entries(std::span<const uint32_t> slots, Buffer<uint32_t>& entries, std::vector<Displaced>& displaced) const {
    entries.reserve_more(slots.size() + 1);
    uint32_t* const begin = entries.data() + entries.size();
    uint32_t* end = begin;
    for (const uint32_t slot : slots) {
        const auto entry = static_cast<uint32_t>(slot & mask_);
        const Head at = head(entry);
        const bool is_here = at.key == slot + 1;
        if (!is_here && at.next) [[unlikely]] {
            entries_.prefetch(at.next);
            displaced.push_back({slot, static_cast<uint32_t>(end - entries.data()), at.next});
        }
        *end = entry;
        end += is_here || at.next;
    }
    entries.extend_written(static_cast<size_t>(end - begin));
}

float ConjunctionTable::estimate(std::span<const uint32_t> entries, float threshold, float* scores) const {
    if (!sketched_) {
        for (const uint32_t entry : entries) rows_.add<false>(row(entry), 1, threshold, scores);
        return 0;
    }
    const float scales = entries_.add(entries.data(), entries.size(), scores);
    return scales / 2 + static_cast<float>(entries.size()) * rows_.largest_step() * (threshold - sketch_threshold_);
}

void ConjunctionTable::refresh_sketches(float threshold, size_t examples) {
    constexpr float kTolerable = 5e-4f;  // error of a weight; tokens have tens of weights, and the margin is 1
    if (!sketched_ || rows_.largest_step() * (threshold - sketch_threshold_) < kTolerable || examples < sketched_at_ + count_) return;
    for (size_t entry = 0; entry < entries_.size(); ++entry)
        if (head(entry).row != ConjunctionRows::kNone) sketch(entry, threshold);
    sketch_threshold_ = threshold;
    sketched_at_ = examples;
}

void ConjunctionTable::sketch(size_t entry, float threshold) {
    rows_.fill(head(entry).row, threshold, weights_.data());
    entries_.make(entry, weights_.data());
}

void ConjunctionTable::learn(uint32_t entry, uint16_t right, uint16_t wrong, float gradient, float threshold) {
    Head now = head(entry);
    const auto [of_right, of_wrong] = rows_.learn(now.row, right, wrong, gradient, threshold);
    set_head(entry, now);
    if (sketched_ && !(entries_.set(entry, right, of_right) && entries_.set(entry, wrong, of_wrong))) sketch(entry, threshold);
}

void ConjunctionTable::start(uint32_t entry, uint16_t label, float weight) {
    Head now = head(entry);
    rows_.start(now.row, label, weight);
    set_head(entry, now);
    if (sketched_) sketch(entry, 0);
}

void ConjunctionTable::sum_up(float threshold) {
    for (size_t entry = 0; entry < entries_.size(); ++entry)
        if (const uint32_t row = head(entry).row; row != ConjunctionRows::kNone) rows_.sum_up(row, threshold);
}

}  // namespace tagpool
