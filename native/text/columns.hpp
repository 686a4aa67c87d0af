// Columns: a corpus as named columns of interned strings, cut into sentences and (where marked) documents.
// Sub-corpora share their string tables. Immutable once built.
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
    std::vector<uint32_t> ids;  // one a token

    std::string_view text(size_t token) const { return (*strings)[ids[token]]; }
};

// A line that is not a token (a comment, a multiword range of CoNLL-U), kept so that it can be written back.
struct Aside {
    uint32_t sentence;
    uint32_t position;  // it stands before this token of the sentence
    std::string line;
};

struct Columns {
    std::vector<Column> columns;
    std::vector<uint32_t> sentences = {0};  // sentence i is tokens sentences[i]..sentences[i + 1]
    std::vector<uint32_t> documents;        // the first sentence of each document; empty: documents are not marked
    std::vector<Aside> asides;              // in order

    size_t sentence_count() const { return sentences.size() - 1; }
    size_t token_count() const { return sentences.back(); }
    const Column* find(std::string_view name) const;

    // These sentences in this order. Documents stay marked only where a selected sentence begins or changes document.
    Columns select(const std::vector<uint32_t>& chosen) const;
    // The sentences [first, last) of the document that a sentence is in; it alone where documents are not marked.
    std::pair<uint32_t, uint32_t> document_of(uint32_t sentence) const;
};

// Collects sentences into Columns.
class ColumnsBuilder {
public:
    explicit ColumnsBuilder(const std::vector<std::string>& names);

    void add(size_t column, std::string_view text);
    void end_sentence();    // ignored when the sentence is empty
    void start_document();
    void add_aside(std::string_view line);

    size_t column_count() const { return tables_.size(); }
    uint32_t tokens_in_sentence() const;
    uint32_t sentence_count() const { return static_cast<uint32_t>(columns_.sentences.size() - 1); }
    Columns finish();

private:
    Columns columns_;
    std::vector<std::shared_ptr<StringTable>> tables_;
    bool document_pending_ = false;
};

}  // namespace tagpool
