// Induced: learned weights of single features, features with previous labels, and conjunctions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/label_history.hpp"

namespace tagpool {

struct Induced {
    uint32_t labels = 0;
    uint32_t features = 0;  // number in the encoding
    uint32_t slots = 0;     // hash table size for conjunctions

    // Features of the encoding that have weights or are part of a conjunction.
    std::vector<uint32_t> numbers;
    // Features with previous labels: the feature of the history encoding, and [width()] labels, padded with zeros.
    std::vector<uint32_t> history_features;
    std::vector<uint16_t> history_labels;
    LabelHistory history;
    // Hashes of both, single features first; 0: not part of a conjunction.
    std::vector<uint32_t> hashes;
    // Conjunctions in order of creation: the slot, and the first two features that were joined there. A feature with previous labels has the
    // number `features` + its index.
    std::vector<uint32_t> conjunction_slots, conjunction_first, conjunction_second;
    // Nonzero weights of single features, features with labels, conjunctions; feature i has those from begins[i] to begins[i + 1] - 1.
    std::vector<uint64_t> begins;
    std::vector<uint16_t> weight_labels;
    std::vector<float> weights;

    size_t width() const { return history.width(); }
};

}  // namespace tagpool
