#include "dataset/twins.hpp"

#include <bit>
#include <cmath>
#include <unordered_map>

namespace tagpool {
namespace {

constexpr double kMinTwinSavings = 0.1;  // part of the occurrences to save; values other than 1 cost time

// A hash of the tokens and values of a feature: equal for twins, and for other features with probability 2^-128.
struct Mark {
    uint64_t low = 0, high = 0;
    bool operator==(const Mark&) const = default;
};

struct MarkHash {
    size_t operator()(const Mark& mark) const { return mark.low; }
};

Mark random_number(uint64_t token, float value) {
    const uint64_t seed = (token + 1) * 0x9e3779b97f4a7c15u + std::bit_cast<uint32_t>(value);
    return {mix_bits(seed), mix_bits(seed ^ 0xd1b54a32d192ed03u)};
}

}  // namespace

Twins::Twins(const Encoding& encoding, uint32_t features) {
    std::vector<Mark> marks(features);
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        const Mark plain = random_number(token, 1.0f);
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
            const Mark number = encoding.values.empty() ? plain : random_number(token, encoding.values[i]);
            Mark& mark = marks[encoding.ids[i]];
            mark.low += number.low;
            mark.high += number.high;
        }
    }
    std::unordered_map<Mark, uint32_t, MarkHash> firsts;
    firsts.reserve(features);
    std::vector<uint32_t> first(features), count(features, 0);
    for (uint32_t feature = 0; feature < features; ++feature) {
        // A feature that does not occur has no twin: it learns nothing, but may have a weight from an earlier training.
        const bool occurs = !(marks[feature] == Mark{});
        first[feature] = occurs ? firsts.try_emplace(marks[feature], feature).first->second : feature;
        ++count[first[feature]];
    }
    size_t saved = 0;
    for (uint32_t id : encoding.ids) saved += first[id] != id;
    if (static_cast<double>(saved) < kMinTwinSavings * static_cast<double>(encoding.ids.size())) return;
    first_ = std::move(first);
    factors_.resize(features);
    for (uint32_t feature = 0; feature < features; ++feature)
        factors_[feature] = static_cast<float>(std::sqrt(static_cast<double>(count[first_[feature]])));
}

}  // namespace tagpool
