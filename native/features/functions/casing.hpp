// Case and shape of words.
#pragma once
#include "features/functions/decoded_word.hpp"
#include "features/functions/function.hpp"

namespace tagpool {

inline std::string lower(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    Characters characters(text);
    for (char32_t c; characters.next(c);) append_utf8(out, to_lower(c));
    return out;
}

inline std::string shape(const DecodedWord& word, bool collapse) {
    std::string out;
    char32_t last = 0xffffffff;  // not a character
    for (size_t i = 0; i < word.size(); ++i) {
        const char32_t c = word.is(i, kUpper) ? U'X' : word.is(i, kLetter) ? U'x' : word.is(i, kDigit) ? U'd' : word.points[i];
        if (!collapse || c != last) append_utf8(out, c);
        last = c;
    }
    return out;
}

inline void add_lower(std::string_view text, const Step&, Values& out) { out.add(lower(text)); }

inline void add_shape(std::string_view text, const Step&, Values& out) { out.add(shape(DecodedWord(text), false)); }

inline void add_short_shape(std::string_view text, const Step&, Values& out) { out.add(shape(DecodedWord(text), true)); }

}  // namespace tagpool
