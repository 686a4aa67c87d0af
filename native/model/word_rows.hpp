// WordRows: the rows of scores (word_templates.hpp) that the tokens of some sentences add up: those of a string for every offset and window,
// of a pattern of neighbours, and of positions outside a sentence. Rows that the model's cache lacks are computed. Threads share the result.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "features/frozen_index.hpp"
#include "kernels/model_view.hpp"
#include "model/row_store.hpp"
#include "model/word_templates.hpp"
#include "text/columns.hpp"

namespace tagpool {

// The parts of a model that rows are computed from.
struct RowSource {
    const WordTemplates& templates;
    const ModelView& model;
    const FrozenIndex& slots;
};

class WordRows {
public:
    // For sentences [first, last).
    WordRows(const RowSource& source, RowCache& cache, const Columns& columns, uint32_t first, uint32_t last, unsigned threads);

    // Appends the row numbers of the tokens of a sentence, and prefetches the rows.
    void append(uint32_t sentence, std::vector<uint32_t>& numbers) const;
    AddedRows view(const std::vector<uint32_t>& numbers) const { return {rows_.get(), numbers.data(), count_}; }

private:
    static constexpr uint32_t kNone = UINT32_MAX;
    // A column with its strings and the results.
    struct Part {
        const WordTemplates::OfColumn* templates;
        const Column* column;
        std::vector<uint32_t> strings;   // distinct ones
        std::vector<uint32_t> places;    // a [tokens] array of numbers of `strings`
        std::vector<uint32_t> rows;      // a [tokens] array: the first row of the string
        std::vector<uint32_t> patterns;  // a [tokens] array of rows
        std::vector<uint32_t> edges;     // by group, as in RowStore
    };
    struct MissingPattern {
        uint64_t key;
        std::array<uint32_t, 3> strings;  // examples of its classes; kNone: outside the sentence
    };
    // Strings and patterns that the store lacks, by part.
    struct Missing {
        uint64_t store = 0;                                 // its number
        std::vector<std::vector<uint32_t>> strings;         // numbers of strings
        std::vector<std::vector<MissingPattern>> patterns;  // looked for only if no string is missing
        bool is_empty() const;
    };
    // Rows of what is missing.
    struct Computed {
        std::vector<AlignedVector<float>> word_rows;  // [strings][rows of a string][stride]
        std::vector<std::vector<std::string>> signatures;
        std::vector<AlignedVector<float>> pattern_rows;  // [patterns][stride]
    };

    void collect_strings(Part& part) const;
    bool resolve(RowCache& cache);
    Missing find(const RowStore* store);
    void find_patterns(const RowStore::OfColumn& known, const std::vector<uint32_t>& classes, Part& part, std::vector<MissingPattern>& missing) const;
    Computed compute(const Missing& missing) const;
    void compute_words(const Part& part, const std::vector<uint32_t>& strings, AlignedVector<float>& rows,
                       std::vector<std::string>& signatures) const;
    void compute_patterns(const Part& part, const std::vector<MissingPattern>& patterns, AlignedVector<float>& rows) const;
    std::unique_ptr<RowStore> make_store(size_t limit) const;
    void insert(const Missing& missing, const Computed& computed, RowStore& store) const;
    // These work on the tokens of a sentence, whose strings have the first rows `rows`, and write to every `count_`-th number from `to` on.
    void number_group(int offset, uint32_t edges, const uint32_t* rows, size_t length, uint32_t number, uint32_t* to) const;
    void number_window(const WordTemplates::Window& window, const uint32_t* rows, size_t length, uint32_t number, uint32_t* to) const;
    void prefetch(const uint32_t* rows, size_t length, size_t count) const;

    const RowSource source_;
    const Columns& columns_;
    const uint32_t first_, last_, first_token_;
    const unsigned threads_;
    size_t count_ = 0;  // rows of a token
    std::vector<Part> parts_;
    std::shared_ptr<const float> rows_;
};

}  // namespace tagpool
