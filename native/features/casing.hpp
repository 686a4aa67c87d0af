// Casing: the case of words and sentences. A capital is informative only if other words lack it: not in headlines, and not at the
// beginning of a sentence.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/columns.hpp"

namespace tagpool {

class Casing {
public:
    explicit Casing(const Column& column) : column_(column), flags_(column.strings->size(), 0) {}

    enum Sentence : uint8_t { none, upper, title, mixed };  // no letters; all capitals; most words capitalized; other
    static constexpr std::array<std::string_view, 4> kSentenceNames = {"none", "upper", "title", "mixed"};
    Sentence of_sentence(int64_t begin, int64_t end);

    enum Form : uint8_t { small, capital, capitals, unknown };
    static constexpr std::array<std::string_view, 3> kFormNames = {"small", "capital", "capitals"};
    // The case of a word in a mixed sentence; unknown if it begins without a letter, or with the capital of the sentence's first word.
    Form of_word(int64_t token, bool is_first);

    bool is_capitalized(int64_t token) { return flags(token) & kCapitalized; }

private:
    enum : uint8_t { kComputed = 1, kCapitalized = 2, kLetterFirst = 4, kHasLetter = 8, kAllUpper = 16, kLong = 32 };
    uint8_t flags(int64_t token);

    const Column& column_;
    std::vector<uint8_t> flags_;  // a [strings] array, 0 = not computed
};

}  // namespace tagpool
