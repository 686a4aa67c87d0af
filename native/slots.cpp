#include "slots.hpp"

#include <algorithm>
#include <numeric>

#include "fault.hpp"

namespace tagpool {

Slots::Slots(std::span<const Slot> slots, uint32_t capacity, uint64_t seed, uint32_t hash_size, size_t weights)
    : slots_(slots), capacity_(capacity), hash_size_(hash_size), seed_(seed) {
    // A search begins below the capacity and ends at the first free slot: there must be one behind.
    if (slots.size() < 2 || slots.size() > UINT32_MAX || (hash_size ? slots.size() - 1 != hash_size : capacity == 0 || slots.size() - 1 <= capacity) ||
        (!hash_size && slots[slots.size() - 2].start != slots.back().start))
        throw InputFault("the index of features cannot be");
    for (size_t i = 1; i < slots.size(); ++i)
        if (slots[i].start < slots[i - 1].start) throw InputFault("the index of features is out of order");
    if (slots[0].start != 0 || slots.back().start != weights) throw InputFault("the index of features does not fit the weights");
}

Slots::Plan Slots::plan(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& counts) {
    std::vector<uint32_t> order;
    for (uint32_t feature = 0; feature < keys.size(); ++feature)
        if (counts[feature]) order.push_back(feature);
    const auto capacity = static_cast<uint32_t>(std::max<uint64_t>(order.size() * uint64_t{10} / 7, 16));
    for (uint64_t seed = 0;; ++seed) {
        Plan plan{{}, std::vector<uint32_t>(keys.size(), kNone), capacity, seed};
        // In the order of their homes, each feature takes the first place that is free.
        std::vector<uint64_t> mixed(keys.size());
        for (uint32_t feature : order) mixed[feature] = mix(keys[feature], seed);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return mixed[a] < mixed[b]; });
        std::vector<uint32_t> feature_at;
        bool distinct = true;
        for (uint32_t feature : order) {
            const uint32_t first = home(mixed[feature], capacity);
            while (feature_at.size() < first) feature_at.push_back(kNone);
            for (size_t before = feature_at.size(); distinct && before-- > 0 && feature_at[before] != kNone;)
                distinct = static_cast<uint32_t>(mixed[feature_at[before]]) != static_cast<uint32_t>(mixed[feature]);
            plan.slot_of[feature] = static_cast<uint32_t>(feature_at.size());
            feature_at.push_back(feature);
        }
        if (!distinct) continue;
        while (feature_at.size() <= capacity) feature_at.push_back(kNone);
        feature_at.push_back(kNone);
        uint64_t start = 0;
        for (uint32_t feature : feature_at) {
            const bool free = feature == kNone;
            plan.slots.push_back({free ? 0 : static_cast<uint32_t>(mixed[feature]), static_cast<uint32_t>(start)});
            start += free ? 0 : counts[feature];
        }
        if (start > UINT32_MAX) throw InputFault("more than 4 billion weights; use fewer features, or only observed pairs");
        plan.slots.push_back({0, static_cast<uint32_t>(start)});
        return plan;
    }
}

Slots::Plan Slots::numbered(const std::vector<uint32_t>& counts) {
    Plan plan{{}, std::vector<uint32_t>(counts.size()), 0, 0};
    uint64_t start = 0;
    for (uint32_t feature = 0; feature < counts.size(); ++feature) {
        plan.slot_of[feature] = feature;
        plan.slots.push_back({0, static_cast<uint32_t>(start)});
        start += counts[feature];
        if (start > UINT32_MAX) throw InputFault("more than 4 billion weights; use fewer features, or only observed pairs");
    }
    plan.slots.push_back({0, static_cast<uint32_t>(start)});
    return plan;
}

}  // namespace tagpool
