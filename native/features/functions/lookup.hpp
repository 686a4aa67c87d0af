// Values of words in a lexicon.
#pragma once
#include "features/functions/function.hpp"
#include "text/unicode.hpp"

namespace tagpool {

// Adds the value of a word; with step.a > 0 its first step.a characters.
inline void add_lookup(std::string_view text, const Step& step, Values& out) {
    const std::string_view value = step.lexicon->value(text);
    if (value.data()) out.add(step.a > 0 ? take_characters(value, static_cast<size_t>(step.a)) : value);
}

}  // namespace tagpool
