// A corpus as an Arrow stream: a record batch has one row per sentence, and each column is a list of strings per row.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/abi.hpp"
#include "text/columns.hpp"

namespace tagpool {

struct ExportedColumn {
    std::string column;  // in the corpus
    std::string name;    // in the stream
    // True: the strings are a dictionary, and tokens are indices into it, both in the memory of the corpus if most of its strings
    // may occur. False: the tokens are strings (utf8), which are copied batch by batch.
    bool dictionary = true;
};

struct ExportOptions {
    std::vector<ExportedColumn> columns;
    std::string document;        // name of a column of int32 with the number of the document; empty: no such column
    uint32_t rows = 1u << 16;    // of a batch, at most
    uint64_t tokens = 1u << 22;  // of a batch of several rows, at most
    uint64_t bytes = 1u << 30;   // of the strings of a batch of several rows, at most
};

// Fills `out` with a stream, which shares ownership of the corpus with its batches. Throws InputFault for an unknown column.
void export_columns(std::shared_ptr<const Columns> columns, ExportOptions options, ArrowArrayStream* out);

}  // namespace tagpool
