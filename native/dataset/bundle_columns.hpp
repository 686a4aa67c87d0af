// BundleColumns: groups of features that may form bundles (bundles.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/encoding.hpp"

namespace tagpool {

class BundleColumns {
public:
    static constexpr uint8_t kAlone = 0xff;  // the column of features that are in no bundle

    BundleColumns(const Encoding& encoding, const std::vector<float>& costs, float row_cost, size_t sample_begin, size_t sample_end);

    size_t size() const { return size_; }
    uint8_t of(uint32_t feature) const { return columns_[feature]; }

private:
    void sort_features(const Encoding& encoding, const std::vector<float>& costs);
    void join(const Encoding& encoding, const std::vector<float>& costs, float row_cost, size_t begin, size_t end);

    std::vector<uint8_t> columns_;  // by feature
    size_t size_ = 0;
};

// A key for the features of a token in a column; 0: it has none.
inline uint64_t mixed_key(uint64_t key, uint64_t more) {
    key = (key + more + 1) * 0x9e3779b97f4a7c15u;
    key ^= key >> 29;
    return key * 0xbf58476d1ce4e5b9u | 1;
}

// Cost of n tokens with the same set of features as a bundle.
inline float bundled_cost(float count, float cost, float row_cost) { return count * row_cost + cost + 2 * row_cost; }

}  // namespace tagpool
