// Items: what each token is scored with: rows of weights, and single weights, each with its label.
#pragma once
#include <cstdint>

#include "buffer.hpp"

namespace tagpool {

// A weight at a place, and the score it adds to, counted from the first of its sentence: token * stride + label.
struct Single {
    uint32_t place, score;
};

struct Items {
    Buffer<uint64_t> row_starts, single_starts;  // one more than tokens
    Buffer<uint32_t> rows;                       // numbers of dense rows: places divided by the stride
    Buffer<Single> singles;
    Buffer<float> row_values, single_values;     // empty: all 1
};

}  // namespace tagpool
