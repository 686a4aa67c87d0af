// Twins: features that occur at exactly the same tokens with the same values. Without an l1 penalty they have equal weights at every step
// from zero on. So c twins are trained as one feature of value sqrt(c) v, whose weight is sqrt(c) times theirs. Scores, penalty and
// gradient steps do not change. On real corpora more than half of all features have a twin.
#pragma once
#include <cstdint>
#include <vector>

#include "dataset/observations.hpp"

namespace tagpool {

class Twins {
public:
    // No feature has a twin.
    Twins() = default;
    // Finds twins by their marks; stays empty if that saves too few occurrences.
    explicit Twins(const Observations& seen);

    bool empty() const { return first_.empty(); }
    // The twin that is trained for all of them.
    uint32_t first(uint32_t feature) const { return first_.empty() ? feature : first_[feature]; }
    // sqrt(c).
    float factor(uint32_t feature) const { return factors_.empty() ? 1.0f : factors_[feature]; }

private:
    std::vector<uint32_t> first_;
    std::vector<float> factors_;
};

}  // namespace tagpool
