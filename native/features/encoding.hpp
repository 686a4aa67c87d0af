// Encoding: a corpus as compressed rows of feature ids, one row per token. The values of repeated ids in a row add up.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/random.hpp"
#include "features/index.hpp"

namespace tagpool {

struct Encoding {
    Buffer<uint64_t> starts;                // a [tokens + 1] array: row t is ids[starts[t]..starts[t + 1]]
    Buffer<uint32_t> ids;                   // an [entries] array
    Buffer<float> values;                   // an [entries] array; empty: every value is 1
    std::vector<uint32_t> sentences = {0};  // a [sentences + 1] array of token offsets

    Encoding() { starts.push_back(0); }
    size_t token_count() const { return starts.size() - 1; }
    float value(size_t entry) const { return values.empty() ? 1.0f : values[entry]; }
    void end_token() { starts.push_back(ids.size()); }
    void append(uint32_t id, float value) {
        ids.push_back(id);
        if (!values.empty() || value != 1.0f) {
            // The first value other than 1 creates the array.
            while (values.size() + 1 < ids.size()) values.push_back(1.0f);
            values.push_back(value);
        }
    }
    void clear() {
        starts.truncate(1);
        ids.clear();
        values.clear();
        sentences.assign(1, 0);
    }
    void shrink() {
        starts.shrink();
        ids.shrink();
        values.shrink();
    }
};

// Origin: the first occurrence of a feature in the fitted corpora, from which its name can be written.
struct Origin {
    static constexpr uint32_t kNowhere = UINT32_MAX;
    uint32_t token;
    uint32_t ordinal;  // number of the combination of the terms' values
    uint16_t template_number;
};

// Number of occurrences of each feature.
std::vector<uint32_t> count_features(const Encoding& encoding, uint32_t features);

// Removes features with a count below `minimum` from the encoding, the counts and the index. Returns the new id of each feature
// (kNone: removed); the order does not change.
std::vector<uint32_t> prune(Encoding& encoding, std::vector<uint32_t>& counts, FeatureIndex& index, uint32_t minimum);

// A copy of the sentences [first, last).
Encoding cut(const Encoding& encoding, size_t first, size_t last);

// Sentences of an encoding, in this order, with only the features that have a mark (empty: all).
struct Selection {
    const Encoding* encoding;
    std::vector<uint32_t> sentences;
    std::string_view marks;
};

// The selected sentences, one selection after the other.
Encoding gather(const std::vector<Selection>& selections);

// A copy in which every entry is left out with this probability.
Encoding without_some(const Encoding& encoding, double rate, Random random);

// A copy with the ids new_id(id); features whose new id is kNone are dropped.
template <class NewId>
Encoding replace_ids(const Encoding& encoding, NewId&& new_id) {
    Encoding out;
    out.sentences = encoding.sentences;
    out.ids.reserve_more(encoding.ids.size());
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            if (const uint32_t id = new_id(encoding.ids[i]); id != FeatureIndex::kNone) out.append(id, encoding.value(i));
        out.end_token();
    }
    out.shrink();
    return out;
}

}  // namespace tagpool
