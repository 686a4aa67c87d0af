// Values of word functions over the distinct strings of a column.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "features/program.hpp"
#include "text/columns.hpp"

namespace tagpool {

// WordTables: the values of all word functions of a program for all distinct strings of a corpus. Computed in parallel and shared by
// encoding passes in several threads.
class WordTables {
public:
    WordTables(const Program& program, const Columns& columns, unsigned threads);

    struct Table {
        std::vector<std::span<const uint64_t>> hashes;  // a [strings] array
        std::vector<uint64_t> single;                   // a [strings] array; only for a function with one value for every string
    };
    // Null for atoms that are not word functions.
    const Table* find(size_t atom) const { return tables_[atom].hashes.empty() ? nullptr : &tables_[atom]; }

private:
    void fill(const Program& program, const Columns& columns, size_t part);

    std::vector<Table> tables_;            // an [atoms] array
    std::vector<Arena<uint64_t>> arenas_;  // one for each part of the strings
};

// WordValues: one word function over one column. Without a shared table, values are computed when first needed.
class WordValues {
public:
    WordValues(const Column& column, const WordFunction& function, const WordTables::Table* shared);

    std::span<const uint64_t> string_hashes(uint32_t id);
    std::span<const uint64_t> token_hashes(size_t token) { return string_hashes(column_.ids[token]); }
    // A [strings] array, for a function with one value for every string.
    const uint64_t* single_hashes();
    void texts(size_t token, std::vector<std::string>& out) const { function_.values(column_.text(token), Values(out)); }
    const Column& column() const { return column_; }

private:
    const Column& column_;
    const WordFunction& function_;
    const WordTables::Table* shared_;
    std::vector<std::span<const uint64_t>> cache_;  // a [strings] array; kNotComputed.data() marks missing values
    Arena<uint64_t> arena_;
    std::vector<uint64_t> scratch_, single_;
};

}  // namespace tagpool
