// Induced: what the online learner has learned, as plain numbers: weights of single features, of features with previous labels, and of pairs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/label_history.hpp"

namespace tagpool {

struct Induced {
    uint32_t labels = 0;
    uint32_t features = 0;  // of the encoding
    uint32_t slots = 0;     // of F

    // Features of the encoding that have weights or are part of a pair.
    std::vector<uint32_t> numbers;
    // Features with previous labels: the feature of the history encoding, and its labels (`width` numbers each, padded with zeros).
    std::vector<uint32_t> history_features;
    std::vector<uint16_t> history_labels;
    LabelHistory history;
    // The hashes of all of these, single ones first; 0 for those that no pair has.
    std::vector<uint32_t> hashes;
    // Pairs by the order in which they joined F: the slot, and the two features that joined first there. A feature with previous labels is
    // known as `features` plus its number among those.
    std::vector<uint32_t> pair_slots, pair_first, pair_second;
    // Weights that are not zero: of single features, of those with labels, of pairs; feature i has those from begins[i] to begins[i + 1].
    std::vector<uint64_t> begins;
    std::vector<uint16_t> weight_labels;
    std::vector<float> weights;

    size_t width() const { return history.width(); }
};

}  // namespace tagpool
