// ConjunctionTable: hash table of the weights of conjunctions, by slot (conjunctions.hpp).
//
// A token has about fifty conjunctions, and most tokens need only their sketches. An entry of the table therefore has the slot, a sketch
// (sketches.hpp) and the number of the row of weights (rows.hpp). With up to 48 labels it fits a cache line, which is prefetched as soon as
// the slot is known. With more than 240 labels there are no sketches, and the rows are read.
//
// Slots that share a bucket form a list: the first entry is in the bucket, the others follow all buckets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "online/rows.hpp"
#include "online/sketches.hpp"

namespace tagpool {

class ConjunctionTable {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    ConjunctionTable(size_t labels, AdaGrad update);

    // Adds an entry for a slot; false if it has one. Entries may move.
    bool insert(uint32_t slot);
    // Entry of a slot; kNone if it has none.
    uint32_t find(uint32_t slot) const { return find_from(slot & mask_, slot); }
    [[gnu::always_inline]] void prefetch(std::span<const uint32_t> slots) const {
        for (const uint32_t slot : slots) entries_.prefetch(slot & mask_);
    }
    // Slot whose entry, if it has one, follows another entry in its list. It was prefetched, and `place` in the output is filled in later.
    struct Displaced {
        uint32_t slot, place, next;
    };
    // Appends the entries of the slots that have one. `resolve` must follow before they are used; a displaced slot that has no entry then gets
    // empty_entry(), which has no weights.
    void append_entries(std::span<const uint32_t> slots, Buffer<uint32_t>& entries, std::vector<Displaced>& displaced) const;
    void resolve(std::span<const Displaced> displaced, Buffer<uint32_t>& entries) const {
        for (const auto& [slot, place, next] : displaced) {
            const uint32_t entry = find_from(next, slot);
            entries[place] = entry == kNone ? empty_entry() : entry;
        }
    }
    uint32_t empty_entry() const { return static_cast<uint32_t>(entries_.size() - 1); }

    // Adds the sketches of entries to scores. Returns a bound of the error of a score.
    float estimate(std::span<const uint32_t> entries, float threshold, float* scores) const;
    // Renews all sketches if the threshold has risen so far that they are inaccurate.
    void refresh_sketches(float threshold, size_t examples);

    uint32_t row(uint32_t entry) const { return head(entry).row; }
    const ConjunctionRows& rows() const { return rows_; }
    [[gnu::always_inline]] void prefetch_for_update(uint32_t entry, uint16_t one, uint16_t other) const {
        rows_.prefetch_for_update(row(entry), one, other);
    }
    [[gnu::always_inline]] void prefetch_entry(uint32_t entry) const { entries_.prefetch(entry); }
    void learn(uint32_t entry, uint16_t right, uint16_t wrong, float gradient, float threshold);
    void start(uint32_t entry, uint16_t label, float weight);
    void sum_up(float threshold);
    // Sets the row of an entry to the next one of a state (state.cpp).
    void read_row(uint32_t entry, ConjunctionRows::State& state, float threshold);
    void set_sketches_at(float largest_step, float threshold, size_t examples);

private:
    struct Head {
        uint32_t key, row, next;  // slot + 1, 0: unused; row of weights; next entry of the list, or 0
    };
    static constexpr size_t kMostLabels = 240, kInitialBuckets = 1024;

    Head head(size_t entry) const {
        Head head;
        std::memcpy(&head, entries_.head(entry), sizeof(head));
        return head;
    }
    void set_head(size_t entry, Head head) { std::memcpy(entries_.head(entry), &head, sizeof(head)); }
    uint32_t find_from(size_t entry, uint32_t slot) const {
        for (;;) {
            const Head at = head(entry);
            if (at.key == slot + 1) return static_cast<uint32_t>(entry);
            if (at.next == 0) return kNone;
            entry = at.next;
        }
    }
    size_t link(uint32_t slot);
    void allocate(size_t buckets);
    void grow();
    void sketch(size_t entry, float threshold);

    ConjunctionRows rows_;
    bool sketched_;
    OnlineSketches entries_;
    size_t mask_ = 0, last_ = 0, count_ = 0;  // last entry in use after the buckets
    std::vector<float> weights_;              // scratch: a row
    float sketch_threshold_ = 0;              // threshold of the oldest sketch
    size_t sketched_at_ = 0;                  // examples at the last renewal
};

}  // namespace tagpool
