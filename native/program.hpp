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

#include "lexicon.hpp"
#include "words.hpp"

namespace tagpool {

enum class AtomKind : uint8_t {
    word,         // a word function of one column
    number,       // the column's text as the feature's value
    gazetteer,    // phrases found in the sentence: list/B, /I, /L, /U (or list alone when plain)
    disjunction,  // the distinct values of a word function at offsets a..b
    capitals,     // the capital classes of the words at offsets a..b, as one value
    position,     // first, last
    bias,         // always there
    embedding,    // the vector of a word function's value: a feature a dimension, with a value
};

constexpr std::array<std::string_view, 8> kAtomKindNames = {"word", "number", "gazetteer", "disjunction", "capitals", "position", "bias", "embedding"};

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
};

// The columns that programs look at.
inline std::vector<std::string> columns_in(std::initializer_list<const std::optional<Program>*> programs) {
    std::vector<std::string> found;
    for (const std::optional<Program>* program : programs) {
        if (!*program) continue;
        for (const Atom& atom : (*program)->atoms)
            if (!atom.column.empty() && std::find(found.begin(), found.end(), atom.column) == found.end()) found.push_back(atom.column);
    }
    return found;
}

}  // namespace tagpool
