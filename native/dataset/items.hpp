// Items: what each token is scored with: rows of weights, and single weights, each with its label.
#pragma once
#include <cstdint>

#include "base/buffer.hpp"

namespace tagpool {

// A weight at a place, and the score it adds to, counted from the first of its sentence: token * stride + label.
struct Single {
    uint32_t place, to;
};

// The same in half the memory: the score in the lowest bits, the place above them.
struct PackedSingles {
    Buffer<uint32_t> numbers;
    unsigned score_bits = 0;

    size_t size() const { return numbers.size(); }
    Single operator[](size_t i) const { return {numbers[i] >> score_bits, numbers[i] & ((uint32_t{1} << score_bits) - 1)}; }
};

struct Items {
    Buffer<uint64_t> row_starts, single_starts;  // one more than tokens
    Buffer<uint32_t> rows;                       // numbers of dense rows: places divided by the stride
    Buffer<Single> singles;
    PackedSingles packed;                        // in their stead, in lean sets (TrainingOptions)
    Buffer<float> row_values, single_values;     // empty: all 1
};

}  // namespace tagpool
