// Prefixes and suffixes of words.
#pragma once
#include "features/functions/decoded_word.hpp"
#include "features/functions/function.hpp"

namespace tagpool {

inline void add_prefix(std::string_view text, const Step& step, Values& out) {
    const DecodedWord word(text);
    const auto length = static_cast<size_t>(step.a);
    if (word.size() > length) out.add(word.slice(0, length));
}

inline void add_suffix(std::string_view text, const Step& step, Values& out) {
    const DecodedWord word(text);
    const auto length = static_cast<size_t>(step.a);
    if (word.size() > length) out.add(word.slice(word.size() - length, word.size()));
}

}  // namespace tagpool
