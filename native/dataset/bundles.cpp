#include "dataset/bundles.hpp"

#include <algorithm>
#include <bit>

namespace tagpool {
namespace {

// Features that some tokens of a part share in one column.
struct FeatureSet {
    static constexpr uint32_t kNoBundle = UINT32_MAX;
    uint64_t key;
    size_t token;  // the first of them
    uint32_t count;
    float cost;
    uint32_t bundle;
};

// The feature sets of a column, found by their keys.
class FeatureSets {
public:
    explicit FeatureSets(size_t most) : slots_(std::bit_ceil(2 * most + 1), kFree) {}

    // Counts an occurrence; returns the number of the set.
    uint32_t add(uint64_t key, size_t token, float cost) {
        size_t at = (key >> 20) & (slots_.size() - 1);
        while (slots_[at] != kFree && sets_[slots_[at]].key != key) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at] == kFree) {
            slots_[at] = static_cast<uint32_t>(sets_.size());
            sets_.push_back({key, token, 0, cost, FeatureSet::kNoBundle});
        }
        ++sets_[slots_[at]].count;
        return slots_[at];
    }
    FeatureSet& operator[](uint32_t number) { return sets_[number]; }

private:
    static constexpr uint32_t kFree = UINT32_MAX;
    std::vector<uint32_t> slots_;
    std::vector<FeatureSet> sets_;
};

class BundleBuilder {
public:
    BundleBuilder(const Encoding& encoding, const BundleColumns& columns, Bundles& out)
        : encoding_(encoding), row_cost_(columns.row_cost()), columns_(columns), out_(out), keys_(columns.size()), costs_(columns.size()),
          bundles_(columns.size()) {}

    // Adds the bundles of tokens [begin, end), a part.
    void add_part(size_t begin, size_t end) {
        std::vector<FeatureSets> sets(columns_.size(), FeatureSets(end - begin));
        std::vector<uint32_t> numbers((end - begin) * columns_.size(), kNoSet);  // of the set of each token and column
        for (size_t token = begin; token < end; ++token) {
            read_keys(token);
            for (size_t c = 0; c < columns_.size(); ++c)
                if (keys_[c] != 0) numbers[(token - begin) * columns_.size() + c] = sets[c].add(keys_[c], token, costs_[c]);
        }
        const size_t first = out_.members.token_count();
        for (size_t token = begin; token < end; ++token) {
            out_.starts.push_back(out_.uses.size());
            for (uint8_t c = 0; c < columns_.size(); ++c) {
                const uint32_t number = numbers[(token - begin) * columns_.size() + c];
                bundles_[c] = number == kNoSet ? FeatureSet::kNoBundle : bundle_of(sets[c][number], token, c, first);
            }
            for (uint64_t i = encoding_.starts[token]; i < encoding_.starts[token + 1]; ++i) {
                const uint8_t column = columns_.of(encoding_.ids[i]);
                if (column == BundleColumns::kAlone || bundles_[column] == FeatureSet::kNoBundle) out_.left.ids.push_back(encoding_.ids[i]);
            }
            out_.left.end_token();
        }
        out_.part_begins.push_back(out_.members.token_count());
        out_.members.sentences.push_back(static_cast<uint32_t>(out_.members.token_count()));
    }

    double savings() const { return savings_; }

private:
    static constexpr uint32_t kNoSet = UINT32_MAX;

    // The features of a token in each column, as keys, and their costs.
    void read_keys(size_t token) {
        std::fill(keys_.begin(), keys_.end(), 0);
        std::fill(costs_.begin(), costs_.end(), 0.0f);
        for (uint64_t i = encoding_.starts[token]; i < encoding_.starts[token + 1]; ++i) {
            const uint32_t feature = encoding_.ids[i];
            const uint8_t column = columns_.of(feature);
            if (column == BundleColumns::kAlone) continue;
            keys_[column] = mixed_key(keys_[column], feature);
            costs_[column] += columns_.cost(feature);
        }
    }

    // The bundle of a token's features in a column, which is created on first use. `first` is the first bundle of the part.
    uint32_t bundle_of(FeatureSet& set, size_t token, uint8_t column, size_t first) {
        const auto count = static_cast<float>(set.count);
        const float bundled = bundled_cost(count, set.cost, row_cost_);
        if (bundled >= count * set.cost) return FeatureSet::kNoBundle;
        if (set.token != token && !has_same_features(set.token, token, column)) return FeatureSet::kNoBundle;  // equal keys by chance
        if (set.bundle == FeatureSet::kNoBundle) {
            set.bundle = static_cast<uint32_t>(out_.members.token_count() - first);
            for (uint64_t i = encoding_.starts[token]; i < encoding_.starts[token + 1]; ++i)
                if (columns_.of(encoding_.ids[i]) == column) out_.members.ids.push_back(encoding_.ids[i]);
            out_.members.end_token();
            savings_ += static_cast<double>(count * set.cost - bundled);
        }
        out_.uses.push_back(set.bundle);
        return set.bundle;
    }

    bool has_same_features(size_t a, size_t b, uint8_t column) const {
        uint64_t i = encoding_.starts[a], j = encoding_.starts[b];
        for (;; ++i, ++j) {
            while (i < encoding_.starts[a + 1] && columns_.of(encoding_.ids[i]) != column) ++i;
            while (j < encoding_.starts[b + 1] && columns_.of(encoding_.ids[j]) != column) ++j;
            const bool end = i == encoding_.starts[a + 1];
            if (end || j == encoding_.starts[b + 1]) return end && j == encoding_.starts[b + 1];
            if (encoding_.ids[i] != encoding_.ids[j]) return false;
        }
    }

    const Encoding& encoding_;
    const float row_cost_;
    const BundleColumns& columns_;
    Bundles& out_;
    double savings_ = 0;
    // By column, of the current token.
    std::vector<uint64_t> keys_;
    std::vector<float> costs_;
    std::vector<uint32_t> bundles_;
};

}  // namespace

Bundles::Bundles(const Encoding& encoding, const BundleColumns& columns, const std::vector<size_t>& part_tokens) {
    left.sentences = encoding.sentences;
    part_begins.push_back(0);
    BundleBuilder builder(encoding, columns, *this);
    for (size_t part = 0; part + 1 < part_tokens.size(); ++part) builder.add_part(part_tokens[part], part_tokens[part + 1]);
    starts.push_back(uses.size());
    savings_ = builder.savings();
}

}  // namespace tagpool
