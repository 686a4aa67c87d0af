#include "dataset/weight_groups.hpp"

namespace tagpool {

WeightGroups::WeightGroups(const TrainingSet& set, bool chain) : set_(set), chain_(chain) {
    const uint32_t stride = set.stride();
    group_of_row_.resize(set.transitions_begin() / stride + 1);
    if (!set.all_cells()) group_of_single_.resize(set.transitions_begin());
    const std::vector<uint32_t> features = set.weights().cell_features();
    set.layout(false).each([&](size_t i, size_t at, float) {
        const auto place = static_cast<uint32_t>(at);
        const bool dense = set.is_in_row(place), first = i == 0 || features[i - 1] != features[i];
        if (first) groups_.push_back(dense ? WeightGroup{place / stride * stride, set.labels()} : WeightGroup{place, 0});
        const auto number = static_cast<uint32_t>(groups_.size() - 1);
        if (dense) {
            group_of_row_[place / stride] = number;
        } else {
            ++groups_.back().count;
            group_of_single_[place] = number;
        }
    });
    history_ = groups_.size();
    const TransitionCellIndex* const index = set.weights().transition_cells().get();
    const auto cells = static_cast<uint32_t>(set.transition_cells_begin());
    for (uint32_t feature = 0; chain && index && feature < index->feature_count(); ++feature)
        groups_.push_back({cells + index->begin(feature), index->end(feature) - index->begin(feature)});
    common_ = groups_.size();
    for (uint32_t row = 0; chain && row < set.labels() + 2; ++row)
        groups_.push_back({static_cast<uint32_t>(set.transitions_begin()) + row * stride, set.labels()});
}

}  // namespace tagpool
