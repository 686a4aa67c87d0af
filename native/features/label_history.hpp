// LabelHistory: features that look at labels already given, such as label[-1] & word[0]. What a token has of them before anything is labelled
// (the word) is a feature of the history encoding; with the labels it becomes a feature of its own.
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
    static constexpr size_t kFarthest = 8;

    std::vector<std::vector<uint8_t>> backs;  // by template: how far back each of its labels stands
    std::vector<uint16_t> templates;          // by feature of the history encoding: its template

    const std::vector<uint8_t>& backs_of(uint32_t feature) const { return backs[templates[feature]]; }
    // How many labels a feature has at most, and how far back any of them stands.
    size_t width() const {
        size_t most = 0;
        for (const auto& each : backs) most = std::max(most, each.size());
        return most;
    }
    size_t depth() const {
        size_t farthest = 0;
        for (const auto& each : backs)
            for (const uint8_t back : each) farthest = std::max<size_t>(farthest, back);
        return farthest;
    }

    // What a feature is looked up by: `label_before(back)` is a label's number, or how many labels there are, before the sentence.
    template <class LabelBefore>
    uint64_t key(uint32_t feature, LabelBefore&& label_before) const {
        uint64_t key = feature;
        for (const uint8_t back : backs_of(feature)) key = combine(key, label_before(back));
        return key;
    }

    // Throws InputFault for what cannot be.
    void check() const {
        for (const auto& each : backs) {
            if (each.empty() || each.size() > kFarthest) throw InputFault("a template of the label history has no labels, or too many");
            for (const uint8_t back : each)
                if (back < 1 || back > kFarthest) throw InputFault("a template looks at a label that is not given yet, or too far back");
        }
        for (const uint16_t number : templates)
            if (number >= backs.size()) throw InputFault("a feature of the label history has no template");
    }
};

// The label so many tokens before token t of a sentence; `labels` (how many there are) before the sentence.
inline uint32_t label_before(const int32_t* given, size_t t, size_t back, uint32_t labels) {
    return back > t ? labels : static_cast<uint32_t>(given[t - back]);
}

}  // namespace tagpool
