// GivenFeatures: the index of features that users provide as strings with values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "features/encoding.hpp"
#include "features/index.hpp"
#include "text/strings.hpp"

namespace tagpool {

class GivenFeatures {
public:
    GivenFeatures() = default;
    // The features in `known` (names) come first, and the minimum count does not apply to them.
    explicit GivenFeatures(const std::vector<std::string>& known) {
        for (const std::string& name : known) index_.insert(names_.hash(names_.intern(name)));
        known_count_ = index_.size();
    }

    // Appends a feature of the current token. Before `freeze` new features get an id; afterwards they are dropped.
    void add(std::string_view name, float value, Encoding& out) {
        uint32_t id;
        if (frozen_) {
            id = index_.find(hash_bytes(name));
            if (id == FeatureIndex::kNone) return;
        } else {
            id = names_.intern(name);
            index_.insert(names_.hash(id));
        }
        out.append(id, value);
    }
    void end_token(Encoding& out) { out.end_token(); }

    // Ends fitting and removes features with fewer than `minimum` occurrences, also from the encoding.
    void freeze(Encoding& encoding, uint32_t minimum);

    bool frozen() const { return frozen_; }
    uint32_t feature_count() const { return index_.size(); }
    const std::vector<uint32_t>& counts() const { return counts_; }
    std::vector<uint64_t> keys() const { return index_.keys(); }
    std::string_view name(uint32_t id) const { return names_[id]; }

private:
    FeatureIndex index_;
    StringTable names_;
    std::vector<uint32_t> counts_;
    uint32_t known_count_ = 0;
    bool frozen_ = false;
};

}  // namespace tagpool
