// Encoding: a corpus as feature ids, one compressed row a token. A row may hold an id more than once: values then add up.
#pragma once
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "features/index.hpp"

namespace tagpool {

struct Encoding {
    Buffer<uint64_t> starts;  // row t is ids[starts[t]..starts[t + 1]]
    Buffer<uint32_t> ids;
    Buffer<float> values;     // beside ids; empty: every value is 1
    std::vector<uint32_t> sentences = {0};

    Encoding() { starts.push_back(0); }
    size_t token_count() const { return starts.size() - 1; }
    void end_token() { starts.push_back(ids.size()); }
    void append(uint32_t id, float value) {
        ids.push_back(id);
        if (!values.empty() || value != 1.0f) {
            // The first value that is not 1 makes the column.
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

// How often each feature occurs.
std::vector<uint32_t> count_features(const Encoding& encoding, uint32_t features);

// New ids (kNone: gone) for the features that occur at least `minimum` times; the others are taken out of the encoding, the
// counts and the index. Order is kept.
std::vector<uint32_t> prune(Encoding& encoding, std::vector<uint32_t>& counts, FeatureIndex& index, uint32_t minimum);

// A copy with only the features that `keep` marks; ids do not change.
Encoding restricted(const Encoding& encoding, const std::vector<uint8_t>& keep);

}  // namespace tagpool
