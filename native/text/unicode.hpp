// UTF-8 decoding and character classes. Text inside the core is always valid UTF-8.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace tagpool {

enum CharacterClass : uint8_t { kUpper = 1, kLower = 2, kLetter = 4, kDigit = 8, kPunctuation = 16, kSpace = 32 };

// The CharacterClass flags of a code point.
uint8_t character_class(char32_t point);

// Simple (one-to-one) lower-casing, which keeps the number of characters.
char32_t to_lower(char32_t point);

// The first `count` characters of valid UTF-8, or all of it.
std::string_view take_characters(std::string_view text, size_t count);

// Characters: iterates over the code points of valid UTF-8.
class Characters {
public:
    explicit Characters(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}
    bool next(char32_t& point);  // false at the end

private:
    const char* p_;
    const char* end_;
};

}  // namespace tagpool
