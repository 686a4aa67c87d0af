// Lexicons: external knowledge about words and phrases.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/strings.hpp"

namespace tagpool {

// WordLexicon: one value per word, such as a cluster's bit string or an ambiguity class.
class WordLexicon {
public:
    // Ignored if the word has a value.
    void add(std::string_view word, std::string_view value);
    // The value of a word; its data() is null for an unknown word.
    std::string_view value(std::string_view word) const;
    uint32_t size() const { return words_.size(); }
    std::string_view word(uint32_t i) const { return words_[i]; }
    std::string_view value_at(uint32_t i) const { return values_[value_of_[i]]; }

private:
    StringTable words_, values_;
    std::vector<uint32_t> value_of_;  // a [words] array of ids in values_
};

// RowLexicon: words as rows of an embedding matrix that is stored elsewhere.
class RowLexicon {
public:
    void add(std::string_view word, uint32_t row);
    int32_t row(std::string_view word) const;  // -1 for an unknown word
    std::string_view word(uint32_t i) const { return words_[i]; }
    uint32_t size() const { return words_.size(); }

private:
    StringTable words_;
    std::vector<uint32_t> rows_;  // a [words] array
};

// VectorLexicon: words with embedding vectors.
class VectorLexicon {
public:
    // `vectors` is a [rows][width] matrix. Throws InputFault if a word's row is out of range.
    VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width);
    uint32_t width() const { return width_; }
    uint32_t size() const { return words_.size(); }
    std::string_view word(uint32_t i) const { return words_.word(i); }
    const float* vector(std::string_view word) const;  // null for an unknown word

private:
    RowLexicon words_;
    std::vector<float> vectors_;  // a [rows][width] matrix
    uint32_t width_;
};

// PhraseLexicon: phrases of one or more words in named lists, by the running hash of their words. The table also contains every proper
// prefix of a phrase, so that a search can stop at the first word that continues no phrase.
class PhraseLexicon {
public:
    static constexpr size_t kMaxLists = 65535;

    uint16_t add_list(std::string_view name);
    void add(uint16_t list, const std::vector<std::string>& words);

    struct Entry {
        uint64_t hash;
        uint32_t lists;  // 1 + index into list_sets_; 0: only a prefix of a longer phrase
    };
    static uint64_t start() { return 0x7461677068726173ULL; }
    static uint64_t extend(uint64_t phrase, uint64_t word_hash);
    const Entry* find(uint64_t phrase) const;  // null if no phrase has this prefix
    const std::vector<uint16_t>& lists_of(const Entry& entry) const { return list_sets_[entry.lists - 1]; }

    const std::string& list_name(uint16_t list) const { return names_[list]; }
    size_t list_count() const { return names_.size(); }
    size_t phrase_count() const { return phrases_; }

    // The parts that a file contains: the used entries, and the sets of lists that they refer to.
    std::vector<Entry> entries() const;
    const std::vector<std::vector<uint16_t>>& list_sets() const { return list_sets_; }
    // Builds the lexicon from its parts; throws InputFault if they are inconsistent.
    static PhraseLexicon restore(std::vector<std::string> names, const std::vector<std::vector<uint16_t>>& list_sets,
                                 const std::vector<Entry>& entries);

private:
    Entry& insert(uint64_t phrase);
    void grow();
    uint32_t with_list(uint32_t lists, uint16_t list);

    std::vector<std::string> names_;
    std::vector<Entry> slots_;  // open addressing, hash 0 = free
    size_t used_ = 0, phrases_ = 0;
    std::vector<std::vector<uint16_t>> list_sets_;  // distinct sets of lists that contain a phrase
    StringTable list_set_keys_;                     // the same sets as bytes
};

}  // namespace tagpool
