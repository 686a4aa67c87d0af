// Program: feature templates as the parser returns them, with all offsets fixed. Plain data.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "features/lexicon.hpp"
#include "features/words.hpp"

namespace tagpool {

// The enumerator of a name; throws InputFault for an unknown name.
template <class Enumeration, size_t kCount>
Enumeration named(const std::array<std::string_view, kCount>& names, std::string_view name) {
    for (size_t i = 0; i < kCount; ++i)
        if (names[i] == name) return static_cast<Enumeration>(i);
    throw InputFault("unknown name \"" + std::string(name) + "\"; a newer version of tagpool may know it");
}

enum class AtomKind : uint8_t {
    word,         // a word function of one column
    number,       // the column's text as a number, the value of the feature
    gazetteer,    // lists with a phrase in the sentence: list/B, /I, /L, /U (or list alone when plain)
    disjunction,  // the distinct values of a word function in a window
    capitals,     // the capital classes of the words in a window, as one value
    casing,       // small, capital, capitals: the case of a word, if informative (casing.hpp)
    run,          // first, inner, last: position in a run of capitalized words
    headline,     // upper, title, mixed, none: the case of the sentence
    elsewhere,    // values of another atom in a window around the other occurrences of the word in its document
    position,     // first, last
    bias,         // a constant
    embedding,    // the vector of a word function's value: one feature with a value per dimension
};

constexpr std::array<std::string_view, 12> kAtomKindNames = {"word", "number",   "gazetteer", "disjunction", "capitals", "casing",
                                                             "run",  "headline", "elsewhere", "position",    "bias",     "embedding"};

// Combination of the values at the other occurrences of a word.
enum class Gathering : uint8_t {
    each,    // every value
    joined,  // all values as one
    most,    // the most frequent one
};
constexpr std::array<std::string_view, 3> kGatheringNames = {"each", "joined", "most"};

// Atom: a function with values at every token.
struct Atom {
    AtomKind kind = AtomKind::word;
    std::string column;
    WordFunction function;
    bool total = false;                     // a word function with one value for every string; has boundary values outside the sentence;
                                            // `check` derives it
    bool plain = false;                     // gazetteer: without /B, /I, /L, /U
    int first_offset = 0, last_offset = 0;  // the window
    std::shared_ptr<const PhraseLexicon> phrases;
    std::shared_ptr<const VectorLexicon> vectors;
    std::shared_ptr<const Atom> inner;  // elsewhere: the atom at the other occurrences; `column` identifies the word
    Gathering gathering = Gathering::each;

    // Throws InputFault if the fields do not match the kind or exceed the limits. Sets `total`.
    void check();
};

struct Term {
    uint32_t atom;
    int offset;
};

// Template: a conjunction of terms. Features are named key=value, and identified by the hash of the key and the values.
struct Template {
    std::string key;
    std::vector<Term> terms;
};

// Limits of programs, from the parser or from a hostile model file. The parser has the same or smaller ones.
constexpr int kMaxOffset = 64;    // of terms and windows
constexpr size_t kMaxTerms = 64;  // of a conjunction
constexpr size_t kMaxTemplates = UINT16_MAX;
constexpr size_t kMaxCombinations = 1 << 16;  // values of the conjunctions of a sentence, divided by its tokens

struct Program {
    std::vector<Atom> atoms;
    std::vector<Template> templates;
    bool boundary = true;  // offsets outside the sentence have values _B-1, _B+1, ... (as in CRF++)

    // Throws InputFault if templates are out of range or exceed the limits. The atoms are checked already.
    void check() const;
    // True if the features of a sentence depend on its document.
    bool looks_at_documents() const {
        return std::any_of(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.kind == AtomKind::elsewhere; });
    }
};

// The columns that programs use.
std::vector<std::string> columns_in(std::initializer_list<const std::optional<Program>*> programs);

inline bool any_looks_at_documents(std::initializer_list<const std::optional<Program>*> programs) {
    return std::any_of(programs.begin(), programs.end(),
                       [](const std::optional<Program>* program) { return *program && (*program)->looks_at_documents(); });
}

}  // namespace tagpool
