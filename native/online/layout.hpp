// From what an online learner has found to the arrays and texts of a model (online_model.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "online/induced.hpp"
#include "features/program.hpp"
#include "base/tensors.hpp"

namespace tagpool {

// What training found.
struct OnlineTrained {
    std::vector<std::string> labels;
    Induced induced;
    std::vector<uint64_t> keys, history_keys;  // of the features of the encodings; none: they are known by number
    uint32_t hash_size = 0;
    std::optional<Program> program, history;
};

// The arrays: an index of features, one of pairs, the bits of F, and weights in blocks.
Tensors laid_out(OnlineTrained trained);

}  // namespace tagpool
