// Tokenizer: running text -> tokens, by the one rule that src/tagpool/corpus/text.py documents.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace tagpool {

// A token's place in the text, in characters (not bytes), the end exclusive.
struct TokenSpan {
    uint32_t start, end;
};

std::vector<TokenSpan> tokenize(std::string_view text);

}  // namespace tagpool
