#include "features/casing.hpp"

#include "text/unicode.hpp"

namespace tagpool {
namespace {

// A title has at least 3 words, of which at least 4 in 5 are capitalized.
constexpr size_t kTitleNumerator = 4, kTitleDenominator = 5, kTitleMinimum = 3;

}  // namespace

uint8_t Casing::flags(int64_t token) {
    uint8_t& result = flags_[column_.ids[static_cast<size_t>(token)]];
    if (result) return result;
    Characters characters(column_.text(static_cast<size_t>(token)));
    uint8_t first = 0, any = 0;
    size_t length = 0;
    for (char32_t point; characters.next(point); ++length) {
        const uint8_t classes = character_class(point);
        if (length == 0) first = classes;
        any |= classes;
    }
    result = kComputed;
    if (first & kUpper) result |= kCapitalized;
    if (first & kLetter) result |= kLetterFirst;
    if (any & kLetter) result |= kHasLetter;
    if ((any & kUpper) && !(any & kLower)) result |= kAllUpper;
    if (length > 1) result |= kLong;
    return result;
}

Casing::Sentence Casing::of_sentence(int64_t begin, int64_t end) {
    size_t words = 0, in_capitals = 0, capitalized = 0;
    for (int64_t token = begin; token < end; ++token) {
        const uint8_t word = flags(token);
        if (!(word & kHasLetter)) continue;
        ++words;
        in_capitals += (word & kAllUpper) != 0;
        capitalized += (word & kCapitalized) != 0;
    }
    if (words == 0) return none;
    if (in_capitals == words) return upper;
    return words >= kTitleMinimum && capitalized * kTitleDenominator >= words * kTitleNumerator ? title : mixed;
}

Casing::Form Casing::of_word(int64_t token, bool is_first) {
    const uint8_t word = flags(token);
    if (!(word & kCapitalized)) return word & kLetterFirst ? small : unknown;
    if (is_first) return unknown;
    return (word & kAllUpper) && (word & kLong) ? capitals : capital;
}

}  // namespace tagpool
