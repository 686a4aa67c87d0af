// Arrays and texts of an OnlineModel (model.hpp) from the result of training.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tensors.hpp"
#include "features/program.hpp"
#include "online/induced.hpp"

namespace tagpool {

// Result of training.
struct OnlineTrained {
    std::vector<std::string> labels;
    Induced induced;
    std::vector<uint64_t> keys, history_keys;  // hashes of the features; empty: features are known by number
    std::optional<Program> program, history;
    std::vector<uint8_t> forbidden = {};  // edges, as Trained has them
};

// Creates an index of features, one of conjunctions, the bits of F, and weights in blocks.
Tensors make_tensors(OnlineTrained trained);

}  // namespace tagpool
