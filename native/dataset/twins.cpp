#include "dataset/twins.hpp"

#include <cmath>
#include <unordered_map>

namespace tagpool {
namespace {

constexpr double kMinTwinSavings = 0.1;  // part of the occurrences to save; values other than 1 cost time

struct MarkHash {
    size_t operator()(const Observations::Mark& mark) const { return mark.low; }
};

}  // namespace

Twins::Twins(const Observations& seen) {
    const std::vector<Observations::Mark>& marks = seen.marks();
    const auto features = static_cast<uint32_t>(marks.size());
    std::unordered_map<Observations::Mark, uint32_t, MarkHash> firsts;
    firsts.reserve(features);
    std::vector<uint32_t> first(features), count(features, 0);
    uint64_t saved = 0;
    for (uint32_t feature = 0; feature < features; ++feature) {
        // A feature that does not occur has no twin: it learns nothing, but may have a weight from an earlier training.
        const bool occurs = !(marks[feature] == Observations::Mark{});
        first[feature] = occurs ? firsts.try_emplace(marks[feature], feature).first->second : feature;
        ++count[first[feature]];
        if (first[feature] != feature) saved += seen.features()[feature].occurrences;
    }
    if (static_cast<double>(saved) < kMinTwinSavings * static_cast<double>(seen.occurrences())) return;
    first_ = std::move(first);
    factors_.resize(features);
    for (uint32_t feature = 0; feature < features; ++feature)
        factors_[feature] = static_cast<float>(std::sqrt(static_cast<double>(count[first_[feature]])));
}

}  // namespace tagpool
