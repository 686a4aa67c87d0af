// Fast reader of JSONL with tokens: {"tokens": ["Ann", "left"], "labels": ["B-PER", "O"]}, one object per line and sentence.
#pragma once
#include <optional>
#include <string_view>

#include "text/columns.hpp"

namespace tagpool {

// Reads JSONL of the most usual form. Returns nothing for all other text, also for invalid text: the reader in Python knows all forms, and names the
// line of an error. Both readers return the same columns.
//
// The usual form: every object has "tokens", a list of words. Other lists of strings, one for each token, are columns; "labels" is the last one.
// "document" is an integer or a string. Other values are numbers, strings, true, false or null, or belong to keys of notes, such as "meta".
std::optional<Columns> read_token_jsonl(std::string_view text);

}  // namespace tagpool
