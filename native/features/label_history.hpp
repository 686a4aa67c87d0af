// LabelHistory: features that depend on previous labels, such as label[-1] & word[0]. The part without labels (the word) is a feature of
// the history encoding; together with the labels it identifies a feature.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "base/hash.hpp"

namespace tagpool {

struct LabelHistory {
    static constexpr size_t kMaxDistance = 8;

    std::vector<std::vector<uint8_t>> backs;  // a [templates] array: the distances of the template's labels from the token
    std::vector<uint16_t> templates;          // a [features of the history encoding] array: template numbers

    const std::vector<uint8_t>& backs_of(uint32_t feature) const { return backs[templates[feature]]; }
    // The largest number of labels in a template, and the largest distance.
    size_t width() const {
        size_t width = 0;
        for (const auto& distances : backs) width = std::max(width, distances.size());
        return width;
    }
    size_t depth() const {
        size_t depth = 0;
        for (const auto& distances : backs)
            for (const uint8_t back : distances) depth = std::max<size_t>(depth, back);
        return depth;
    }

    // The hash of a feature. `label_before(back)` returns the label at a distance, or the number of labels before the sentence.
    template <class LabelBefore>
    uint64_t key(uint32_t feature, LabelBefore&& label_before) const {
        uint64_t key = feature;
        for (const uint8_t back : backs_of(feature)) key = combine(key, label_before(back));
        return key;
    }

    // Throws InputFault if the history is inconsistent.
    void check() const {
        for (const auto& distances : backs) {
            if (distances.empty() || distances.size() > kMaxDistance)
                throw InputFault("label history: a template needs 1 to 8 labels, got " + std::to_string(distances.size()));
            for (const uint8_t back : distances)
                if (back < 1 || back > kMaxDistance)
                    throw InputFault("label history: expected a label at distance 1 to 8, got " + std::to_string(back));
        }
        for (const uint16_t number : templates)
            if (number >= backs.size()) throw InputFault("label history: a feature has the unknown template " + std::to_string(number));
    }
};

// The label `back` tokens before token t; the number of labels before the sentence. `assigned` is a [t] array.
inline uint32_t label_before(const int32_t* assigned, size_t t, size_t back, uint32_t label_count) {
    return back > t ? label_count : static_cast<uint32_t>(assigned[t - back]);
}

}  // namespace tagpool
