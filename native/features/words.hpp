// Word functions: what a template may ask of a single string. Computed once per distinct string, so they may be plain.
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
    digits,           // every digit becomes 0; no value without a digit
    prefix,           // the first a characters of a longer word
    suffix,           // the last a characters of a longer word
    ngrams,           // all substrings of a..b characters, each once
    edge_ngrams,      // the same over <word>
    orthography,      // the properties of BAGGING Table 4 that hold
    orthography_dfi,  // the orthographic set of DFI (after Gimenez and Marquez 2004)
    lookup,           // the lexicon's value; with a > 0 its first a characters
};

// By number. Files and Python know functions by these names, so that the list may grow in any order.
constexpr std::array<std::string_view, 12> kFunctionNames = {"lower",  "simplify", "shape",       "short_shape", "digits",          "prefix",
                                                             "suffix", "ngrams",   "edge_ngrams", "orthography", "orthography_dfi", "lookup"};

// The enumerator of a name; throws InputFault where there is none.
template <class Enumeration, size_t kCount>
Enumeration named(const std::array<std::string_view, kCount>& names, std::string_view name) {
    for (size_t i = 0; i < kCount; ++i)
        if (names[i] == name) return static_cast<Enumeration>(i);
    throw InputFault("\"" + std::string(name) + "\" is needed, which this version of tagpool does not know");
}

struct Step {
    Function function;
    int a = 0, b = 0;
    std::shared_ptr<const WordLexicon> lexicon;
};

// Where values go: their texts, or only their hashes.
class Values {
public:
    explicit Values(std::vector<std::string>& texts) : texts_(&texts) {}
    explicit Values(std::vector<uint64_t>& hashes) : hashes_(&hashes) {}
    void take(std::string_view value) {
        if (hashes_) hashes_->push_back(hash_bytes(value));
        else texts_->emplace_back(value);
    }

private:
    std::vector<std::string>* texts_ = nullptr;
    std::vector<uint64_t>* hashes_ = nullptr;
};

// A chain of steps, the innermost first; all but the last give at most one value. Empty: the string itself.
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

// The letter that stands for a word in a capitals pattern: A all capitals, C capital first, M a capital inside, l lower case,
// d digits without letters, . anything else.
char capital_class(std::string_view text);

}  // namespace tagpool
