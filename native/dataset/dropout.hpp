// Dropout: features are left out at random during training. The others count 1 / (1 - rate) times, so that the expected score stays.
//
// Either every occurrence of a feature is dropped independently, or a group of features (of a template, of a bag) is dropped in a whole
// sentence. The choice is a hash of the seed, the number of sentences seen, and token and feature (or group). It does not depend on the
// thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/mix_bits.hpp"
#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class Dropout {
public:
    static constexpr uint16_t kAlways = UINT16_MAX;  // the group of features that are never left out

    // Leaves nothing out.
    Dropout() = default;
    // `groups` has one number for each feature; empty: occurrences are independent. Every feature must be dense.
    Dropout(const TrainingSet& set, double rate, uint64_t seed, const std::vector<uint16_t>& groups);

    bool empty() const { return rate_ == 0; }

    // The rows of several lists that are not dropped.
    struct Rows {
        std::vector<Shards::Item> items;
        std::vector<float> values;
        std::vector<size_t> starts = {0};

        void clear();
        Shards::List list(size_t number) const;
    };
    // Appends the rows of a shard that are not dropped. `visit` counts the sentences seen.
    void select(const Shards::List& rows, uint64_t visit, Rows& out) const;

private:
    uint64_t hash(uint64_t visit, uint64_t item) const;

    double rate_ = 0;
    uint64_t seed_ = 0, below_ = 0;  // a feature is dropped if its hash is smaller
    float scale_ = 1;
    std::vector<uint16_t> group_of_row_;
};

}  // namespace tagpool
