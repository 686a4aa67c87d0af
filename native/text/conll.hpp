// Reader of CoNLL columns and CoNLL-U: one token per line, blank lines between sentences.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/columns.hpp"

namespace tagpool {

struct ConllOptions {
    std::vector<std::string> names;  // of the columns in the order of the file; each line must have all of them
    std::vector<std::string> only;   // the columns to store; empty: all
    bool conllu = false;             // tab-separated with an ID column; comments, ranges and empty nodes become asides
    size_t longest_line = 262144;    // bytes
};

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Whether a line is neither blank nor the beginning of a document. (It may be a comment: that depends on its place.)
bool is_conll_token(std::string_view line);

// Counts the columns of the first token line; 0 if the text has no tokens.
size_t count_columns(std::string_view text, bool conllu);

// Throws InputFault with the line number for a wrong number of columns, bad UTF-8, NUL bytes and too long lines.
Columns read_conll(std::string_view text, const ConllOptions& options);

}  // namespace tagpool
