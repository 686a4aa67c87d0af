// Checks that the targets of both kinds of models share.
#pragma once
#include <cstdint>
#include <vector>

#include "base/hash.hpp"
#include "features/encoding.hpp"
#include "features/frozen_index.hpp"
#include "harness.hpp"

namespace tagpool::fuzz {

// Two sentences of given features: three that the seeds contain, and an unknown one.
inline Encoding place_features(const FrozenIndex& slots) {
    Encoding out;
    for (size_t sentence = 0; sentence < 2; ++sentence) {
        for (size_t token = 0; token < 3; ++token) {
            for (const char* const name : {"word=Ann", "word=left", "bias", "unknown"})
                if (const uint32_t place = slots.find(hash_bytes(name)); place != FrozenIndex::kNone) out.ids.push_back(place);
            out.end_token();
        }
        out.sentences.push_back(static_cast<uint32_t>(out.token_count()));
    }
    return out;
}

inline void check_tags(const std::vector<int32_t>& tags, size_t labels) {
    for (const int32_t tag : tags) require(tag >= 0 && static_cast<size_t>(tag) < labels, "a tag is the number of a label");
}

}  // namespace tagpool::fuzz
