#include "features/words.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace tagpool {
namespace {

// DecodedWord: the characters of a word and their classes, without allocation for words of up to 48 bytes.
class DecodedWord {
public:
    explicit DecodedWord(std::string_view text) {
        if (text.size() > kShort) {
            long_points_.resize(text.size());
            long_classes_.resize(text.size());
        }
        char32_t* const point_data = long_points_.empty() ? short_points_ : long_points_.data();
        uint8_t* const class_data = long_classes_.empty() ? short_classes_ : long_classes_.data();
        Characters characters(text);
        size_t count = 0;
        for (char32_t c; characters.next(c); ++count) {
            point_data[count] = c;
            class_data[count] = character_class(c);
        }
        points = {point_data, count};
        classes = {class_data, count};
    }
    DecodedWord(const DecodedWord&) = delete;
    size_t size() const { return points.size(); }
    bool is(size_t i, uint8_t mask) const { return (classes[i] & mask) != 0; }
    size_t count(uint8_t mask) const {
        return static_cast<size_t>(std::count_if(classes.begin(), classes.end(), [&](uint8_t c) { return c & mask; }));
    }
    size_t count_point(char32_t point) const { return static_cast<size_t>(std::count(points.begin(), points.end(), point)); }
    std::string slice(size_t begin, size_t end) const {
        std::string out;
        for (size_t i = begin; i < end; ++i) append_utf8(out, points[i]);
        return out;
    }

    std::u32string_view points;
    std::span<const uint8_t> classes;

private:
    static constexpr size_t kShort = 48;  // bytes
    char32_t short_points_[kShort];
    uint8_t short_classes_[kShort];
    std::vector<char32_t> long_points_;
    std::vector<uint8_t> long_classes_;
};

std::string lower(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    Characters characters(text);
    for (char32_t c; characters.next(c);) append_utf8(out, to_lower(c));
    return out;
}

// Replaces digits by 0; with `collapse`, runs of digits by one 0.
std::string replace_digits(const DecodedWord& word, bool collapse) {
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

std::string shape(const DecodedWord& word, bool collapse) {
    std::string out;
    char32_t last = 0xffffffff;  // not a character
    for (size_t i = 0; i < word.size(); ++i) {
        const char32_t c = word.is(i, kUpper) ? U'X' : word.is(i, kLetter) ? U'x' : word.is(i, kDigit) ? U'd' : word.points[i];
        if (!collapse || c != last) append_utf8(out, c);
        last = c;
    }
    return out;
}

// Adds all distinct substrings with lengths from `shortest` to `longest` characters.
void ngrams(std::string_view text, int shortest, int longest, Values& out) {
    constexpr size_t kShort = 64;
    size_t short_starts[kShort + 1];
    std::vector<size_t> long_starts;
    if (text.size() > kShort) long_starts.resize(text.size() + 1);
    size_t* const starts = long_starts.empty() ? short_starts : long_starts.data();  // offsets of characters, and the end
    size_t size = 0;
    for (size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts[size++] = i;
    starts[size] = text.size();
    const auto gram = [&](size_t i, size_t n) { return text.substr(starts[i], starts[i + n] - starts[i]); };
    // The prefix of a repeated substring is repeated, too. So only positions with a repeated substring are compared at the next length.
    bool repeated[kShort];
    std::fill_n(repeated, kShort, true);
    std::unordered_set<std::string_view> seen_in_long_word;
    for (size_t n = static_cast<size_t>(shortest); n <= static_cast<size_t>(longest) && n <= size; ++n) {
        for (size_t i = 0; i + n <= size; ++i) {
            const std::string_view current = gram(i, n);
            if (size > kShort) {
                if (!seen_in_long_word.insert(current).second) continue;
            } else if (repeated[i]) {
                const auto is_equal = [&](size_t j) { return text[starts[j]] == current[0] && gram(j, n) == current; };
                size_t j = 0;
                while (j < i && !is_equal(j)) ++j;
                repeated[i] = j < i;
                if (repeated[i]) continue;
            }
            out.add(current);
        }
    }
}

// Recognizes digits with single commas, points, colons or slashes inside, an optional sign and percent sign: 1,000.5 -3 10:30 5%
bool is_number(const DecodedWord& word) {
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
bool is_acronym(const DecodedWord& word) {
    if (word.size() < 3) return false;
    for (size_t i = 0; i < word.size(); ++i)
        if (i % 2 == 0 ? !word.is(i, kUpper) : word.points[i] != U'.') return false;
    return true;
}

bool has_quote(const DecodedWord& word) {
    static const std::u32string kQuotes = U"\"'`\u00B4\u2018\u2019\u201A\u201C\u201D\u201E\u00AB\u00BB\u2039\u203A";
    return word.points.find_first_of(kQuotes) != std::u32string_view::npos;
}

void orthography(const DecodedWord& word, Values& out) {
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    const auto add = [&out](bool holds, const char* name) {
        if (holds) out.add(name);
    };
    add(word.is(0, kUpper), "initial-capital");
    add(upper == size, "all-capitals");
    add(size == 1 && upper == 1, "single-capital");
    add(upper > 0 && lower > 0, "mixed-case");
    add(digit > 0, "has-digit");
    add(digit == size, "all-digits");
    add(is_number(word), "number");
    add(size >= 2 && word.count_point(U'.') == size, "periods");
    add(word.points.back() == U'.', "ends-with-period");
    add(word.count_point(U'-') > 0, "has-dash");
    add(is_acronym(word), "acronym");
    add(size == 2 && word.is(0, kUpper) && word.points[1] == U'.', "initial");
    add(size == 1 && word.is(0, kLetter), "single-letter");
    add(word.count(kPunctuation) > 0, "has-punctuation");
    add(has_quote(word), "has-quote");
}

void orthography_dfi(const DecodedWord& word, std::string_view text, Values& out) {
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    const size_t letters = word.count(kLetter), punctuation = word.count(kPunctuation);
    const size_t period = word.count_point(U'.'), hyphen = word.count_point(U'-');
    const auto add = [&out](bool holds, const char* name) {
        if (holds) out.add(name);
    };
    const size_t inner_upper = upper - (word.is(0, kUpper) ? 1 : 0);
    add(text.find("://") != std::string_view::npos || text.starts_with("www."), "link");
    add(upper == size, "all-upper");
    add(lower == size, "all-lower");
    add(digit == size, "all-digits");
    add(punctuation == size, "all-punctuation");
    add(digit > 0 && punctuation > 0 && digit + punctuation == size, "digits-and-punctuation");
    add(letters > 0 && lower == 0, "no-lower");
    add(word.is(0, kUpper) && inner_upper == 0, "first-upper-only");
    add(inner_upper == 1, "one-inner-upper");
    add(inner_upper > 1, "inner-uppers");
    add(digit > 0, "has-digit");
    add(period > 0, "has-period");
    add(hyphen > 0, "has-hyphen");
    add(punctuation > period + hyphen, "has-other-punctuation");
}

void apply(const Step& step, std::string_view text, Values out) {
    const size_t length = static_cast<size_t>(step.a);
    switch (step.function) {
        case Function::lower: out.add(lower(text)); break;
        case Function::simplify: out.add(replace_digits(DecodedWord(text), true)); break;
        case Function::shape: out.add(shape(DecodedWord(text), false)); break;
        case Function::short_shape: out.add(shape(DecodedWord(text), true)); break;
        case Function::digits: {
            const DecodedWord word(text);
            if (word.count(kDigit) > 0) out.add(replace_digits(word, false));
            break;
        }
        case Function::prefix: {
            const DecodedWord word(text);
            if (word.size() > length) out.add(word.slice(0, length));
            break;
        }
        case Function::suffix: {
            const DecodedWord word(text);
            if (word.size() > length) out.add(word.slice(word.size() - length, word.size()));
            break;
        }
        case Function::ngrams: ngrams(text, step.a, step.b, out); break;
        case Function::edge_ngrams: ngrams("<" + std::string(text) + ">", step.a, step.b, out); break;
        case Function::orthography: orthography(DecodedWord(text), out); break;
        case Function::orthography_dfi: orthography_dfi(DecodedWord(text), text, out); break;
        case Function::lookup: {
            const std::string_view value = step.lexicon->value(text);
            if (value.data()) out.add(step.a > 0 ? take_characters(value, length) : value);
            break;
        }
    }
}

}  // namespace

void WordFunction::values(std::string_view text, Values out) const {
    std::vector<std::string> values;
    for (size_t i = 0; i + 1 < steps_.size(); ++i) {
        std::vector<std::string> next;
        apply(steps_[i], text, Values(next));
        if (next.empty()) return;
        values = std::move(next);
        text = values[0];
    }
    if (steps_.empty()) out.add(text);
    else apply(steps_.back(), text, out);
}

char capital_class(std::string_view text) {
    const DecodedWord word(text);
    const size_t upper = word.count(kUpper), letters = word.count(kLetter);
    if (upper >= 2 && upper == letters) return 'A';
    if (upper > 0) return word.is(0, kUpper) ? 'C' : 'M';
    if (letters > 0) return 'l';
    return word.count(kDigit) > 0 ? 'd' : '.';
}

}  // namespace tagpool
