// Tokenizer, and all functions of a word in templates. The first two bytes are the lengths of affixes and n-grams.
#include "features/words.hpp"

#include "base/fault.hpp"
#include "harness.hpp"
#include "text/tokenize.hpp"
#include "text/unicode.hpp"

namespace {

using namespace tagpool;

void check(std::string_view input) {
    if (input.size() < 2) return;
    const int first = static_cast<unsigned char>(input[0]) % 16, last = static_cast<unsigned char>(input[1]) % 16;
    const std::string_view text = input.substr(2);
    if (find_invalid_utf8(text) != std::string_view::npos) return;
    uint32_t end = 0;
    for (const TokenSpan& token : tokenize(text)) {
        fuzz::require(token.start >= end && token.end > token.start, "tokens are in order and not empty");
        end = token.end;
    }
    fuzz::require(end <= text.size(), "tokens are inside the text");
    capital_class(text);
    for (const Function& function : word_functions()) {
        if (function.needs_lexicon()) continue;
        for (const std::string& value : WordFunction({Step{&function, first, last}}).texts(text))
            fuzz::require(find_invalid_utf8(value) == std::string_view::npos, "values of words are UTF-8");
    }
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)
