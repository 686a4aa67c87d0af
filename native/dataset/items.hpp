// Items: the weights of each token: rows of all labels, and single weights of one label each.
#pragma once
#include <cstdint>

#include "base/buffer.hpp"

namespace tagpool {

// A weight, and the score it adds to within the sentence: token * stride + label.
struct Single {
    uint32_t place, to;
};

// Singles in half the memory: the score in the lowest bits, the place above them.
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
    PackedSingles packed;                     // instead of singles, in lean sets (TrainingOptions)
    Buffer<float> row_values, single_values;  // empty: all 1
};

}  // namespace tagpool
