// Lexicons: what is known about words and phrases before any training.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/strings.hpp"

namespace tagpool {

// One value a word: cluster bit strings, ambiguity classes.
class WordLexicon {
public:
    // The first value given for a word stays.
    void add(std::string_view word, std::string_view value);
    // The value, or nullptr data for a word that is not listed.
    std::string_view value(std::string_view word) const;
    uint32_t size() const { return words_.size(); }
    std::string_view word(uint32_t i) const { return words_[i]; }
    std::string_view value_at(uint32_t i) const { return values_[value_of_[i]]; }

private:
    StringTable words_, values_;
    std::vector<uint32_t> value_of_;
};

// Word -> row of a matrix that lives elsewhere (embeddings).
class RowLexicon {
public:
    void add(std::string_view word, uint32_t row);
    int32_t row(std::string_view word) const;  // -1 when not listed
    std::string_view word(uint32_t i) const { return words_[i]; }
    uint32_t size() const { return words_.size(); }

private:
    StringTable words_;
    std::vector<uint32_t> rows_;
};

// Word -> vector (embeddings).
class VectorLexicon {
public:
    // Rows of `width` numbers, one after another. Throws InputFault where a word's row is not there.
    VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width);
    uint32_t width() const { return width_; }
    uint32_t size() const { return words_.size(); }
    std::string_view word(uint32_t i) const { return words_.word(i); }
    const float* vector(std::string_view word) const;  // null when not listed

private:
    RowLexicon words_;
    std::vector<float> vectors_;
    uint32_t width_;
};

// Phrases of one or more words in named lists. A phrase is known by the running hash of its words; every proper beginning of a
// phrase is in the table too, so that a search stops at the first word that continues nothing.
class PhraseLexicon {
public:
    static constexpr size_t kMostLists = 65535;

    uint16_t add_list(std::string_view name);
    void add(uint16_t list, const std::vector<std::string>& words);

    struct Entry {
        uint64_t hash;
        uint32_t lists;  // 1 + index into list_sets_, 0: only the beginning of a longer phrase
    };
    static uint64_t start() { return 0x7461677068726173ULL; }
    static uint64_t extend(uint64_t phrase, uint64_t word_hash);
    const Entry* find(uint64_t phrase) const;  // nullptr: no phrase begins so
    const std::vector<uint16_t>& lists_of(const Entry& entry) const { return list_sets_[entry.lists - 1]; }

    const std::string& list_name(uint16_t list) const { return names_[list]; }
    size_t list_count() const { return names_.size(); }
    size_t phrase_count() const { return phrases_; }

    // What it is made of, to be kept and put together again: the entries in use, and the sets of lists they refer to.
    std::vector<Entry> entries() const;
    const std::vector<std::vector<uint16_t>>& list_sets() const { return list_sets_; }
    // Throws InputFault where the parts do not fit together.
    static PhraseLexicon restored(std::vector<std::string> names, const std::vector<std::vector<uint16_t>>& list_sets,
                                  const std::vector<Entry>& entries);

private:
    Entry& insert(uint64_t phrase);
    void grow();
    uint32_t with_list(uint32_t lists, uint16_t list);

    std::vector<std::string> names_;
    std::vector<Entry> slots_;                        // open addressing, hash 0 = free
    size_t used_ = 0, phrases_ = 0;
    std::vector<std::vector<uint16_t>> list_sets_;    // the distinct sets of lists a phrase is in
    StringTable list_set_keys_;
};

}  // namespace tagpool
