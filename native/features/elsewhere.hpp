// Elsewhere: what an atom says at the other occurrences of a word in its document. Worked out for a document at once, when the first of its
// tokens is asked for.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/program.hpp"
#include "features/same_words.hpp"

namespace tagpool {

class AtomValues;

class Elsewhere {
public:
    // `same` is asked for the document it is in.
    Elsewhere(const Atom& atom, bool boundary, const Columns& columns, SameWords& same);
    ~Elsewhere();

    std::span<const uint64_t> hashes(int64_t token);
    // The same values as text, in the same order.
    void texts(int64_t token, std::vector<std::string>& out);

private:
    // A value of a word: at how many of its occurrences it is met, and which of all its values it is in their order.
    struct Value {
        uint64_t hash;
        uint32_t count, first;
        bool operator<(const Value& other) const { return count != other.count ? count > other.count : first < other.first; }
    };
    struct Place {
        uint32_t begin = 0, count = 0;
    };
    void gather();
    void collect_own();
    void count_values(std::span<const uint32_t> tokens);
    void choose(uint32_t token);
    uint64_t joined(std::span<const uint32_t> tokens);
    void learn_texts(std::span<const uint32_t> tokens);
    std::span<const uint64_t> own(uint32_t token) const { return {own_values_.data() + own_[token].begin, own_[token].count}; }

    const Atom& atom_;
    SameWords& same_;
    const Program program_;               // the one atom that is looked at
    std::unique_ptr<AtomValues> values_;  // its values
    uint32_t document_ = UINT32_MAX;      // what is known below is of this one
    std::vector<Place> own_, found_;      // by token of the document: what it says itself, and what is said elsewhere
    std::vector<uint64_t> own_values_, found_values_;
    std::vector<std::pair<uint64_t, uint32_t>> met_;  // of one word: values in their order
    std::vector<Value> all_, chosen_;                 // of one word, and of one token: the most frequent first
    std::map<std::vector<uint64_t>, uint64_t> joined_;  // by the parts, sorted
    std::map<uint64_t, std::string> texts_;             // of values that were asked for
};

}  // namespace tagpool
