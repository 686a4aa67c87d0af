// RowMasks: bits of the free weights of dense rows. Where only observed cells have weights, the others in a row stay zero.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

class RowMasks {
public:
    explicit RowMasks(const TrainingSet& set) : width_(set.stride() / 8) {
        if (set.all_cells()) return;
        bits_.assign((set.transitions_begin() + 7) / 8, 0);
        set.layout(false).each([&](size_t, size_t place, float) { bits_[place / 8] = static_cast<uint8_t>(bits_[place / 8] | 1u << place % 8); });
    }

    // One bit for each label, stride / 8 bytes for each row; null if all are free.
    const uint8_t* data() const { return bits_.empty() ? nullptr : bits_.data(); }
    bool is_free(size_t row, size_t label) const { return bits_.empty() || (bits_[row * width_ + label / 8] >> label % 8 & 1); }

private:
    size_t width_;
    std::vector<uint8_t> bits_;
};

}  // namespace tagpool
