// GivenFeatures: the index of features that people bring themselves, as strings with values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/encoding.hpp"
#include "base/hash.hpp"
#include "features/index.hpp"
#include "text/strings.hpp"

namespace tagpool {

class GivenFeatures {
public:
    GivenFeatures() = default;
    // Features known from elsewhere come first, and stay however seldom they are met.
    explicit GivenFeatures(const std::vector<std::string>& known) {
        for (const std::string& name : known) index_.insert(names_.hash(names_.intern(name)));
        known_ = index_.size();
    }

    // A token's features, one after another. While fitting, new ones are added; afterwards they are dropped.
    void meet(std::string_view name, float value, Encoding& out) {
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

    // Ends fitting: features seen fewer than `minimum` times go, also from the encoding.
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
    uint32_t known_ = 0;
    bool frozen_ = false;
};

}  // namespace tagpool
