// SameWords: groups the tokens of a document by word, ignoring case. Without document marks, every sentence is a document.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "text/columns.hpp"

namespace tagpool {

class SameWords {
public:
    SameWords(const Columns& columns, const Column& column);

    // Moves to the document of a sentence.
    void enter(uint32_t sentence);
    // The first sentence of the document, which identifies it.
    uint32_t document() const { return first_; }
    int64_t begin() const { return columns_.sentences[first_]; }
    int64_t end() const { return columns_.sentences[last_]; }

    // All tokens with the same word as a token (including itself) in order, counted from begin().
    std::span<const uint32_t> occurrences(int64_t token);
    // All tokens grouped by word: the occurrences of one word after those of another.
    std::span<const uint32_t> grouped();
    uint32_t sentence_of(int64_t token) const {
        const auto begin = columns_.sentences.begin() + first_, end = columns_.sentences.begin() + last_;
        return static_cast<uint32_t>(std::upper_bound(begin, end, static_cast<uint32_t>(token)) - columns_.sentences.begin() - 1);
    }

private:
    void group();

    const Columns& columns_;
    const Column& column_;
    std::vector<uint32_t> word_of_;  // a [strings] array: the number of each string's word
    uint32_t first_ = 0, last_ = 0;  // sentences of the document
    bool is_grouped_ = false;
    std::vector<uint64_t> sort_keys_;  // scratch
    // [T] arrays for the T tokens of the document:
    std::vector<uint32_t> order_;      // tokens grouped by word
    std::vector<uint32_t> from_, to_;  // the range of each token's word in order_
};

}  // namespace tagpool
