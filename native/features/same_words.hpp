// SameWords: which tokens of a document are the same word, whatever its capitals. Without documents every sentence is one.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "text/columns.hpp"

namespace tagpool {

class SameWords {
public:
    SameWords(const Columns& columns, const Column& column);

    // The document of this sentence, until the next call.
    void enter(uint32_t sentence);
    // Its first sentence: tells documents apart.
    uint32_t document() const { return first_; }
    int64_t begin() const { return columns_.sentences[first_]; }
    int64_t end() const { return columns_.sentences[last_]; }

    // All tokens of the word at a token, counted from begin(), in their order: itself is among them.
    std::span<const uint32_t> all(int64_t token);
    // Words one after another: each group of tokens is `all` of its first.
    std::span<const uint32_t> grouped();
    uint32_t sentence_of(int64_t token);

private:
    void look();

    const Columns& columns_;
    const Column& column_;
    std::vector<uint32_t> word_of_;      // by string of the column: the number of its word
    uint32_t first_ = 0, last_ = 0;      // the document's sentences
    bool looked_ = false;
    std::vector<uint64_t> sorting_;
    std::vector<uint32_t> order_;        // its tokens, those of one word together
    std::vector<uint32_t> from_, to_;    // by token: where its word's are in order_
    std::vector<uint32_t> sentence_of_;  // by token
};

}  // namespace tagpool
