#include "text/tokenize.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "text/unicode.hpp"

namespace tagpool {
namespace {

// These keep their period.
const std::unordered_set<std::u32string> kAbbreviations = {
    U"Mr", U"Mrs", U"Ms", U"Messrs", U"Dr", U"Prof", U"Rev", U"Hon", U"Gen", U"Col", U"Capt", U"Lt", U"Sgt", U"Maj",
    U"Gov", U"Sen", U"Rep", U"St", U"Mt", U"Ft", U"Ave", U"Blvd", U"Rd", U"Inc", U"Ltd", U"Co", U"Corp", U"Bros",
    U"Jr", U"Sr", U"vs", U"etc", U"cf", U"No", U"Nos", U"Vol", U"Fig", U"Jan", U"Feb", U"Mar", U"Apr", U"Jun",
    U"Jul", U"Aug", U"Sep", U"Sept", U"Oct", U"Nov", U"Dec"};

class Scanner {
public:
    explicit Scanner(std::string_view text) {
        Characters characters(text);
        for (char32_t c; characters.next(c);) text_.push_back(c);
    }

    std::vector<TokenSpan> run() {
        while (at_ < text_.size()) {
            if (is_space(at_)) {
                ++at_;
                continue;
            }
            size_t end = address();
            if (end == at_) end = number();
            if (end == at_) end = dotted();
            if (end == at_) end = clitic_alone();
            if (end == at_) end = word();
            take(end == at_ ? repeated() : end);
        }
        return std::move(tokens_);
    }

private:
    char32_t at(size_t i) const { return i < text_.size() ? text_[i] : U' '; }
    bool is_space(size_t i) const { return i >= text_.size() || (character_class(text_[i]) & kSpace) || text_[i] < 0x20; }
    bool is(size_t i, uint8_t wanted) const { return i < text_.size() && (character_class(text_[i]) & wanted); }
    // Letters, digits and the marks that belong to them in any script: whatever is neither blank nor punctuation.
    bool is_word(size_t i) const { return !is_space(i) && !is(i, kPunctuation); }
    static bool one_of(char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }
    bool starts_with(size_t i, std::u32string_view what) const {
        for (size_t k = 0; k < what.size(); ++k)
            if (to_lower(at(i + k)) != what[k]) return false;
        return true;
    }
    void take(size_t end) {
        tokens_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end)});
        at_ = end;
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

    // Each rule returns where its token ends, or at_ if it does not apply.
    size_t address() {
        if (starts_with(at_, U"http://") || starts_with(at_, U"https://") || starts_with(at_, U"www.")) {
            size_t end = at_;
            while (!is_space(end) && !one_of(text_[end], U"<>\"")) ++end;
            while (end > at_ && one_of(text_[end - 1], U".,;:!?)]}'\u2019")) --end;
            return end;
        }
        if (at_ < no_mail_until_) return at_;
        size_t end = at_;
        while (is_word(end) || one_of(at(end), U"._+-")) ++end;
        no_mail_until_ = end;
        if (end == at_ || at(end) != U'@' || !is_word(end + 1)) return at_;
        end = skip_word(end + 1);
        size_t parts = 1;
        while (one_of(at(end), U".-") && is_word(end + 1)) {
            end = skip_word(end + 1);
            ++parts;
        }
        return parts > 1 ? end : at_;
    }

    size_t number() const {
        size_t i = at_;
        if (one_of(at(i), U"+-") && (at_ == 0 || is_space(at_ - 1))) ++i;
        if (!is(i, kDigit)) return at_;
        i = skip_digits(i);
        for (std::u32string_view ending : {U"st", U"nd", U"rd", U"th"})
            if (starts_with(i, ending) && !is_word(i + 2)) return i + 2;
        // "4x4", "3.5m" and "20-year-old" are words.
        return is_word(i) || (one_of(at(i), U"'\u2019-_&") && is_word(i + 1)) ? at_ : i;
    }

    size_t dotted() {
        // Inside such a run every letter's run ends where the first one's does.
        size_t end = at_ < dotted_until_ && is(at_, kLetter) ? dotted_until_ : at_;
        while (is(end, kLetter) && at(end + 1) == U'.') end += 2;
        dotted_until_ = std::max(dotted_until_, end);
        // "U.S." and "e.g.", and "J." before a blank; but not the end of "...a.b".
        if (end >= at_ + 4 && !is_word(end)) return end;
        return end == at_ + 2 && is(at_, kUpper) && end < text_.size() && is_space(end) ? end : at_;
    }

    // The length of 's 're 've 'll 'd 'm at i, where no word goes on behind it; else 0.
    size_t clitic_length(size_t i) const {
        if (!one_of(at(i), U"'\u2019")) return 0;
        for (std::u32string_view ending : {U"s", U"re", U"ve", U"ll", U"d", U"m"})
            if (starts_with(i + 1, ending) && !is_word(i + 1 + ending.size())) return ending.size() + 1;
        return 0;
    }
    size_t clitic_alone() const {
        const size_t length = clitic_length(at_);
        return length ? at_ + length : (starts_with(at_, U"n't") || starts_with(at_, U"n\u2019t")) && !is_word(at_ + 3) ? at_ + 3 : at_;
    }

    size_t word() const {
        size_t i = at_;
        if (one_of(at(i), U"@#")) ++i;
        if (!is_word(i)) return at_;
        const size_t first = i;
        i = skip_word(skip_digits(i));
        while (true) {
            const bool domain = at(i) == U'.' && is(i - 1, kLower) && is(i + 1, kLower);
            if (!(domain || one_of(at(i), U"'\u2019-_&")) || !is_word(i + 1) || clitic_length(i)) break;
            const bool negation = one_of(at(i), U"'\u2019") && one_of(text_[i - 1], U"nN") && one_of(at(i + 1), U"tT") && !is_word(i + 2);
            if (negation && i - 1 > first) return i - 1;  // do|n't
            i = skip_word(i + 1);
        }
        if (at(i) == U'.' && kAbbreviations.contains(text_.substr(at_, i - at_)) && !is_word(i + 1)) ++i;
        return i;
    }

    size_t repeated() const {
        size_t end = at_ + 1;
        while (end < text_.size() && text_[end] == text_[at_]) ++end;
        return end;
    }

    std::u32string text_;
    size_t at_ = 0;
    // What an earlier token's rules have found out by looking ahead; without it, hostile text would take quadratic time.
    size_t no_mail_until_ = 0;  // the characters up to here are the first half of no e-mail address
    size_t dotted_until_ = 0;   // the end of the last run of letters with periods
    std::vector<TokenSpan> tokens_;
};

}  // namespace

std::vector<TokenSpan> tokenize(std::string_view text) { return Scanner(text).run(); }

}  // namespace tagpool
