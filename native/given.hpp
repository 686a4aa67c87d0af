// GivenFeatures: the index of features that people bring themselves, as strings with values.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encoding.hpp"
#include "hash.hpp"
#include "index.hpp"
#include "strings.hpp"

namespace tagpool {

class GivenFeatures {
public:
    // The id of a feature; while fitting a new one is added, afterwards it is kNone.
    uint32_t resolve(std::string_view name) {
        if (frozen_) return index_.find(hash_bytes(name));
        const uint32_t id = names_.intern(name);
        index_.insert(names_.hash(id));
        return id;
    }

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
    bool frozen_ = false;
};

}  // namespace tagpool
