// WeightLayout: the places of the weights of a training, and the parts of its sentences. It follows from observations of the whole corpus; the
// sentences themselves are in training sets, of all sentences or of a slice.
//
// A weight belongs to a cell (feature, label). Features with many cells are *dense*: they have a row of `stride` weights, one for each label.
// The others are *sparse*: they have single weights, each with its label.
//
// Sentences are divided into parts for threads, which do not depend on the number of threads. A feature that occurs in several parts
// is *shared*: each part sums its gradient in a copy. The many rare features of one part need no copy. Shared features come first in
// memory, sorted by frequency; the others follow in the order of their first occurrence, so that they share cache lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dataset/bundle_columns.hpp"
#include "dataset/observations.hpp"
#include "dataset/places.hpp"
#include "dataset/training_options.hpp"
#include "dataset/transition_features.hpp"
#include "dataset/twins.hpp"

namespace tagpool {

class WeightLayout;

// ParameterLayout: the parameters of learners and model files: the free weights of cells, sorted by (feature, label), and with a chain those of
// edges (transitions, start and end) and transition cells.
class ParameterLayout {
public:
    ParameterLayout(const WeightLayout& weights, bool chain) : weights_(weights), chain_(chain) {}
    size_t cells() const;
    size_t edges() const;
    size_t transition_cells() const;
    size_t size() const { return cells() + edges() + transition_cells(); }
    // Calls visit(parameter, place, factor) for all parameters, in order. The number at the place in memory is the parameter times the factor;
    // twins have the same place.
    template <class Visit>
    void each(Visit&& visit) const;

private:
    const WeightLayout& weights_;
    const bool chain_;
};

// The places [begin, end) of weights.
using PlaceRange = std::pair<size_t, size_t>;

class WeightLayout : public Places {
public:
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    WeightLayout(const TrainingOptions& options, const Observations& seen);

    // Numbers of the whole corpus.
    size_t token_count() const { return token_count_; }
    size_t sentence_count() const { return sentence_count_; }
    // Mean over the tokens of the summed squares of their feature values: the number of features, if all values are 1.
    double mean_square_norm() const { return mean_square_norm_; }
    bool valued() const { return valued_; }
    bool lean() const { return lean_; }

    // Parts of about equally many tokens: part p has the sentences that begin at the tokens [part_tokens()[p], part_tokens()[p + 1]).
    const std::vector<size_t>& part_tokens() const { return part_tokens_; }
    size_t parts() const { return part_tokens_.size() - 1; }
    // The first sentence of each part, and the number of sentences, of sentences from token `begin` of the corpus on.
    std::vector<size_t> part_begins(const std::vector<uint32_t>& sentences, size_t begin) const;
    // The weights of features of this part alone, in order.
    const std::vector<PlaceRange>& own_places(size_t part) const { return own_places_[part]; }

    ParameterLayout parameters(bool chain) const { return {*this, chain}; }
    const Twins& twins() const { return twins_; }
    bool twins_by_weight() const { return lean_ && !twins_.empty() && !valued_; }
    size_t feature_count() const { return row_of_feature_.size(); }
    uint32_t row_of(uint32_t feature) const { return row_of_feature_[feature]; }        // kNone: sparse
    uint32_t single_of(uint32_t feature) const { return single_of_feature_[feature]; }  // the place of its first single weight
    uint32_t first_cell(uint32_t feature) const { return cell_starts_[feature]; }       // without all cells
    uint32_t single_count(uint32_t feature) const { return cell_starts_[feature + 1] - cell_starts_[feature]; }
    uint16_t label_of_cell(uint32_t cell) const { return cell_labels_[cell]; }
    // Feature and label of each cell, in the order of the parameters.
    std::vector<uint32_t> cell_features() const;
    std::vector<uint16_t> cell_labels() const;
    // The free ones of transitions (from * labels + to), start (labels^2 + label) and end (labels * (labels + 1) + label).
    const std::vector<uint32_t>& edges() const { return edges_; }
    // 1 where an edge is free, 0 elsewhere (labels + 2 rows of `stride`); empty if all are.
    const std::vector<uint8_t>& edge_mask() const { return edge_mask_; }
    // Null for a plain chain.
    const std::shared_ptr<const TransitionCellIndex>& transition_cells() const { return transition_cells_; }
    TransitionCells list_transition_cells() const { return transition_cells_ ? transition_cells_->cells(labels_, stride_) : TransitionCells(); }

    // Calls visit(feature, count) for the features that are trained, with their occurrences in the corpus; not in lean layouts.
    template <class Visit>
    void each_count(Visit&& visit) const {
        for (uint32_t feature = 0; feature < occurrences_.size(); ++feature)
            if (twins_.first(feature) == feature) visit(feature, occurrences_[feature]);
    }
    // Whether single weights occur; not in lean layouts.
    bool has_singles() const { return has_singles_; }
    const std::vector<uint32_t>& history_occurrences() const { return history_occurrences_; }

    // New columns for bundles; null if the training has none.
    std::unique_ptr<BundleColumns> new_columns() const;
    // Uses these columns if bundles save enough work in the whole corpus.
    void choose_bundles(std::shared_ptr<const BundleColumns> columns, double savings);
    // Null if there are no bundles.
    const BundleColumns* columns() const { return columns_.get(); }

private:
    friend class ParameterLayout;
    struct Counts;

    Counts count(const TrainingOptions& options, const Observations& seen) const;
    void choose_parts(const Observations& seen, const Counts& counts);
    void place_features(const Observations& seen, const Counts& counts);
    void list_cells(const Counts& counts);
    void choose_edges(const TrainingOptions& options, const Observations& seen);
    size_t part_of(uint32_t token) const;
    bool shared(const Observations::Feature& feature) const;

    bool lean_, valued_, bundles_;
    bool has_singles_ = false;
    size_t token_count_, sentence_count_, usual_length_;
    double mean_square_norm_;
    double bundle_total_ = 0;  // cost of scoring the corpus without bundles
    std::vector<size_t> part_tokens_;
    std::vector<std::vector<PlaceRange>> own_places_;  // by part
    std::vector<uint32_t> row_of_feature_, single_of_feature_;
    std::vector<uint32_t> cell_starts_;  // by feature, one more than features; empty with all cells
    std::vector<uint32_t> cell_places_;  // empty with all cells
    std::vector<uint16_t> cell_labels_;  // empty with all cells
    std::vector<uint32_t> edges_;
    std::vector<uint8_t> edge_mask_;
    std::vector<uint32_t> occurrences_, history_occurrences_;
    std::vector<float> bundle_costs_;  // by feature; empty without bundles
    Twins twins_;
    std::shared_ptr<const TransitionCellIndex> transition_cells_;
    std::shared_ptr<const BundleColumns> columns_;
};

inline size_t ParameterLayout::cells() const { return weights_.cell_count(); }
inline size_t ParameterLayout::edges() const { return chain_ ? weights_.edges_.size() : 0; }
inline size_t ParameterLayout::transition_cells() const { return chain_ ? weights_.transition_cell_count_ : 0; }

template <class Visit>
void ParameterLayout::each(Visit&& visit) const {
    size_t parameter = 0;
    for (uint32_t feature = 0; parameter < cells(); ++feature) {
        const float factor = weights_.twins_.factor(feature);
        if (weights_.all_cells_) {  // a feature's weights lie side by side
            const size_t first = size_t{weights_.row_of_feature_[feature]} * weights_.stride_;
            for (size_t label = 0; label < weights_.labels_; ++label) visit(parameter++, first + label, factor);
        } else {
            for (; parameter < weights_.cell_starts_[feature + 1]; ++parameter) visit(parameter, size_t{weights_.cell_places_[parameter]}, factor);
        }
    }
    for (size_t i = 0; i < edges(); ++i)
        visit(parameter++,
              weights_.transitions_begin_ + size_t{weights_.edges_[i] / weights_.labels_} * weights_.stride_ + weights_.edges_[i] % weights_.labels_,
              1.0f);
    for (size_t i = 0; i < transition_cells(); ++i) visit(parameter++, weights_.transition_cells_begin() + i, 1.0f);
}

}  // namespace tagpool
