#include "features/words.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace tagpool {
namespace {

// A word taken apart once: its characters and their classes. Those of usual words need no room from elsewhere.
class Spelled {
public:
    explicit Spelled(std::string_view text) {
        if (text.size() > kUsual) {
            long_points_.resize(text.size());
            long_classes_.resize(text.size());
        }
        char32_t* const to = long_points_.empty() ? few_points_ : long_points_.data();
        uint8_t* const of = long_classes_.empty() ? few_classes_ : long_classes_.data();
        Characters characters(text);
        size_t count = 0;
        for (char32_t c; characters.next(c); ++count) {
            to[count] = c;
            of[count] = character_class(c);
        }
        points = {to, count};
        classes = {of, count};
    }
    Spelled(const Spelled&) = delete;
    size_t size() const { return points.size(); }
    bool is(size_t i, uint8_t wanted) const { return (classes[i] & wanted) != 0; }
    size_t count(uint8_t wanted) const {
        return static_cast<size_t>(std::count_if(classes.begin(), classes.end(), [&](uint8_t c) { return c & wanted; }));
    }
    size_t count_point(char32_t point) const {
        return static_cast<size_t>(std::count(points.begin(), points.end(), point));
    }
    std::string slice(size_t begin, size_t end) const {
        std::string out;
        for (size_t i = begin; i < end; ++i) append_utf8(out, points[i]);
        return out;
    }

    std::u32string_view points;
    std::span<const uint8_t> classes;

private:
    static constexpr size_t kUsual = 48;  // bytes
    char32_t few_points_[kUsual];
    uint8_t few_classes_[kUsual];
    std::vector<char32_t> long_points_;
    std::vector<uint8_t> long_classes_;
};

std::string lowered(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    Characters characters(text);
    for (char32_t c; characters.next(c);) append_utf8(out, to_lower(c));
    return out;
}

// Digits become 0; with `collapse` a run of them becomes one.
std::string zeroed(const Spelled& word, bool collapse) {
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

std::string shape(const Spelled& word, bool collapse) {
    std::string out;
    char32_t last = 0xffffffff;  // no character
    for (size_t i = 0; i < word.size(); ++i) {
        const char32_t c = word.is(i, kUpper) ? U'X' : word.is(i, kLetter) ? U'x' : word.is(i, kDigit) ? U'd' : word.points[i];
        if (!collapse || c != last) append_utf8(out, c);
        last = c;
    }
    return out;
}

// All substrings of these lengths, each once; the same bytes are the same substring, so nothing is copied.
void ngrams(std::string_view text, int shortest, int longest, Values& out) {
    constexpr size_t kUsual = 64;
    size_t few[kUsual + 1];
    std::vector<size_t> many;
    if (text.size() > kUsual) many.resize(text.size() + 1);
    size_t* const starts = many.empty() ? few : many.data();  // of characters, and the end
    size_t size = 0;
    for (size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts[size++] = i;
    starts[size] = text.size();
    const auto gram = [&](size_t i, size_t n) { return text.substr(starts[i], starts[i + n] - starts[i]); };
    // What was met before begins with something that was met before: only such places are looked at again for the next length.
    bool again[kUsual];
    std::fill_n(again, kUsual, true);
    std::unordered_set<std::string_view> seen_in_long_word;
    for (size_t n = static_cast<size_t>(shortest); n <= static_cast<size_t>(longest) && n <= size; ++n) {
        for (size_t i = 0; i + n <= size; ++i) {
            const std::string_view here = gram(i, n);
            if (size > kUsual) {
                if (!seen_in_long_word.insert(here).second) continue;
            } else if (again[i]) {
                const auto met = [&](size_t j) { return text[starts[j]] == here[0] && gram(j, n) == here; };
                size_t j = 0;
                while (j < i && !met(j)) ++j;
                again[i] = j < i;
                if (again[i]) continue;
            }
            out.take(here);
        }
    }
}

// Digits with single commas, points, colons or slashes inside, an optional sign before and percent sign after: 1,000.5 -3 10:30 5%
bool is_number(const Spelled& word) {
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

// Two or more capitals, each followed by a period (the last one may lack it): U.S. U.N U.S.A.
bool is_acronym(const Spelled& word) {
    if (word.size() < 3) return false;
    for (size_t i = 0; i < word.size(); ++i)
        if (i % 2 == 0 ? !word.is(i, kUpper) : word.points[i] != U'.') return false;
    return true;
}

bool has_quote(const Spelled& word) {
    static const std::u32string kQuotes = U"\"'`\u00B4\u2018\u2019\u201A\u201C\u201D\u201E\u00AB\u00BB\u2039\u203A";
    return word.points.find_first_of(kQuotes) != std::u32string_view::npos;
}

void orthography(const Spelled& word, Values& out) {
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    const auto note = [&out](bool holds, const char* name) {
        if (holds) out.take(name);
    };
    note(word.is(0, kUpper), "initial-capital");
    note(upper == size, "all-capitals");
    note(size == 1 && upper == 1, "single-capital");
    note(upper > 0 && lower > 0, "mixed-case");
    note(digit > 0, "has-digit");
    note(digit == size, "all-digits");
    note(is_number(word), "number");
    note(size >= 2 && word.count_point(U'.') == size, "periods");
    note(word.points.back() == U'.', "ends-with-period");
    note(word.count_point(U'-') > 0, "has-dash");
    note(is_acronym(word), "acronym");
    note(size == 2 && word.is(0, kUpper) && word.points[1] == U'.', "initial");
    note(size == 1 && word.is(0, kLetter), "single-letter");
    note(word.count(kPunctuation) > 0, "has-punctuation");
    note(has_quote(word), "has-quote");
}

void orthography_dfi(const Spelled& word, std::string_view text, Values& out) {
    const size_t size = word.size();
    if (size == 0) return;
    const size_t upper = word.count(kUpper), lower = word.count(kLower), digit = word.count(kDigit);
    const size_t letters = word.count(kLetter), punctuation = word.count(kPunctuation);
    const size_t period = word.count_point(U'.'), hyphen = word.count_point(U'-');
    const auto note = [&out](bool holds, const char* name) {
        if (holds) out.take(name);
    };
    const size_t inner_upper = upper - (word.is(0, kUpper) ? 1 : 0);
    note(text.find("://") != std::string_view::npos || text.starts_with("www."), "link");
    note(upper == size, "all-upper");
    note(lower == size, "all-lower");
    note(digit == size, "all-digits");
    note(punctuation == size, "all-punctuation");
    note(digit > 0 && punctuation > 0 && digit + punctuation == size, "digits-and-punctuation");
    note(letters > 0 && lower == 0, "no-lower");
    note(word.is(0, kUpper) && inner_upper == 0, "first-upper-only");
    note(inner_upper == 1, "one-inner-upper");
    note(inner_upper > 1, "inner-uppers");
    note(digit > 0, "has-digit");
    note(period > 0, "has-period");
    note(hyphen > 0, "has-hyphen");
    note(punctuation > period + hyphen, "has-other-punctuation");
}

void apply(const Step& step, std::string_view text, Values out) {
    const size_t length = static_cast<size_t>(step.a);
    switch (step.function) {
        case Function::lower: out.take(lowered(text)); break;
        case Function::simplify: out.take(zeroed(Spelled(text), true)); break;
        case Function::shape: out.take(shape(Spelled(text), false)); break;
        case Function::short_shape: out.take(shape(Spelled(text), true)); break;
        case Function::digits: {
            const Spelled word(text);
            if (word.count(kDigit) > 0) out.take(zeroed(word, false));
            break;
        }
        case Function::prefix: {
            const Spelled word(text);
            if (word.size() > length) out.take(word.slice(0, length));
            break;
        }
        case Function::suffix: {
            const Spelled word(text);
            if (word.size() > length) out.take(word.slice(word.size() - length, word.size()));
            break;
        }
        case Function::ngrams: ngrams(text, step.a, step.b, out); break;
        case Function::edge_ngrams: ngrams("<" + std::string(text) + ">", step.a, step.b, out); break;
        case Function::orthography: orthography(Spelled(text), out); break;
        case Function::orthography_dfi: orthography_dfi(Spelled(text), text, out); break;
        case Function::lookup: {
            const std::string_view value = step.lexicon->value(text);
            if (value.data()) out.take(step.a > 0 ? beginning_of(value, length) : value);
            break;
        }
    }
}

}  // namespace

void WordFunction::values(std::string_view text, Values out) const {
    std::vector<std::string> one;
    for (size_t i = 0; i + 1 < steps_.size(); ++i) {
        std::vector<std::string> next;
        apply(steps_[i], text, Values(next));
        if (next.empty()) return;
        one = std::move(next);
        text = one[0];
    }
    if (steps_.empty()) out.take(text);
    else apply(steps_.back(), text, out);
}

char capital_class(std::string_view text) {
    const Spelled word(text);
    const size_t upper = word.count(kUpper), letters = word.count(kLetter);
    if (upper >= 2 && upper == letters) return 'A';
    if (upper > 0) return word.is(0, kUpper) ? 'C' : 'M';
    if (letters > 0) return 'l';
    return word.count(kDigit) > 0 ? 'd' : '.';
}

}  // namespace tagpool
