// Blocks: where the weights of a model's features lie. First come rows, with a weight for every label; then blocks of 1, 2, 3 and 4 weights,
// whose labels stand beside them. A block is known by its place, where it begins, and its length follows from that; so features whose
// weights are the same (most of those that always occur together) share a block.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

struct Blocks {
    static constexpr uint32_t kMostPairs = 4;  // more labels than that are kept as a row: such features are frequent, and a row is fast

    uint32_t labels = 0;
    std::array<uint32_t, kMostPairs + 1> ends{};  // of the rows, of the blocks of 1 weight, of 2, ...; the last is the number of weights

    uint32_t rows_end() const { return ends[0]; }
    uint32_t size() const { return ends[kMostPairs]; }
    bool is_row(uint32_t place) const { return place < ends[0]; }
    uint32_t length(uint32_t place) const {
        if (is_row(place)) return labels;
        return 1u + (place >= ends[1]) + (place >= ends[2]) + (place >= ends[3]);
    }
    // Whether a block at this place would lie where blocks of its length do.
    bool holds(uint32_t place) const {
        if (place >= size()) return false;
        const uint32_t count = length(place);
        return ends[is_row(place) ? 0 : count] - place >= count;
    }
};

// What goes into blocks: the weights of features, feature by feature.
struct BlockWeights {
    Blocks blocks;
    std::vector<uint32_t> places;         // by feature; kNowhere for those without weights
    std::vector<float> weights;
    std::vector<uint16_t> pair_labels;    // of the weights behind the rows
    static constexpr uint32_t kNowhere = UINT32_MAX;
};

// Feature k has the weights from begins[k] to begins[k + 1]; `labels_of` are their labels, null where each feature has all of them. Zeros are
// left out where they can be. With `shared`, equal weights are kept once.
BlockWeights make_blocks(size_t labels, const std::vector<uint64_t>& begins, const uint16_t* labels_of, std::vector<float> weights, bool shared);

}  // namespace tagpool
