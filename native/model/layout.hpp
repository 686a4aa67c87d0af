// Trained parameters, and their layout as the arrays of a model.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/tensors.hpp"
#include "features/program.hpp"
#include "model/transition_weights.hpp"

namespace tagpool {

// Result of training.
struct Trained {
    std::vector<std::string> labels = {};
    std::vector<uint64_t> keys = {};  // of the features; empty if numbered
    uint32_t features = 0;
    // Feature and label of each weight, sorted; both empty: all labels of all features, in order.
    std::vector<uint32_t> cell_features = {};
    std::vector<uint16_t> cell_labels = {};
    std::vector<float> weights = {};
    std::vector<float> edges = {};        // transitions, start, end; empty: tokens are independent
    std::vector<uint8_t> forbidden = {};  // 1 for a forbidden edge; empty: none
    std::optional<Program> program = {};  // none: features are given, or already encoded
    TransitionWeights transition_weights = {};
    bool numbered = false;  // features are encoded and known by number

    bool has_all_cells() const { return cell_features.empty() && cell_labels.empty() && !weights.empty(); }
};

// The arrays and texts of a model, as a model file has them.
Tensors to_tensors(Trained trained);

}  // namespace tagpool
