// From what training found to the arrays of a model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transition_weights.hpp"
#include "features/program.hpp"
#include "base/tensors.hpp"

namespace tagpool {

// What training found.
struct Trained {
    std::vector<std::string> labels;
    std::vector<uint64_t> keys;                // of the features; empty with a hash size
    uint32_t features = 0;
    // Weights by feature, ascending, and label; both empty: all pairs, feature by feature.
    std::vector<uint32_t> pair_features;
    std::vector<uint16_t> pair_labels;
    std::vector<float> weights;
    bool has_all_pairs() const { return pair_features.empty() && pair_labels.empty() && !weights.empty(); }
    std::vector<float> edges;                  // transitions, start, end; empty: tokens stand alone
    std::optional<Program> program;            // none: features are given, or encoded already
    TrainedArcs arcs;                          // transition features
    uint32_t hash_size = 0;                    // not 0: features are known by their remainders (or, encoded already, by their numbers)
};

// The arrays and texts of a model, as a model file has them.
Tensors laid_out(Trained trained);

}  // namespace tagpool
