// Trained parameters, and their layout as the arrays of a model.
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

// Result of training.
struct Trained {
    std::vector<std::string> labels;
    std::vector<uint64_t> keys;                // of the features; empty if numbered
    uint32_t features = 0;
    // Feature and label of each weight, sorted; both empty: all labels of all features, in order.
    std::vector<uint32_t> pair_features;
    std::vector<uint16_t> pair_labels;
    std::vector<float> weights;
    bool has_all_pairs() const { return pair_features.empty() && pair_labels.empty() && !weights.empty(); }
    std::vector<float> edges;                  // transitions, start, end; empty: tokens are independent
    std::optional<Program> program;            // none: features are given, or already encoded
    TrainedArcs arcs;                          // transition features
    bool numbered = false;                     // features are encoded and known by number
};

// The arrays and texts of a model, as a model file has them.
Tensors laid_out(Trained trained);

}  // namespace tagpool
