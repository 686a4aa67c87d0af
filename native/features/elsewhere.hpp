// Elsewhere: the values of an atom at the other occurrences of a word in its document. Computed for a whole document when the first
// of its tokens is needed.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.hpp"
#include "features/program.hpp"
#include "features/same_words.hpp"

namespace tagpool {

class Elsewhere {
public:
    // Source: the values of the inner atom (see AtomValues).
    class Source {
    public:
        virtual ~Source() = default;
        virtual void enter(uint32_t sentence) = 0;
        virtual std::span<const uint64_t> hashes(int64_t token) = 0;
        virtual void texts(int64_t token, std::vector<std::string>& out) = 0;
    };

    // The current document is that of `same_words`.
    Elsewhere(const Atom& atom, std::unique_ptr<Source> source, SameWords& same_words);

    std::span<const uint64_t> hashes(int64_t token);
    // Appends the same values as text, in the same order.
    void texts(int64_t token, std::vector<std::string>& out);

private:
    // A value of a word, the number of its occurrences, and its rank in the order of the tokens.
    struct Value {
        uint64_t hash;
        uint32_t count, rank;
        bool operator<(const Value& other) const { return count != other.count ? count > other.count : rank < other.rank; }
    };
    void fill();
    void fill_local();
    void count_values(std::span<const uint32_t> tokens);
    void select_values(uint32_t token);
    uint64_t join_values(std::span<const uint32_t> tokens);
    void add_texts(std::span<const uint32_t> tokens);

    const Atom& atom_;
    SameWords& same_words_;
    std::unique_ptr<Source> source_;
    uint32_t document_ = UINT32_MAX;                          // the document of the values below
    Arena<uint64_t> arena_;                                   // storage of the values
    std::vector<std::span<const uint64_t>> local_;            // by token of the document: values around it
    std::vector<std::span<const uint64_t>> results_;          // by token: values around the other tokens of the same word
    std::vector<uint64_t> scratch_;                           // values of one token
    std::vector<std::pair<uint64_t, uint32_t>> occurrences_;  // of one word: (hash, rank)
    std::vector<Value> counted_, selected_;                   // of one word, and of one token: most frequent first
    std::map<std::vector<uint64_t>, uint64_t> joined_;        // sorted hashes -> hash of the joined text
    std::map<uint64_t, std::string> texts_;                   // by hash
};

}  // namespace tagpool
