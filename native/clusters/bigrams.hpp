// Bigrams: which words follow which in a text, counted from tokenised sentences.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "text/strings.hpp"
#include "features/words.hpp"

namespace tagpool {

// Neighbours of each word on one side: those of word w are entries starts[w] to starts[w + 1], in the order of their numbers.
struct Neighbours {
    std::vector<uint64_t> starts;
    std::vector<uint32_t> words, counts;
};

// Words are numbered from the most frequent one on; of equally frequent ones the first in the alphabet (of bytes) comes first, so that
// the order of the sentences does not matter.
struct Bigrams {
    std::vector<uint32_t> names;   // what the text calls each word
    std::vector<uint64_t> counts;  // how often each occurs
    Neighbours after, before;
    size_t size() const { return names.size(); }
};

class SentenceText {
public:
    // Words are counted as what the function makes of them; where that is nothing, there is no word.
    explicit SentenceText(WordFunction function) : function_(std::move(function)) {}

    // One sentence a line, words separated by blanks.
    void add_text(std::string_view text);
    void add_word(std::string_view word);
    void end_sentence();

    size_t token_count() const { return tokens_; }
    std::string_view word(uint32_t name) const { return words_[name]; }
    // Words that occur fewer than `minimum` times are left out, and nothing is next to them. Throws InputFault for a text too long to be
    // counted in 32 bits.
    Bigrams bigrams(uint64_t minimum) const;

private:
    static constexpr uint32_t kEnd = UINT32_MAX;

    WordFunction function_;
    StringTable given_, words_;
    std::vector<uint32_t> word_of_;  // by given word
    Buffer<uint32_t> text_;  // words as numbers, kEnd behind each sentence
    size_t tokens_ = 0;
};

}  // namespace tagpool
