// WordRows: the scores of word templates (word_templates.hpp) over some sentences: a row of labels for each group and distinct string, and for
// the places around a sentence. Made once for all threads, which share it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "text/columns.hpp"
#include "features/frozen_index.hpp"
#include "kernels/model_view.hpp"
#include "model/word_templates.hpp"

namespace tagpool {

class WordRows {
public:
    // For sentences [first, last).
    WordRows(const WordTemplates& templates, const ModelView& model, const FrozenIndex& slots, const Columns& columns, uint32_t first, uint32_t last,
             unsigned threads);

    // The rows of the tokens of a sentence, behind those of the sentences before it.
    void append(uint32_t sentence, std::vector<uint32_t>& numbers) const;
    AddedRows view(const std::vector<uint32_t>& numbers) const { return {rows_.data(), numbers.data(), groups_.size()}; }

private:
    struct Group {
        const Column* column;
        const std::vector<uint32_t>* order;  // by string: which of those in use it is
        int offset;
        uint32_t begin, edges;  // the first row of strings, and of places around a sentence; edges 0: nothing stands there
    };

    const Columns& columns_;
    std::vector<std::vector<uint32_t>> orders_;
    std::vector<Group> groups_;
    AlignedVector<float> rows_;  // the first is zero
};

}  // namespace tagpool
