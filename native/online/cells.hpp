// OnlineCells: the weights of pairs in F (online_pairs.hpp), found by slot.
//
// Of a token some fifty pairs are in F, and most tokens need no more of them than sketches. So a cell of the table has all that is read then: the
// slot, a sketch (online_sketches.hpp) of the pair's weights, and where the row of these is (online_rows.hpp). Up to 48 labels fit a cache line, which
// can be asked for as soon as the slot is known. With very many labels there are no sketches, and the rows themselves are read.
//
// A slot has a place in the table; where two have the same the second one's cell is behind all places, and the first leads to it.
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

class OnlineCells {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    OnlineCells(size_t labels, AdaGrad update);

    // Makes a cell for a slot; false if there is one. Cells may move.
    bool insert(uint32_t slot);
    // The cell of a slot.
    uint32_t find(uint32_t slot) const { return found_from(slot & mask_, slot); }
    [[gnu::always_inline]] void prefetch(std::span<const uint32_t> slots) const {
        for (const uint32_t slot : slots) cells_.prefetch(slot & mask_);
    }
    // Slots that share a place of the table: the cell of one is there, those of others are asked for, and put into a list when they have arrived.
    struct Displaced {
        uint32_t slot, place, next;
    };
    // Appends the cells of those slots that have one; `settle` has to follow before they are used. A slot may then be found to have none: it gets
    // nowhere(), a cell without weights.
    void append_found(std::span<const uint32_t> slots, Buffer<uint32_t>& cells, std::vector<Displaced>& displaced) const;
    void settle(std::span<const Displaced> displaced, Buffer<uint32_t>& cells) const {
        for (const auto& [slot, place, next] : displaced) {
            const uint32_t cell = found_from(next, slot);
            cells[place] = cell == kNone ? nowhere() : cell;
        }
    }
    uint32_t nowhere() const { return static_cast<uint32_t>(cells_.size() - 1); }

    // Adds to scores what the sketches of cells have. Returns how far a score may be from the exact one.
    float estimate(std::span<const uint32_t> cells, float threshold, float* scores) const;
    // Makes all sketches anew, when the threshold has risen so far that they say little; to be asked now and then.
    void refresh_sketches(float threshold, size_t examples);

    uint32_t row(uint32_t cell) const { return head(cell).row; }
    const PairRows& rows() const { return rows_; }
    [[gnu::always_inline]] void prefetch_for_update(uint32_t cell, uint16_t one, uint16_t other) const { rows_.prefetch_for_update(row(cell), one, other); }
    [[gnu::always_inline]] void prefetch_cell(uint32_t cell) const { cells_.prefetch(cell); }
    void learn(uint32_t cell, uint16_t right, uint16_t wrong, float gradient, float threshold);
    void start(uint32_t cell, uint16_t label, float weight);
    void sum_up(float threshold);

private:
    struct Head {
        uint32_t key, row, next;  // the slot plus one, 0 where there is none; another cell whose slot has the same place, or 0
    };
    static constexpr size_t kMostSketched = 240, kFirst = 1024;  // labels; places to begin with

    Head head(size_t cell) const {
        Head head;
        std::memcpy(&head, cells_.head(cell), sizeof(head));
        return head;
    }
    void set_head(size_t cell, Head head) { std::memcpy(cells_.head(cell), &head, sizeof(head)); }
    uint32_t found_from(size_t cell, uint32_t slot) const {
        for (;;) {
            const Head at = head(cell);
            if (at.key == slot + 1) return static_cast<uint32_t>(cell);
            if (at.next == 0) return kNone;
            cell = at.next;
        }
    }
    size_t link(uint32_t slot);
    void make_cells(size_t places);
    void grow();
    void sketch(size_t cell, float threshold);

    PairRows rows_;
    bool sketched_;
    OnlineSketches cells_;
    size_t mask_ = 0, last_ = 0, count_ = 0;  // the last cell in use outside of the places
    std::vector<float> weights_;  // of a row of which a sketch is made
    float sketch_threshold_ = 0;  // the least that a sketch was made with
    size_t sketched_at_ = 0;      // after how many examples all were
};

}  // namespace tagpool
