// Program: feature templates as the parser hands them over, all offsets fixed. Plain data.
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

enum class AtomKind : uint8_t {
    word,         // a word function of one column
    number,       // the column's text as the feature's value
    gazetteer,    // phrases found in the sentence: list/B, /I, /L, /U (or list alone when plain)
    disjunction,  // the distinct values of a word function at offsets a..b
    capitals,     // the capital classes of the words at offsets a..b, as one value
    casing,       // small, capital, capitals: a word where that says something (casing.hpp)
    run,          // first, inner, last: of capitalised words side by side
    headline,     // upper, title, mixed, none: how the sentence is written
    elsewhere,    // values of another atom at offsets a..b of the other occurrences of the word in its document
    position,     // first, last
    bias,         // always there
    embedding,    // the vector of a word function's value: a feature a dimension, with a value
};

constexpr std::array<std::string_view, 12> kAtomKindNames = {"word", "number",   "gazetteer", "disjunction", "capitals", "casing",
                                                             "run",  "headline", "elsewhere", "position",    "bias",     "embedding"};

// How the values of other occurrences become this one's.
enum class Gathering : uint8_t {
    each,    // every value
    joined,  // all of them as one
    most,    // the most frequent one
};
constexpr std::array<std::string_view, 3> kGatheringNames = {"each", "joined", "most"};

// Something that has values at every token.
struct Atom {
    AtomKind kind = AtomKind::word;
    std::string column;
    WordFunction function;
    bool total = false;  // a word function with one value for every string; it has a boundary value outside the sentence
    bool plain = false;
    int a = 0, b = 0;
    std::shared_ptr<const PhraseLexicon> phrases;
    std::shared_ptr<const VectorLexicon> vectors;
    std::shared_ptr<const Atom> inner;  // elsewhere: what is looked at there; `column` then says what the same word is
    Gathering gathering = Gathering::each;

    // Throws InputFault where it lacks what its kind needs.
    void check() const {
        if (kind == AtomKind::gazetteer && !phrases) throw InputFault("a gazetteer atom needs phrases");
        if (kind == AtomKind::embedding && !vectors) throw InputFault("an embedding atom needs vectors");
        if ((kind == AtomKind::elsewhere) != static_cast<bool>(inner)) throw InputFault("an atom that looks elsewhere needs another one, and no other does");
        if (inner && (inner->inner || inner->kind == AtomKind::number || inner->kind == AtomKind::embedding))
            throw InputFault("an atom that looks elsewhere cannot look at itself, or at numbers");
    }
};

struct Term {
    uint32_t atom;
    int offset;
};

// A conjunction. Its features are named key=value, and known by the hash of the key and of the values.
struct Template {
    std::string key;
    std::vector<Term> terms;
};

struct Program {
    std::vector<Atom> atoms;
    std::vector<Template> templates;
    bool boundary = true;  // offsets outside the sentence have values _B-1, _B+1, ... (as in CRF++)

    // Whether what a sentence's features are depends on the rest of its document.
    bool looks_at_documents() const {
        return std::any_of(atoms.begin(), atoms.end(), [](const Atom& atom) { return atom.kind == AtomKind::elsewhere; });
    }
};

// The columns that programs look at.
inline std::vector<std::string> columns_in(std::initializer_list<const std::optional<Program>*> programs) {
    std::vector<std::string> found;
    const auto add = [&found](const std::string& column) {
        if (!column.empty() && std::find(found.begin(), found.end(), column) == found.end()) found.push_back(column);
    };
    for (const std::optional<Program>* program : programs) {
        if (!*program) continue;
        for (const Atom& atom : (*program)->atoms) {
            add(atom.column);
            if (atom.inner) add(atom.inner->column);
        }
    }
    return found;
}

inline bool any_looks_at_documents(std::initializer_list<const std::optional<Program>*> programs) {
    return std::any_of(programs.begin(), programs.end(), [](const std::optional<Program>* program) { return *program && (*program)->looks_at_documents(); });
}

}  // namespace tagpool
