// TrainingSet: encoded sentences with labels, in a layout in which scoring tokens and summing gradients need no look-ups.
//
// A weight belongs to a cell (feature, label). Features with many cells are *dense*: they have a row of `stride` weights, one for each label.
// The others are *sparse*: they have single weights, each with its label.
//
// Sentences are divided into a few parts for threads; the parts do not depend on the number of threads. A feature that occurs in several parts
// is *shared*: each part sums its gradient in a copy. The many rare features of one part need no copy. Shared features come first in
// memory, sorted by frequency; the others follow in the order of their first occurrence, so that they share cache lines.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/bundles.hpp"
#include "dataset/items.hpp"
#include "dataset/transition_features.hpp"
#include "dataset/twins.hpp"
#include "features/encoding.hpp"

namespace tagpool {

// Weights that exist besides the observed ones.
struct KnownWeights {
    std::vector<std::pair<uint32_t, uint16_t>> cells = {};  // (feature, label)
    TransitionCells transition_cells = {};
    bool observe = true;                                    // false: only known cells have weights
    std::optional<std::vector<uint32_t>> transitions = {};  // the only transitions with weights (from * labels + to)
};

struct TrainingOptions {
    uint32_t labels = 0;
    bool all_cells = true;        // else only cells (feature, label) that occur
    uint32_t all_from = 0;        // without all_cells: occurrences from which on a feature has all cells (0: none has)
    uint32_t dense_from = 5;      // observed labels that make a feature dense (with all_cells every feature is); with `bundle` and
                                  // short rows 3
    bool boundaries = true;       // weights for the first and the last label of a sentence
    bool all_transitions = true;  // else only transitions that occur; the others have the weight 0
    bool merge_twins = false;     // train features that always occur together as one (twins.hpp)
    bool lean = false;            // for the Objective: less memory. Weights of twins are scaled instead of values, single weights are packed
                                  // if possible, and with bundles there are no items
    bool bundle = false;          // for batch trainers (bundles.hpp)
    uint32_t row_unit = 8;        // rows are padded to a multiple of this: whole vectors of the kernels that use the set
    KnownWeights known = {};
};

class Shards;
class TrainingSet;

// ParameterLayout: the parameters of learners and model files: the free weights of cells, sorted by (feature, label), and with a chain those of
// edges (transitions, start and end) and transition cells.
class ParameterLayout {
public:
    ParameterLayout(const TrainingSet& set, bool chain) : set_(set), chain_(chain) {}
    size_t cells() const;
    size_t edges() const;
    size_t transition_cells() const;
    size_t size() const { return cells() + edges() + transition_cells(); }
    // Calls visit(parameter, place, factor) for all parameters, in order. The number at the place in memory is the parameter times the factor;
    // twins have the same place.
    template <class Visit>
    void each(Visit&& visit) const;

private:
    const TrainingSet& set_;
    const bool chain_;
};

class TrainingSet {
public:
    static constexpr int32_t kUnknown = -1;

    // `gold` has one label for each token, or kUnknown. `history` has the transition features; it may be null.
    TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options, const Encoding* history = nullptr,
                uint32_t history_features = 0);

    uint32_t labels() const { return labels_; }
    uint32_t stride() const { return stride_; }  // labels, rounded up to whole vectors (TrainingOptions::row_unit)
    size_t token_count() const { return gold_.size(); }
    size_t sentence_count() const { return sentences_.size() - 1; }
    // Mean over the tokens of the summed squares of their feature values: the number of features, if all values are 1.
    double mean_square_norm() const { return mean_square_norm_; }

    // Parts of about equally many tokens: part p has the sentences [part_begin(p), part_begin(p + 1)).
    size_t parts() const { return part_begins_.size() - 1; }
    size_t part_begin(size_t part) const { return part_begins_[part]; }

    // Weights in memory: those of shared features (rows, then single ones), those of the others (the same), transitions (labels rows),
    // start and end (one row each), transition cells.
    size_t shared_count() const { return shared_count_; }
    size_t shared_rows_end() const { return shared_rows_end_; }
    size_t part_rows_end() const { return part_rows_end_; }
    bool is_in_row(size_t place) const { return place < shared_rows_end_ || (place >= shared_count_ && place < part_rows_end_); }
    size_t transitions_begin() const { return transitions_begin_; }
    size_t start_begin() const { return transitions_begin() + size_t{labels_} * stride_; }
    size_t end_begin() const { return start_begin() + stride_; }
    size_t transition_cells_begin() const { return end_begin() + stride_; }
    size_t weight_count() const { return transition_cells_begin() + padded(transition_features_.cell_count()); }
    // Everything from the transitions on; and without the transition cells, of which a sentence has few.
    size_t edge_size() const { return weight_count() - transitions_begin(); }
    size_t common_edge_size() const { return transition_cells_begin() - transitions_begin(); }

    // Places that are not in the layout hold zero.
    ParameterLayout layout(bool chain) const { return {*this, chain}; }
    size_t cell_count() const { return cell_count_; }
    bool all_cells() const { return all_cells_; }
    bool twins_by_weight() const { return lean_ && !twins_.empty() && !valued_; }
    uint32_t row_of(uint32_t feature) const { return row_of_feature_[feature]; }  // of a dense feature
    size_t row_count() const { return (shared_rows_end_ + (part_rows_end_ - shared_count_)) / stride_; }
    // Feature and label of each cell, in the same order.
    std::vector<uint32_t> cell_features() const;
    std::vector<uint16_t> cell_labels() const;
    // The free ones of transitions (from * labels + to), start (labels^2 + label) and end (labels * (labels + 1) + label).
    const std::vector<uint32_t>& edges() const { return edges_; }
    // Transition features; empty for a plain chain.
    const TransitionFeatures& transition_features() const { return transition_features_; }

    // The shards (shards.hpp), created on the first call; not thread-safe.
    std::shared_ptr<const Shards> shards() const;
    // Creates the shards and frees the items, for SGD.
    void keep_shards_only();
    // Throws InputFault if the items were freed, or are lean and `allow_lean` is false.
    void require_items(bool allow_lean = false) const;

    // By token; empty after keep_shards_only, and in lean sets with bundles.
    const Items& items() const { return items_; }

    // Items with bundles; null if bundles do not save work.
    struct Bundled {
        Items tokens;                     // features of tokens outside bundles
        Items bundles;                    // features of bundles, part by part
        std::vector<size_t> part_begins;  // part p has the bundles [part_begins[p], part_begins[p + 1])
        Buffer<uint64_t> starts;          // by token, one more than tokens
        Buffer<uint32_t> uses;            // numbers of bundles within the part
    };
    const Bundled* bundled() const { return bundled_.get(); }

    std::vector<uint32_t> sentences_;
    std::vector<int32_t> gold_;
    // 1 where an edge is free, 0 elsewhere (labels + 2 rows of `stride`); empty if all are.
    std::vector<uint8_t> edge_mask_;

private:
    friend class ParameterLayout;
    struct Observations;

    void cut_into_parts();
    void choose_layout(const Encoding& encoding, uint32_t features, const TrainingOptions& options);
    void place_features(const Observations& seen, uint32_t dense_from);
    void list_cells(const Observations& seen);
    Items make_items(const Encoding& encoding, const Observations& seen) const;
    void bundle(const Encoding& encoding, const Observations& seen);
    void choose_edges(const TrainingOptions& options);

    // Rounds up to whole vectors.
    static size_t padded(size_t count) { return (count + 7) / 8 * 8; }

    Items items_;
    std::unique_ptr<const Bundled> bundled_;
    uint32_t labels_, stride_;
    bool all_cells_, lean_, valued_;
    double mean_square_norm_ = 0;
    size_t shared_rows_end_ = 0, shared_count_ = 0, part_rows_end_ = 0, transitions_begin_ = 0, cell_count_ = 0;
    std::vector<size_t> part_begins_;
    std::vector<uint32_t> row_of_feature_;     // kNone: sparse
    std::vector<uint32_t> single_of_feature_;  // the place of its first single weight; empty without such weights
    std::vector<uint32_t> cell_starts_;        // by feature, one more than features; empty with all cells
    std::vector<uint32_t> cell_places_;        // empty with all cells
    std::vector<uint16_t> cell_labels_;        // empty with all cells
    std::vector<uint32_t> edges_;
    Twins twins_;
    mutable std::weak_ptr<const Shards> shards_;  // while a trainer uses them
    std::shared_ptr<const Shards> only_shards_;   // after keep_shards_only
    TransitionFeatures transition_features_;
};

inline size_t ParameterLayout::cells() const { return set_.cell_count_; }
inline size_t ParameterLayout::edges() const { return chain_ ? set_.edges_.size() : 0; }
inline size_t ParameterLayout::transition_cells() const { return chain_ ? set_.transition_features_.cell_count() : 0; }

template <class Visit>
void ParameterLayout::each(Visit&& visit) const {
    size_t parameter = 0;
    for (uint32_t feature = 0; parameter < cells(); ++feature) {
        const float factor = set_.twins_.factor(feature);
        if (set_.all_cells_) {  // a feature's weights lie side by side
            const size_t first = size_t{set_.row_of_feature_[feature]} * set_.stride_;
            for (size_t label = 0; label < set_.labels_; ++label) visit(parameter++, first + label, factor);
        } else {
            for (; parameter < set_.cell_starts_[feature + 1]; ++parameter) visit(parameter, size_t{set_.cell_places_[parameter]}, factor);
        }
    }
    for (size_t i = 0; i < edges(); ++i)
        visit(parameter++, set_.transitions_begin_ + size_t{set_.edges_[i] / set_.labels_} * set_.stride_ + set_.edges_[i] % set_.labels_, 1.0f);
    for (size_t i = 0; i < transition_cells(); ++i) visit(parameter++, set_.transition_cells_begin() + i, 1.0f);
}

}  // namespace tagpool
