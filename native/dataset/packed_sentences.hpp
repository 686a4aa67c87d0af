// PackedSentences: encoded sentences as bytes, for files of this process and messages to others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/encoding.hpp"

namespace tagpool {

struct PackedSentences {
    Encoding encoding;
    std::vector<int32_t> gold;
    bool has_history = false;
    Encoding history;
};

// Sentences [first, last).
std::string pack_sentences(const Encoding& encoding, const int32_t* gold, const Encoding* history, size_t first, size_t last);
// The sentences of several packs, one after the other. Throws InputFault if a pack is damaged.
PackedSentences unpack_sentences(const std::vector<std::string_view>& packs);

}  // namespace tagpool
