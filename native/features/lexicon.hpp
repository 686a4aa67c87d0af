// Lexicons: external knowledge about words and phrases.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/index.hpp"
#include "text/strings.hpp"

namespace tagpool {

// WordLexicon: one value per word, such as a cluster's bit string or an ambiguity class.
class WordLexicon {
public:
    // Ignored if the word has a value.
    void add(std::string_view word, std::string_view value) {
        if (words_.intern(word) == value_of_.size()) value_of_.push_back(values_.intern(value));
    }
    // The value of a word; its data() is null for an unknown word.
    std::string_view value(std::string_view word) const {
        const uint32_t id = words_.find(word);
        return id == StringTable::kNone ? std::string_view() : value_at(id);
    }
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
    void add(std::string_view word, uint32_t row) {
        if (words_.intern(word) == rows_.size()) rows_.push_back(row);
    }
    // -1 for an unknown word.
    int32_t row(std::string_view word) const {
        const uint32_t id = words_.find(word);
        return id == StringTable::kNone ? -1 : static_cast<int32_t>(rows_[id]);
    }
    std::string_view word(uint32_t i) const { return words_[i]; }
    uint32_t size() const { return words_.size(); }

private:
    StringTable words_;
    std::vector<uint32_t> rows_;  // a [words] array
};

// VectorLexicon: words with embedding vectors.
class VectorLexicon {
public:
    static constexpr uint32_t kMaxWidth = 1 << 16;

    // `vectors` is a [rows][width] matrix. Throws InputFault if a word's row is out of range.
    VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width);
    uint32_t width() const { return width_; }
    uint32_t size() const { return words_.size(); }
    std::string_view word(uint32_t i) const { return words_.word(i); }
    // Null for an unknown word.
    const float* vector(std::string_view word) const {
        const int32_t row = words_.row(word);
        return row < 0 ? nullptr : vectors_.data() + static_cast<size_t>(row) * width_;
    }

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

    static uint64_t start() { return 0x7461677068726173ULL; }
    static uint64_t extend(uint64_t phrase, uint64_t word_hash) {
        const uint64_t hash = combine(phrase, word_hash);
        return hash == 0 ? 1 : hash;  // model files have no hash of 0
    }
    // The lists with a phrase; empty for a proper prefix of a phrase, null for other words.
    const std::vector<uint16_t>* find(uint64_t phrase) const {
        const uint32_t id = phrases_.find(phrase);
        return id == FeatureIndex::kNone ? nullptr : &list_sets_[list_set_of_[id]];
    }

    const std::string& list_name(uint16_t list) const { return names_[list]; }
    size_t list_count() const { return names_.size(); }
    size_t phrase_count() const { return phrase_count_; }

    // Parts of a file: pairs of a phrase's hash and its list set, by hash; and the sets of lists, of which the first is empty.
    using Entry = std::pair<uint64_t, uint32_t>;
    std::vector<Entry> entries() const;
    const std::vector<std::vector<uint16_t>>& list_sets() const { return list_sets_; }
    // Restore a lexicon from its parts: first the sets of lists, then the phrases. They throw InputFault for inconsistent parts.
    PhraseLexicon() = default;
    PhraseLexicon(std::vector<std::string> names, size_t phrases);
    void restore_list_set(std::span<const uint16_t> lists);
    void restore(uint64_t hash, uint32_t list_set);

private:
    // The list set of a phrase, which is added if it is new.
    uint32_t& insert(uint64_t phrase);
    uint32_t add_list_set(std::vector<uint16_t> set);

    std::vector<std::string> names_;
    FeatureIndex phrases_;                                 // ids of phrases and their prefixes
    std::vector<uint32_t> list_set_of_;                    // by id: index into list_sets_
    size_t phrase_count_ = 0;                              // a phrase of two lists counts twice
    std::vector<std::vector<uint16_t>> list_sets_ = {{}};  // distinct sets of lists that contain a phrase
    StringTable list_set_keys_;                            // the same sets as bytes, without the empty one
};

}  // namespace tagpool
