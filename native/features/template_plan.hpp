// TemplatePlan: the fastest way to extract the features of one template, chosen by its terms.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "features/atoms.hpp"
#include "features/program.hpp"

namespace tagpool {

// A term that has exactly one value for every string.
struct TotalTerm {
    const uint32_t* strings;  // a [tokens] array
    const uint64_t* hashes;   // a [strings] array
    int offset;
    uint32_t distinct;  // number of strings
};

struct TemplatePlan {
    enum Kind {
        // One feature per token; at the ends of a sentence perhaps none.
        total,        // one total term: ids by string
        table,        // few combinations of total terms: ids by combination
        conjunction,  // total terms, looked up by hash
        // Any number of features per token.
        word,         // a word function: ids by string
        disjunction,  // a word function in a window: ids by string
        general,      // all combinations of the terms' values
        valued,       // the same with number terms
        vector,       // an embedding: ids by dimension
    };
    static constexpr uint32_t kUnknown = UINT32_MAX - 1;  // an id that is not looked up yet

    Kind kind = general;
    bool is_single() const { return kind <= conjunction; }
    bool has_values() const { return kind >= valued; }
    size_t column = 0;  // number among the single plans, or among the others
    uint64_t seed = 0;  // hash of the template's key
    const Template* source = nullptr;
    std::vector<TotalTerm> terms;                       // of a single plan
    std::vector<uint32_t> ids;                          // by string, combination or dimension
    std::vector<std::span<const uint32_t>> string_ids;  // a [strings] array; &kUnknown marks missing entries

    // The hash of a single plan's feature at a token; all terms must be inside the sentence.
    uint64_t key(int64_t token) const {
        uint64_t hash = seed;
        for (const TotalTerm& term : terms) hash = combine(hash, term.hashes[term.strings[token + term.offset]]);
        return hash;
    }
};

TemplatePlan make_plan(const Template& source, const Program& program, size_t token_count, AtomValues& values);

}  // namespace tagpool
