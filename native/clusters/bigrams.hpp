// Bigrams: counts of adjacent words in tokenized sentences.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "features/words.hpp"
#include "text/strings.hpp"

namespace tagpool {

// The neighbours of each word on one side, as compressed rows: row w is entries starts[w]..starts[w + 1], sorted by word.
struct Neighbours {
    std::vector<uint64_t> starts;         // a [words + 1] array
    std::vector<uint32_t> words, counts;  // [entries] arrays
};

// Words are numbered by falling frequency, ties by their bytes, so that the order of the sentences does not matter.
struct Bigrams {
    std::vector<uint32_t> names;   // a [words] array: the id of each word in the text
    std::vector<uint64_t> counts;  // a [words] array: frequency of each word
    Neighbours after, before;
    size_t size() const { return names.size(); }
};

// SentenceText: sentences as word ids.
class SentenceText {
public:
    // The function maps each token to the word that is counted; a token without a value separates its neighbours.
    explicit SentenceText(WordFunction function) : function_(std::move(function)) {}

    // Adds one sentence per line, words separated by blanks.
    void add_text(std::string_view text);
    void add_word(std::string_view word);
    void end_sentence();

    size_t token_count() const { return token_count_; }
    std::string_view word(uint32_t name) const { return words_[name]; }
    // Drops words with a frequency below `minimum` together with their bigrams. Throws InputFault if counts exceed 32 bits.
    Bigrams bigrams(uint64_t minimum) const;

private:
    static constexpr uint32_t kEnd = UINT32_MAX;

    WordFunction function_;
    StringTable tokens_, words_;     // before and after the function
    std::vector<uint32_t> word_of_;  // a [distinct tokens] array: id in words_, or kEnd
    Buffer<uint32_t> text_;          // ids in words_, kEnd after each sentence
    size_t token_count_ = 0;
};

}  // namespace tagpool
