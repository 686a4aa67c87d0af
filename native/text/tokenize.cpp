#include "text/tokenize.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "text/unicode.hpp"

namespace tagpool {
namespace {

// Abbreviations that keep their period.
const std::unordered_set<std::u32string> kAbbreviations = {
    U"Mr",  U"Mrs", U"Ms",  U"Messrs", U"Dr",   U"Prof", U"Rev", U"Hon", U"Gen", U"Col",  U"Capt", U"Lt",   U"Sgt", U"Maj", U"Gov", U"Sen", U"Rep",
    U"St",  U"Mt",  U"Ft",  U"Ave",    U"Blvd", U"Rd",   U"Inc", U"Ltd", U"Co",  U"Corp", U"Bros", U"Jr",   U"Sr",  U"vs",  U"etc", U"cf",  U"No",
    U"Nos", U"Vol", U"Fig", U"Jan",    U"Feb",  U"Mar",  U"Apr", U"Jun", U"Jul", U"Aug",  U"Sep",  U"Sept", U"Oct", U"Nov", U"Dec"};

constexpr char32_t kJoiner = 0x200D;

class Tokenizer {
public:
    explicit Tokenizer(std::string_view text) {
        Characters characters(text);
        for (char32_t c; characters.next(c);) text_.push_back(c);
    }

    std::vector<TokenSpan> run() {
        while (position_ < text_.size()) {
            if (is_space(position_)) {
                ++position_;
                continue;
            }
            size_t end = match_address();
            if (end == position_) end = match_number();
            if (end == position_) end = match_dotted();
            if (end == position_) end = match_clitic();
            if (end == position_) end = match_word();
            if (end == position_) end = match_emoji();
            add_token(end == position_ ? match_repetition() : end);
        }
        return std::move(tokens_);
    }

private:
    char32_t at(size_t i) const { return i < text_.size() ? text_[i] : U' '; }
    bool is_space(size_t i) const { return i >= text_.size() || (character_class(text_[i]) & kSpace) || text_[i] < 0x20; }
    bool is(size_t i, uint8_t wanted) const { return i < text_.size() && (character_class(text_[i]) & wanted); }
    // Letters, digits and combining marks of any script: all characters except blanks and punctuation.
    bool is_word(size_t i) const { return !is_space(i) && !is(i, kPunctuation); }
    static bool one_of(char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }
    bool starts_with(size_t i, std::u32string_view prefix) const {
        for (size_t k = 0; k < prefix.size(); ++k)
            if (to_lower(at(i + k)) != prefix[k]) return false;
        return true;
    }
    void add_token(size_t end) {
        tokens_.push_back({static_cast<uint32_t>(position_), static_cast<uint32_t>(end)});
        position_ = end;
    }
    size_t skip_word(size_t i) const {
        while (is_word(i)) ++i;
        return i;
    }

    // Digits with single separators inside.
    size_t skip_digits(size_t i) const {
        while (is(i, kDigit)) {
            while (is(i, kDigit)) ++i;
            if (!one_of(at(i), U".,:/-") || !is(i + 1, kDigit)) break;
            ++i;
        }
        return i;
    }

    // Each rule returns the end of its token, or the current position if it does not apply.
    size_t match_address() {
        if (starts_with(position_, U"http://") || starts_with(position_, U"https://") || starts_with(position_, U"www.")) {
            size_t end = position_;
            while (!is_space(end) && !one_of(text_[end], U"<>\"")) ++end;
            while (end > position_ && one_of(text_[end - 1], U".,;:!?)]}'\u2019")) --end;
            return end;
        }
        if (position_ < no_mail_until_) return position_;
        size_t end = position_;
        while (is_word(end) || one_of(at(end), U"._+-")) ++end;
        no_mail_until_ = end;
        if (end == position_ || at(end) != U'@' || !is_word(end + 1)) return position_;
        end = skip_word(end + 1);
        size_t parts = 1;
        while (one_of(at(end), U".-") && is_word(end + 1)) {
            end = skip_word(end + 1);
            ++parts;
        }
        return parts > 1 ? end : position_;
    }

    size_t match_number() const {
        size_t i = position_;
        if (one_of(at(i), U"+-") && (position_ == 0 || is_space(position_ - 1))) ++i;
        if (!is(i, kDigit)) return position_;
        i = skip_digits(i);
        for (std::u32string_view ending : {U"st", U"nd", U"rd", U"th"})
            if (starts_with(i, ending) && !is_word(i + 2)) return i + 2;
        // "4x4", "3.5m" and "20-year-old" are words.
        return is_word(i) || (one_of(at(i), U"'\u2019-_&") && is_word(i + 1)) ? position_ : i;
    }

    size_t match_dotted() {
        // All positions inside a run of letters with periods share its end.
        size_t end = position_ < dotted_until_ && is(position_, kLetter) ? dotted_until_ : position_;
        while (is(end, kLetter) && at(end + 1) == U'.') end += 2;
        dotted_until_ = std::max(dotted_until_, end);
        // "U.S.", "e.g.", and "J." before a blank; not the end of "...a.b".
        if (end >= position_ + 4 && !is_word(end)) return end;
        return end == position_ + 2 && is(position_, kUpper) && end < text_.size() && is_space(end) ? end : position_;
    }

    // The length of 's 're 've 'll 'd 'm at i if no word character follows, else 0.
    size_t clitic_length(size_t i) const {
        if (!one_of(at(i), U"'\u2019")) return 0;
        for (std::u32string_view ending : {U"s", U"re", U"ve", U"ll", U"d", U"m"})
            if (starts_with(i + 1, ending) && !is_word(i + 1 + ending.size())) return ending.size() + 1;
        return 0;
    }
    size_t match_clitic() const {
        const size_t length = clitic_length(position_);
        return length                                                                                               ? position_ + length
               : (starts_with(position_, U"n't") || starts_with(position_, U"n\u2019t")) && !is_word(position_ + 3) ? position_ + 3
                                                                                                                    : position_;
    }

    size_t match_word() const {
        size_t i = position_;
        if (one_of(at(i), U"@#")) ++i;
        if (!is_word(i)) return position_;
        const size_t first = i;
        i = skip_word(skip_digits(i));
        while (true) {
            const bool domain = at(i) == U'.' && is(i - 1, kLower) && is(i + 1, kLower);
            if (!(domain || one_of(at(i), U"'\u2019-_&")) || !is_word(i + 1) || clitic_length(i)) break;
            const bool negation = one_of(at(i), U"'\u2019") && one_of(text_[i - 1], U"nN") && one_of(at(i + 1), U"tT") && !is_word(i + 2);
            if (negation && i - 1 > first) return i - 1;  // do|n't
            i = skip_word(i + 1);
        }
        if (at(i) == U'.' && kAbbreviations.contains(text_.substr(position_, i - position_)) && !is_word(i + 1)) ++i;
        return i;
    }

    // A picture of several characters: with a colour or a variation, a keycap, the two letters of a flag, or pictures that are joined.
    size_t match_emoji() const {
        size_t end = skip_picture(position_);
        while (at(end) == kJoiner && is(end + 1, kPunctuation)) end = skip_picture(end + 1);
        return end > position_ + 1 ? end : position_;
    }
    size_t skip_picture(size_t i) const {
        const auto in = [&](size_t k, char32_t first, char32_t last) { return at(k) >= first && at(k) <= last; };
        i += in(i, 0x1F1E6, 0x1F1FF) && in(i + 1, 0x1F1E6, 0x1F1FF) ? 2 : 1;
        while (in(i, 0xFE0E, 0xFE0F) || in(i, 0x1F3FB, 0x1F3FF) || in(i, 0xE0020, 0xE007F) || at(i) == 0x20E3) ++i;
        return i;
    }

    size_t match_repetition() const {
        size_t end = position_ + 1;
        while (end < text_.size() && text_[end] == text_[position_]) ++end;
        return end;
    }

    std::u32string text_;
    size_t position_ = 0;
    // Results of earlier lookahead, which keep the time linear for any text.
    size_t no_mail_until_ = 0;  // no e-mail address begins before this position
    size_t dotted_until_ = 0;   // end of the last run of letters with periods
    std::vector<TokenSpan> tokens_;
};

}  // namespace

std::vector<TokenSpan> tokenize(std::string_view text) { return Tokenizer(text).run(); }

}  // namespace tagpool
