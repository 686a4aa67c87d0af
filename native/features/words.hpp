// Word functions of templates. They are computed once per distinct string, so clarity matters more than speed.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "features/lexicon.hpp"

namespace tagpool {

enum class Function : uint8_t {
    lower,            // simple lower-casing, character by character
    simplify,         // every run of digits becomes one 0
    shape,            // A -> X, a -> x, 7 -> d, other characters stay
    short_shape,      // the same with runs collapsed
    digits,           // every digit becomes 0; no value for a word without digits
    prefix,           // the first a characters of a longer word
    suffix,           // the last a characters of a longer word
    ngrams,           // all distinct substrings of a..b characters
    edge_ngrams,      // the same over <word>
    orthography,      // the true properties of Sutton et al. 2006, Table 4
    orthography_dfi,  // the true properties of Choi 2016 (after Gimenez and Marquez 2004)
    lookup,           // the lexicon's value; with a > 0 its first a characters
};

// Names of the functions in files and Python, in the order of the enumerators.
constexpr std::array<std::string_view, 12> kFunctionNames = {"lower",  "simplify", "shape",       "short_shape", "digits",          "prefix",
                                                             "suffix", "ngrams",   "edge_ngrams", "orthography", "orthography_dfi", "lookup"};

// The enumerator of a name; throws InputFault for an unknown name.
template <class Enumeration, size_t kCount>
Enumeration named(const std::array<std::string_view, kCount>& names, std::string_view name) {
    for (size_t i = 0; i < kCount; ++i)
        if (names[i] == name) return static_cast<Enumeration>(i);
    throw InputFault("unknown name \"" + std::string(name) + "\"; a newer version of tagpool may know it");
}

struct Step {
    Function function;
    int a = 0, b = 0;
    std::shared_ptr<const WordLexicon> lexicon;
};

// Values: collects values as texts or as hashes.
class Values {
public:
    explicit Values(std::vector<std::string>& texts) : texts_(&texts) {}
    explicit Values(std::vector<uint64_t>& hashes) : hashes_(&hashes) {}
    void add(std::string_view value) {
        if (hashes_) hashes_->push_back(hash_bytes(value));
        else texts_->emplace_back(value);
    }

private:
    std::vector<std::string>* texts_ = nullptr;
    std::vector<uint64_t>* hashes_ = nullptr;
};

// WordFunction: a chain of steps, the innermost first. All but the last return at most one value. Empty: the identity.
class WordFunction {
public:
    WordFunction() = default;
    explicit WordFunction(std::vector<Step> steps) : steps_(std::move(steps)) {}

    void values(std::string_view text, Values out) const;
    bool is_identity() const { return steps_.empty(); }
    const std::vector<Step>& steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

// The letter of a word in a capitals pattern: A all capitals, C capital first, M capital inside, l lower case,
// d digits without letters, . other.
char capital_class(std::string_view text);

}  // namespace tagpool
