// ModelView: pointers to the numbers of a model, for the kernels. Few includes, since kernels take long to compile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "features/encoding.hpp"
#include "kernels/blocks.hpp"

namespace tagpool {

// Transition features. Feature k has the weights [starts[k], starts[k + 1]); bigrams holds b * stride + c of each weight.
struct TransitionFeatureView {
    const uint32_t* starts = nullptr;  // null: no transition features
    const uint32_t* bigrams = nullptr;
    const float* weights = nullptr;

    // Calls visit(bigram, score) for the transition features of a token.
    template <class Visit>
    void each_cell(const Encoding& history, size_t token, Visit&& visit) const {
        for (uint64_t i = history.starts[token]; i < history.starts[token + 1]; ++i) {
            const float value = history.values.empty() ? 1.0f : history.values[i];
            for (uint32_t k = starts[history.ids[i]]; k < starts[history.ids[i] + 1]; ++k) visit(bigrams[k], value * weights[k]);
        }
    }
};

// `stride` zeros follow the last weight, so that reads of whole vectors are valid.
struct ModelView {
    uint32_t labels = 0, stride = 0;
    bool chain = true;
    Blocks blocks;
    const float* weights = nullptr;
    const uint16_t* cell_labels = nullptr;  // of the weights after the rows
    const float* transitions = nullptr;     // labels x stride
    const float* start = nullptr;           // stride
    const float* end = nullptr;
    const float* incoming = nullptr;  // transitions by their second label, labels x stride, padded with -infinity; may be null
    const TransitionFeatureView* transition_features = nullptr;  // null: a plain chain

    // Calls visit(label, weight) for the weights at a place.
    template <class Visit>
    void each_weight(uint32_t place, Visit&& visit) const {
        const uint32_t count = blocks.length(place);
        const uint16_t* const of = blocks.is_row(place) ? nullptr : cell_labels + (place - blocks.rows_end());
        for (uint32_t k = 0; k < count; ++k) visit(of ? of[k] : k, weights[place + k]);
    }
};

// Rows to add to the scores of tokens: `count` row numbers for each token.
struct AddedRows {
    const float* rows = nullptr;  // of `stride` numbers each
    const uint32_t* numbers = nullptr;
    size_t count = 0;
};

struct TagScratch {
    std::vector<float> scores, best;
    AlignedVector<float> bigrams;
};

}  // namespace tagpool
