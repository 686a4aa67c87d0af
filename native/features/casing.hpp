// Casing: how words and sentences are written. A capital says something of a word only where not every word has one: not in headlines,
// and not at the beginning of a sentence.
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
    explicit Casing(const Column& column) : column_(column), known_(column.strings->size(), 0) {}

    enum Sentence : uint8_t { none, upper, title, mixed };  // without letters; in capitals; of words that begin with one; other
    static constexpr std::array<std::string_view, 4> kSentenceNames = {"none", "upper", "title", "mixed"};
    Sentence of_sentence(int64_t begin, int64_t end);

    enum Form : uint8_t { small, capital, capitals, nothing };
    static constexpr std::array<std::string_view, 3> kFormNames = {"small", "capital", "capitals"};
    // How a word of a mixed sentence is written; nothing where it has no letter in front, or the capital of the sentence's beginning.
    Form of_word(int64_t token, bool is_first);

    bool is_capitalised(int64_t token) { return flags(token) & kCapitalised; }

private:
    enum : uint8_t { kKnown = 1, kCapitalised = 2, kLetterFirst = 4, kHasLetter = 8, kAllUpper = 16, kLong = 32 };
    uint8_t flags(int64_t token);

    const Column& column_;
    std::vector<uint8_t> known_;  // by string, 0: not looked at yet
};

}  // namespace tagpool
