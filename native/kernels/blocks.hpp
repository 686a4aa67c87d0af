// Blocks: the layout of a model's weights. First come rows, with a weight for every label, then blocks of 1, 2, 3 and 4 weights with their
// labels. The place of a block, its first weight, determines its length. Features with equal weights (most features that always occur
// together) share a block.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

struct Blocks {
    static constexpr uint32_t kMaxCells = 4;  // features with more labels have a row: they are frequent, and rows are fast

    uint32_t labels = 0;
    std::array<uint32_t, kMaxCells + 1> ends{};  // ends of the rows, of the blocks of 1 weight, of 2, ...; the last is the number of weights

    uint32_t rows_end() const { return ends[0]; }
    uint32_t size() const { return ends[kMaxCells]; }
    bool is_row(uint32_t place) const { return place < ends[0]; }
    uint32_t length(uint32_t place) const {
        if (is_row(place)) return labels;
        return 1u + (place >= ends[1]) + (place >= ends[2]) + (place >= ends[3]);
    }
    // Whether a block at this place is inside the range of its length.
    bool holds(uint32_t place) const {
        if (place >= size()) return false;
        const uint32_t count = length(place);
        return ends[is_row(place) ? 0 : count] - place >= count;
    }
    // Whether every number below `base`, UINT32_MAX, or `base` + the place of a block.
    bool hold_all(const uint32_t* numbers, size_t count, uint32_t base = 0) const;
};

// Weights in blocks.
struct BlockWeights {
    Blocks blocks;
    std::vector<uint32_t> places;  // by feature; kNowhere: it has no weights
    std::vector<float> weights;
    std::vector<uint16_t> cell_labels;  // of the weights after the rows
    static constexpr uint32_t kNowhere = UINT32_MAX;
};

// Feature k has the weights [begins[k], begins[k + 1]) with the labels `labels_of`; null: every feature has all labels. Zeros are dropped if
// possible. With `shared`, equal weights are stored once.
BlockWeights make_blocks(size_t labels, const std::vector<uint64_t>& begins, const uint16_t* labels_of, std::vector<float> weights, bool shared);

}  // namespace tagpool
