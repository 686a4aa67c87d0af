// Spelling properties of words.
#pragma once
#include "features/functions/decoded_word.hpp"
#include "features/functions/function.hpp"

namespace tagpool {

// Recognizes digits with single commas, points, colons or slashes inside, an optional sign and percent sign: 1,000.5 -3 10:30 5%
inline bool is_number(const DecodedWord& word) {
    size_t begin = 0, end = word.size();
    if (begin < end && (word.points[begin] == U'+' || word.points[begin] == U'-')) ++begin;
    if (begin < end && word.points[end - 1] == U'%') --end;
    if (begin < end && word.points[begin] == U'.') ++begin;  // .5
    if (begin >= end || !word.is(begin, kDigit) || !word.is(end - 1, kDigit)) return false;
    for (size_t i = begin; i < end; ++i) {
        if (word.is(i, kDigit)) continue;
        const char32_t c = word.points[i];
        if ((c != U',' && c != U'.' && c != U':' && c != U'/') || !word.is(i - 1, kDigit)) return false;
    }
    return true;
}

// Recognizes two or more capitals, each followed by a period (optional for the last one): U.S. U.N U.S.A.
inline bool is_acronym(const DecodedWord& word) {
    if (word.size() < 3) return false;
    for (size_t i = 0; i < word.size(); ++i)
        if (i % 2 == 0 ? !word.is(i, kUpper) : word.points[i] != U'.') return false;
    return true;
}

inline bool has_quote(const DecodedWord& word) {
    static const std::u32string kQuotes = U"\"'`\u00B4\u2018\u2019\u201A\u201C\u201D\u201E\u00AB\u00BB\u2039\u203A";
    return word.points.find_first_of(kQuotes) != std::u32string_view::npos;
}

// Properties of Sutton et al. 2006, Table 4.
inline void add_orthography(std::string_view text, const Step&, Values& out) {
    const DecodedWord word(text);
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    out.add_if(word.is(0, kUpper), "initial-capital");
    out.add_if(upper == size, "all-capitals");
    out.add_if(size == 1 && upper == 1, "single-capital");
    out.add_if(upper > 0 && lower > 0, "mixed-case");
    out.add_if(digit > 0, "has-digit");
    out.add_if(digit == size, "all-digits");
    out.add_if(is_number(word), "number");
    out.add_if(size >= 2 && word.count_point(U'.') == size, "periods");
    out.add_if(word.points.back() == U'.', "ends-with-period");
    out.add_if(word.count_point(U'-') > 0, "has-dash");
    out.add_if(is_acronym(word), "acronym");
    out.add_if(size == 2 && word.is(0, kUpper) && word.points[1] == U'.', "initial");
    out.add_if(size == 1 && word.is(0, kLetter), "single-letter");
    out.add_if(word.count(kPunctuation) > 0, "has-punctuation");
    out.add_if(has_quote(word), "has-quote");
}

// Properties of Choi 2016, after Gimenez and Marquez 2004.
inline void add_orthography_dfi(std::string_view text, const Step&, Values& out) {
    const DecodedWord word(text);
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    const size_t letters = word.count(kLetter), punctuation = word.count(kPunctuation);
    const size_t period = word.count_point(U'.'), hyphen = word.count_point(U'-');
    const size_t inner_upper = upper - (word.is(0, kUpper) ? 1 : 0);
    out.add_if(text.find("://") != std::string_view::npos || text.starts_with("www."), "link");
    out.add_if(upper == size, "all-upper");
    out.add_if(lower == size, "all-lower");
    out.add_if(digit == size, "all-digits");
    out.add_if(punctuation == size, "all-punctuation");
    out.add_if(digit > 0 && punctuation > 0 && digit + punctuation == size, "digits-and-punctuation");
    out.add_if(letters > 0 && lower == 0, "no-lower");
    out.add_if(word.is(0, kUpper) && inner_upper == 0, "first-upper-only");
    out.add_if(inner_upper == 1, "one-inner-upper");
    out.add_if(inner_upper > 1, "inner-uppers");
    out.add_if(digit > 0, "has-digit");
    out.add_if(period > 0, "has-period");
    out.add_if(hyphen > 0, "has-hyphen");
    out.add_if(punctuation > period + hyphen, "has-other-punctuation");
}

}  // namespace tagpool
