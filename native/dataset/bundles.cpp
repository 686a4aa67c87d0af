#include "dataset/bundles.hpp"

#include <algorithm>
#include <unordered_map>

#include "dataset/bundle_columns.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr double kWorthIt = 0.1;  // part of the total cost to save

// Features that some tokens of a part share in one column.
struct Set {
    size_t token;      // the first of them
    uint32_t count;
    float cost;
    uint32_t number;   // of the bundle; kNone: it is not one
};

struct SameKey {
    size_t operator()(uint64_t key) const { return key; }
};

// The features of one token in each column, as keys.
class TokenKeys {
public:
    TokenKeys(const Encoding& encoding, const std::vector<float>& costs, const BundleColumns& columns)
        : encoding_(encoding), feature_costs_(costs), columns_(columns), keys(columns.size()), costs(columns.size()) {}

    void read(size_t token) {
        std::fill(keys.begin(), keys.end(), 0);
        std::fill(costs.begin(), costs.end(), 0.0f);
        for (uint64_t i = encoding_.starts[token]; i < encoding_.starts[token + 1]; ++i) {
            const uint32_t feature = encoding_.ids[i];
            const uint8_t column = columns_.of(feature);
            if (column == BundleColumns::kAlone) continue;
            keys[column] = mixed_key(keys[column], feature);
            costs[column] += feature_costs_[feature];
        }
    }

private:
    const Encoding& encoding_;
    const std::vector<float>& feature_costs_;
    const BundleColumns& columns_;

public:
    std::vector<uint64_t> keys;
    std::vector<float> costs;
};

}  // namespace

Bundles::Bundles(const Encoding& encoding, const std::vector<float>& costs, float row_cost, const std::vector<size_t>& part_tokens) {
    if (!encoding.values.empty() || part_tokens.size() < 2) return;  // with values, equal sets are rare
    const BundleColumns columns(encoding, costs, row_cost, part_tokens[0], part_tokens[1]);
    if (columns.size() == 0) return;
    double before = 0, spared = 0;
    for (uint32_t feature : encoding.ids) before += static_cast<double>(costs[feature]);
    TokenKeys here(encoding, costs, columns);
    using Sets = std::vector<std::unordered_map<uint64_t, Set, SameKey>>;
    const auto same = [&](size_t a, size_t b, uint8_t column) {
        uint64_t i = encoding.starts[a], j = encoding.starts[b];
        for (;; ++i, ++j) {
            while (i < encoding.starts[a + 1] && columns.of(encoding.ids[i]) != column) ++i;
            while (j < encoding.starts[b + 1] && columns.of(encoding.ids[j]) != column) ++j;
            const bool end = i == encoding.starts[a + 1];
            if (end || j == encoding.starts[b + 1]) return end && j == encoding.starts[b + 1];
            if (encoding.ids[i] != encoding.ids[j]) return false;
        }
    };
    left.sentences = encoding.sentences;
    part_begins.push_back(0);
    for (size_t part = 0; part + 1 < part_tokens.size(); ++part) {
        const size_t begin = part_tokens[part], end = part_tokens[part + 1];
        Sets sets(columns.size());
        for (size_t token = begin; token < end; ++token) {
            here.read(token);
            for (size_t c = 0; c < columns.size(); ++c)
                if (here.keys[c] != 0) ++sets[c].try_emplace(here.keys[c], Set{token, 0, here.costs[c], kNone}).first->second.count;
        }
        const size_t first = members.token_count();
        std::vector<uint32_t> uses_here(columns.size());
        for (size_t token = begin; token < end; ++token) {
            here.read(token);
            starts.push_back(uses.size());
            for (size_t c = 0; c < columns.size(); ++c) {
                uses_here[c] = kNone;
                if (here.keys[c] == 0) continue;
                Set& set = sets[c].find(here.keys[c])->second;
                const auto count = static_cast<float>(set.count);
                if (bundled_cost(count, set.cost, row_cost) >= count * set.cost) continue;
                if (set.token != token && !same(set.token, token, static_cast<uint8_t>(c))) continue;  // equal keys by chance
                if (set.number == kNone) {
                    set.number = static_cast<uint32_t>(members.token_count() - first);
                    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
                        if (columns.of(encoding.ids[i]) == c) members.ids.push_back(encoding.ids[i]);
                    members.end_token();
                    spared += static_cast<double>(count * set.cost - bundled_cost(count, set.cost, row_cost));
                }
                uses_here[c] = set.number;
                uses.push_back(set.number);
            }
            for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
                const uint8_t column = columns.of(encoding.ids[i]);
                if (column == BundleColumns::kAlone || uses_here[column] == kNone) left.ids.push_back(encoding.ids[i]);
            }
            left.end_token();
        }
        part_begins.push_back(members.token_count());
        members.sentences.push_back(static_cast<uint32_t>(members.token_count()));
    }
    starts.push_back(uses.size());
    worthwhile_ = spared >= kWorthIt * before;
    if (worthwhile_) return;
    left = {};
    members = {};
    starts = {};
    uses = {};
    part_begins.clear();
}

}  // namespace tagpool
