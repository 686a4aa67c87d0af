// TrainingOptions: which weights a training set has, and how it stores them.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tagpool {

// Transition cells (feature, bigram).
struct TransitionCells {
    std::vector<uint32_t> features;
    std::vector<uint32_t> bigrams;  // b * labels + c
};

// Weights that exist besides the observed ones.
struct KnownWeights {
    std::vector<std::pair<uint32_t, uint16_t>> cells = {};  // (feature, label)
    TransitionCells transition_cells = {};
    bool observe = true;                                    // false: only known cells have weights
    std::optional<std::vector<uint32_t>> transitions = {};  // the only transitions with weights (from * labels + to)
};

struct TrainingOptions {
    uint32_t labels = 0;
    bool all_cells = true;        // else only cells (feature, label) that occur
    uint32_t all_from = 0;        // without all_cells: occurrences from which on a feature has all cells (0: none has)
    uint32_t dense_from = 5;      // observed labels that make a feature dense (with all_cells every feature is); with `bundle` and
                                  // short rows 3
    bool boundaries = true;       // weights for the first and the last label of a sentence
    bool all_transitions = true;  // else only transitions that occur; the others have the weight 0
    bool merge_twins = false;     // train features that always occur together as one (twins.hpp)
    bool lean = false;            // for the Objective: less memory. Weights of twins are scaled instead of values, single weights are packed
                                  // if possible, and with bundles there are no items
    bool bundle = false;          // for batch trainers (bundles.hpp)
    uint32_t row_unit = 8;        // rows are padded to a multiple of this: whole vectors of the kernels that use the set
    KnownWeights known = {};
};

}  // namespace tagpool
