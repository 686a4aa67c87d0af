#include "features/casing.hpp"

#include "text/unicode.hpp"

namespace tagpool {
namespace {

// So many of at least three words with a capital make a title: 4 of 5.
constexpr size_t kTitle = 4, kOf = 5, kFewest = 3;

}  // namespace

uint8_t Casing::flags(int64_t token) {
    uint8_t& known = known_[column_.ids[static_cast<size_t>(token)]];
    if (known) return known;
    Characters characters(column_.text(static_cast<size_t>(token)));
    uint8_t first = 0, any = 0;
    size_t length = 0;
    for (char32_t point; characters.next(point); ++length) {
        const uint8_t here = character_class(point);
        if (length == 0) first = here;
        any |= here;
    }
    known = kKnown;
    if (first & kUpper) known |= kCapitalised;
    if (first & kLetter) known |= kLetterFirst;
    if (any & kLetter) known |= kHasLetter;
    if ((any & kUpper) && !(any & kLower)) known |= kAllUpper;
    if (length > 1) known |= kLong;
    return known;
}

Casing::Sentence Casing::of_sentence(int64_t begin, int64_t end) {
    size_t words = 0, in_capitals = 0, capitalised = 0;
    for (int64_t token = begin; token < end; ++token) {
        const uint8_t here = flags(token);
        if (!(here & kHasLetter)) continue;
        ++words;
        in_capitals += (here & kAllUpper) != 0;
        capitalised += (here & kCapitalised) != 0;
    }
    if (words == 0) return none;
    if (in_capitals == words) return upper;
    return words >= kFewest && capitalised * kOf >= words * kTitle ? title : mixed;
}

Casing::Form Casing::of_word(int64_t token, bool is_first) {
    const uint8_t here = flags(token);
    if (!(here & kCapitalised)) return here & kLetterFirst ? small : nothing;
    if (is_first) return nothing;
    return (here & kAllUpper) && (here & kLong) ? capitals : capital;
}

}  // namespace tagpool
