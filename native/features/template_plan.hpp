// TemplatePlan: the fastest way to extract the features of one template, chosen by its terms.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/portable.hpp"
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
    std::vector<TotalTerm> terms;  // of a single plan
    std::vector<uint32_t> ids;     // of a table by combination, of a vector by dimension
    // Columns of a StringIds.
    uint32_t* first_id = nullptr;                    // of a total plan
    std::span<const uint32_t>* first_ids = nullptr;  // of a word function; &kUnknown marks missing entries
    size_t pitch = 1;                                // distance to the next string

    // The id of a total plan's string or of a table's combination.
    uint32_t& id(size_t number) { return kind == total ? first_id[number * pitch] : ids[number]; }
    std::span<const uint32_t>& ids_of_string(size_t string) { return first_ids[string * pitch]; }

    // The hash of a single plan's feature at a token; all terms must be inside the sentence.
    uint64_t key(int64_t token) const {
        uint64_t hash = seed;
        for (const TotalTerm& term : terms) hash = combine(hash, term.hashes[term.strings[token + term.offset]]);
        return hash;
    }
};

// StringIds: the ids that plans remember for each string of a column. All ids of a string are together, since a sentence needs them at once.
struct StringIds {
    const Column* column = nullptr;
    size_t plans = 0, word_plans = 0;                 // total plans; plans of word functions
    std::vector<uint32_t> ids;                        // a [strings][plans] matrix
    std::vector<std::span<const uint32_t>> id_lists;  // a [strings][word_plans] matrix

    void prefetch(size_t string) const {
        prefetch(ids.data() + string * plans, plans * sizeof(uint32_t));
        prefetch(id_lists.data() + string * word_plans, word_plans * sizeof(id_lists[0]));
    }

private:
    static void prefetch(const void* begin, size_t bytes) {
        for (size_t i = 0; i < bytes; i += 64) prefetch_line(static_cast<const char*>(begin) + i);
    }
};

// Creates the tables of all plans, and sets their columns.
std::vector<StringIds> make_string_ids(std::vector<TemplatePlan>& plans, AtomValues& values);

TemplatePlan make_plan(const Template& source, const Program& program, size_t token_count, AtomValues& values);

}  // namespace tagpool
