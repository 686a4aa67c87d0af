// Reads CoNLL columns and CoNLL-U: one token a line, blank lines between sentences.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/columns.hpp"

namespace tagpool {

struct ConllOptions {
    // The columns' names, in the file's order; their number is the number each line must have.
    std::vector<std::string> names;
    bool conllu = false;  // tab-separated with an ID column; comments, ranges and empty nodes become asides
    size_t longest_line = 262144;
};

// The number of columns of the first token line, 0 when there is none. Reads no further.
size_t count_columns(std::string_view text, bool conllu);

// Throws InputFault with the line for ragged lines, bad UTF-8, NUL bytes and over-long lines.
Columns read_conll(std::string_view text, const ConllOptions& options);

}  // namespace tagpool
