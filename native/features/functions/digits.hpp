// Digits of words.
#pragma once
#include "features/functions/decoded_word.hpp"
#include "features/functions/function.hpp"

namespace tagpool {

// Replaces digits by 0; with `collapse`, runs of digits by one 0.
inline std::string replace_digits(const DecodedWord& word, bool collapse) {
    std::string out;
    for (size_t i = 0; i < word.size(); ++i) {
        if (!word.is(i, kDigit)) {
            append_utf8(out, word.points[i]);
        } else if (!collapse || i == 0 || !word.is(i - 1, kDigit)) {
            out.push_back('0');
        }
    }
    return out;
}

inline void add_simplified(std::string_view text, const Step&, Values& out) { out.add(replace_digits(DecodedWord(text), true)); }

inline void add_digits(std::string_view text, const Step&, Values& out) {
    const DecodedWord word(text);
    if (word.count(kDigit) > 0) out.add(replace_digits(word, false));
}

}  // namespace tagpool
