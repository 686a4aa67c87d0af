// Dropout: features left out at random while a model is trained, so that it learns to do without them. What is kept counts 1 / (1 - rate)
// times: the expected score is the same.
//
// Either every occurrence of a feature is left out or kept by itself, or whole groups of features (those of a template, of a bag) are left
// out together, throughout a sentence: as it is when a clue goes missing. What is left out follows from the seed, from how many sentences
// were met before, and from token and feature (or group), so that it does not matter which thread asks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class Dropout {
public:
    static constexpr uint16_t kAlways = UINT16_MAX;  // the group of features that are never left out

    // Leaves nothing out.
    Dropout() = default;
    // `groups` has one number a feature, or is empty: every occurrence by itself. Every feature must be dense.
    Dropout(const TrainingSet& set, double rate, uint64_t seed, const std::vector<uint16_t>& groups);

    bool empty() const { return rate_ == 0; }

    // What is kept of lists of rows, one after the other.
    struct Kept {
        std::vector<Shards::Item> items;
        std::vector<float> values;
        std::vector<size_t> starts = {0};

        void clear();
        Shards::List list(size_t number) const;
    };
    // Appends what is kept of a shard's rows in the sentence that is met as the `visit`-th.
    void thin(const Shards::List& rows, uint64_t visit, Kept& kept) const;

private:
    uint64_t chance(uint64_t visit, uint64_t what) const;

    double rate_ = 0;
    uint64_t seed_ = 0, below_ = 0;  // chances below this leave out
    float scale_ = 1;
    std::vector<uint16_t> group_of_row_;
};

}  // namespace tagpool
