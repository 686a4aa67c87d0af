// BundleColumns: groups of features that may form bundles (bundles.hpp). They are found by reading the corpus twice in order, in slices if needed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/encoding.hpp"

namespace tagpool {

class BundleColumns {
public:
    static constexpr uint8_t kAlone = 0xff;  // the column of features that are in no bundle

    // `costs` has the cost of scoring each feature (0: it is not scored), `row_cost` is that of a bundle. `usual` is the most frequent number of
    // features of a token. Columns are joined by the first tokens, up to `sample_end`.
    BundleColumns(std::vector<float> costs, float row_cost, size_t usual, size_t sample_end)
        : costs_(std::move(costs)), row_cost_(row_cost), usual_(usual), sample_end_(sample_end), columns_(costs_.size(), kUnassigned) {}

    // Sorts the features of the next sentences into columns: all sentences with `is_usual`, then all without.
    void sort(const Encoding& encoding, bool is_usual);
    // Joins columns while that saves work; the encoding begins with the first tokens of the corpus.
    void join(const Encoding& encoding);

    size_t size() const { return size_; }
    uint8_t of(uint32_t feature) const { return columns_[feature]; }
    float cost(uint32_t feature) const { return costs_[feature]; }
    float row_cost() const { return row_cost_; }
    // By feature, to continue elsewhere.
    std::vector<uint8_t>& columns() { return columns_; }
    void set_size(size_t size) { size_ = size; }

private:
    static constexpr uint8_t kUnassigned = kAlone - 1;

    std::vector<float> costs_;
    float row_cost_;
    size_t usual_, sample_end_;
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
