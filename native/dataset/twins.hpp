// Twins: features that occur at exactly the same tokens with the same values. Under an l2 penalty (and under none) they have the same
// weight at every step from zero on, so they can be trained as one: c of them as one feature of value sqrt(c) v, whose weight is sqrt(c)
// times theirs. Scores, penalty and gradient steps are the same; on real corpora more than half of all features have a twin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/encoding.hpp"

namespace tagpool {

class Twins {
public:
    // Nobody has a twin.
    Twins() = default;
    // Finds them, unless that spares too few occurrences to be worth it.
    Twins(const Encoding& encoding, uint32_t features);

    bool empty() const { return first_.empty(); }
    // The one that is trained for all of them.
    uint32_t first(uint32_t feature) const { return first_.empty() ? feature : first_[feature]; }
    // sqrt(c).
    float factor(uint32_t feature) const { return factors_.empty() ? 1.0f : factors_[feature]; }

private:
    std::vector<uint32_t> first_;
    std::vector<float> factors_;
};

}  // namespace tagpool
