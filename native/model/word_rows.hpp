// WordRows: scores of word templates (word_templates.hpp) in some sentences: a row of labels for each group and distinct string, and for the
// positions outside a sentence. Computed once; threads share it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "features/frozen_index.hpp"
#include "kernels/model_view.hpp"
#include "model/word_templates.hpp"
#include "text/columns.hpp"

namespace tagpool {

class WordRows {
public:
    // For sentences [first, last).
    WordRows(const WordTemplates& templates, const ModelView& model, const FrozenIndex& slots, const Columns& columns, uint32_t first, uint32_t last,
             unsigned threads);

    // Appends the rows of the tokens of a sentence.
    void append(uint32_t sentence, std::vector<uint32_t>& numbers) const;
    AddedRows view(const std::vector<uint32_t>& numbers) const { return {rows_.data(), numbers.data(), groups_.size()}; }

private:
    struct Group {
        const Column* column;
        const std::vector<uint32_t>* order;  // by string: its number among the strings in use
        int offset;
        uint32_t begin, edges;  // first row of the strings, and of the positions outside a sentence; edges 0: those have no features
    };

    const Columns& columns_;
    std::vector<std::vector<uint32_t>> orders_;
    std::vector<Group> groups_;
    AlignedVector<float> rows_;  // row 0 is zero
};

}  // namespace tagpool
