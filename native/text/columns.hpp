// Columns: a corpus as named columns of interned strings, divided into sentences and, if marked, documents.
// Immutable once built; a selection of sentences shares the string tables.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/strings.hpp"

namespace tagpool {

struct Column {
    std::string name;
    std::shared_ptr<const StringTable> strings;
    std::vector<uint32_t> ids;  // a [tokens] array of string ids

    std::string_view text(size_t token) const { return (*strings)[ids[token]]; }
};

// A line that is not a token (a comment, a multiword range of CoNLL-U), preserved for writing.
struct Aside {
    uint32_t sentence;
    uint32_t position;  // the token of the sentence that follows the line
    std::string line;
};

struct Columns {
    std::vector<Column> columns;
    std::vector<uint32_t> sentences = {0};  // a [sentences + 1] array: sentence i is tokens sentences[i]..sentences[i + 1]
    std::vector<uint32_t> documents;        // the first sentence of each document; empty: documents are not marked
    std::vector<Aside> asides;              // in order

    size_t sentence_count() const { return sentences.size() - 1; }
    size_t token_count() const { return sentences.back(); }
    const Column* find(std::string_view name) const;
    // Throws InputFault if there is no such column.
    const Column& at(std::string_view name) const;
    // Throws InputFault if there is no such sentence.
    void check_sentence(size_t sentence) const;

    // A copy of these sentences in this order. A document begins where the document of the selected sentences changes.
    Columns select(const std::vector<uint32_t>& selection) const;
    // The range [first, last) of sentences in the document of a sentence. Without marks, a sentence is a document.
    std::pair<uint32_t, uint32_t> document_of(uint32_t sentence) const;
};

// ColumnsBuilder: builds Columns token by token.
class ColumnsBuilder {
public:
    explicit ColumnsBuilder(const std::vector<std::string>& names);

    void add(size_t column, std::string_view text) { add_id(column, intern(column, text)); }
    // The id of a string of a column, and a token with this id.
    uint32_t intern(size_t column, std::string_view text) { return tables_[column]->intern(text); }
    void add_id(size_t column, uint32_t id) { columns_.columns[column].ids.push_back(id); }
    void add_sentence();  // ends a sentence, which may be empty
    void end_sentence();  // ignored if the sentence is empty
    void start_document();
    void add_aside(std::string_view line) { columns_.asides.push_back({sentence_count(), tokens_in_sentence(), std::string(line)}); }

    size_t column_count() const { return tables_.size(); }
    uint32_t tokens_in_sentence() const {
        const size_t tokens = columns_.columns.empty() ? 0 : columns_.columns[0].ids.size();
        return static_cast<uint32_t>(tokens) - columns_.sentences.back();
    }
    uint32_t sentence_count() const { return static_cast<uint32_t>(columns_.sentences.size() - 1); }
    size_t token_count() const { return columns_.columns.empty() ? 0 : columns_.columns[0].ids.size(); }
    Columns finish();

private:
    Columns columns_;
    std::vector<std::shared_ptr<StringTable>> tables_;
    bool document_pending_ = false;
};

}  // namespace tagpool
