// Tokenizer for plain text. src/tagpool/corpus/text.py documents its rules.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace tagpool {

// A token as a half-open range of characters (not bytes).
struct TokenSpan {
    uint32_t start, end;
};

std::vector<TokenSpan> tokenize(std::string_view text);

}  // namespace tagpool
