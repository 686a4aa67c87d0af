// WeightGroups: weights that occur together, and so are updated lazily together. A group is the row of a dense feature, the single weights of
// a sparse one (they are contiguous), those of a transition feature, or a row of edges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

struct WeightGroup {
    uint32_t begin, count;
    uint32_t steps_applied = 0;  // steps that have been applied
};

class WeightGroups {
public:
    WeightGroups(const TrainingSet& set, bool chain);

    size_t size() const { return groups_.size(); }
    WeightGroup& operator[](size_t number) { return groups_[number]; }
    auto begin() { return groups_.begin(); }
    auto end() { return groups_.end(); }

    // Calls visit(number) for each occurrence of a group in a sentence, without the edges.
    template <class Visit>
    void each_in(size_t sentence, Visit&& visit) const {
        const size_t first = set_.sentences_[sentence], last = set_.sentences_[sentence + 1];
        const Items& items = set_.items();
        for (uint64_t k = items.row_starts[first]; k < items.row_starts[last]; ++k) visit(group_of_row_[items.rows[k]]);
        for (uint64_t k = items.single_starts[first]; k < items.single_starts[last]; ++k) visit(group_of_single_[items.singles[k].place]);
        for (size_t token = first; chain_ && token < last; ++token)
            set_.transition_features().each_feature_at(token, [&](uint32_t feature, float) { visit(static_cast<uint32_t>(history_) + feature); });
    }

    // Calls visit(number) for the groups that every sentence of a chain has: the edges.
    template <class Visit>
    void each_common(Visit&& visit) const {
        for (size_t number = common_; number < groups_.size(); ++number) visit(static_cast<uint32_t>(number));
    }

private:
    const TrainingSet& set_;
    bool chain_;
    std::vector<WeightGroup> groups_;
    std::vector<uint32_t> group_of_row_, group_of_single_;
    size_t history_ = 0, common_ = 0;
};

}  // namespace tagpool
