// RowMasks: which weights of the dense rows are free. Where only observed pairs have weights, the rest of a row stays zero for ever.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

class RowMasks {
public:
    explicit RowMasks(const TrainingSet& set) : width_(set.stride() / 8) {
        if (set.all_pairs()) return;
        bits_.assign((set.transitions_begin() + 7) / 8, 0);
        set.places().each(set.pair_count(), [&](size_t, size_t place, float) {
            bits_[place / 8] = static_cast<uint8_t>(bits_[place / 8] | 1u << place % 8);
        });
    }

    // A bit a label, stride / 8 bytes a row; null if all are free.
    const uint8_t* data() const { return bits_.empty() ? nullptr : bits_.data(); }
    bool is_free(size_t row, size_t label) const { return bits_.empty() || (bits_[row * width_ + label / 8] >> label % 8 & 1); }

private:
    size_t width_;
    std::vector<uint8_t> bits_;
};

}  // namespace tagpool
