#include "base/fault.hpp"
#include "features/functions/affixes.hpp"
#include "features/functions/casing.hpp"
#include "features/functions/digits.hpp"
#include "features/functions/function.hpp"
#include "features/functions/lookup.hpp"
#include "features/functions/ngrams.hpp"
#include "features/functions/orthography.hpp"

namespace tagpool {

// All functions, in the order of `tagpool features`.
std::span<const Function> word_functions() {
    using enum Function::Count;
    static constexpr Function kFunctions[] = {
        {"lower", add_lower, one, "lower(word)[0]", "the word in lower case"},
        {"simplify", add_simplified, one, "simplify(word)[0]", "every run of digits replaced by one 0"},
        {"shape", add_shape, one, "shape(word, short)[0]", "A as X, a as x, 7 as d, other characters unchanged; short collapses runs"},
        {"short_shape", add_short_shape, one, "", "", "none", "shape", "short"},
        {"digits", add_digits, at_most_one, "digits(word)[0]", "every digit replaced by 0; no value for words without digits"},
        {"prefix", add_prefix, at_most_one, "prefix(word, 1..4)[0]", "prefix of a longer word", "lengths"},
        {"suffix", add_suffix, at_most_one, "suffix(word, 1..4)[0]", "suffix of a longer word", "lengths"},
        {"ngrams", add_ngrams, many, "ngrams(word, 2..4)[0]", "all substrings of these lengths; edges marks the word's ends with < and >", "range"},
        {"edge_ngrams", add_edge_ngrams, many, "", "", "range", "ngrams", "edges"},
        {"orthography", add_orthography, several, "orthography(word)[0]",
         "spelling properties that hold: the set of feature bagging, or (dfi) of dynamic feature induction"},
        {"orthography_dfi", add_orthography_dfi, several, "", "", "none", "orthography", "dfi"},
        {"lookup", add_lookup, at_most_one, "", "", "lexicon"},
    };
    return kFunctions;
}

const Function& find_function(std::string_view name) {
    for (const Function& function : word_functions())
        if (function.name == name) return function;
    throw InputFault(concat("unknown function \"", name, "\"; a newer version of tagpool may know it"));
}

}  // namespace tagpool
