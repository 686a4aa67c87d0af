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

#include "dataset/transition_features.hpp"
#include "base/buffer.hpp"
#include "dataset/bundles.hpp"
#include "features/encoding.hpp"
#include "dataset/items.hpp"
#include "dataset/twins.hpp"

namespace tagpool {

struct TrainingOptions {
    uint32_t labels = 0;
    bool all_pairs = true;        // else only cells (feature, label) that occur
    uint32_t dense_from = 5;      // observed labels that make a feature dense (with all_pairs every feature is); with `bundle` and
                                  // short rows 3
    bool boundaries = true;       // weights for the first and the last label of a sentence
    bool all_transitions = true;  // else only transitions that occur; the others weigh zero
    bool merge_twins = false;     // train features that always occur together as one (twins.hpp)
    bool lean = false;            // for the Objective, without bundles: less memory. Weights of twins are scaled instead of values, and
                                  // single weights are packed if possible
    bool bundle = false;          // for batch trainers (bundles.hpp)
    std::vector<std::pair<uint32_t, uint16_t>> known = {};  // cells that count as observed even if they do not occur
    KnownArcs known_arcs = {};
    bool observe = true;  // false: only known cells count as observed
    std::optional<std::vector<uint32_t>> transitions = {};  // the only transitions with weights (from * labels + to)
};

class Shards;
class TrainingSet;

// The place of each parameter in memory: computed with all_pairs, else stored. Twins have the same place.
class Places {
public:
    explicit Places(const TrainingSet& set) : set_(set) {}
    size_t size() const;
    // Calls visit(parameter, place, factor) for the first `count` parameters. The number at the place is the parameter times the factor.
    template <class Visit>
    void each(size_t count, Visit&& visit) const;

private:
    uint32_t beyond_pairs(size_t number) const;

    const TrainingSet& set_;
};

class TrainingSet {
public:
    static constexpr int32_t kUnknown = -1;

    // `gold` has one label for each token, or kUnknown. `history` has the transition features; it may be null.
    TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options,
                const Encoding* history = nullptr, uint32_t history_features = 0);

    uint32_t labels() const { return labels_; }
    uint32_t stride() const { return stride_; }  // labels, rounded up to whole vectors
    size_t token_count() const { return gold_.size(); }
    size_t sentence_count() const { return sentences_.size() - 1; }

    // Parts of about equally many tokens: part p has the sentences [part_begin(p), part_begin(p + 1)).
    size_t parts() const { return part_begins_.size() - 1; }
    size_t part_begin(size_t part) const { return part_begins_[part]; }

    // Weights in memory: those of shared features (rows, then single ones), those of the others (the same), transitions (labels rows),
    // start and end (one row each), triples of transition features.
    size_t shared_count() const { return shared_count_; }
    size_t shared_rows_end() const { return shared_rows_end_; }
    size_t own_rows_end() const { return own_rows_end_; }
    bool is_in_row(size_t place) const { return place < shared_rows_end_ || (place >= shared_count_ && place < own_rows_end_); }
    size_t transitions_begin() const { return transitions_begin_; }
    size_t start_begin() const { return transitions_begin() + size_t{labels_} * stride_; }
    size_t end_begin() const { return start_begin() + stride_; }
    size_t triples_begin() const { return end_begin() + stride_; }
    size_t weight_count() const { return triples_begin() + padded(arcs_.triple_count()); }
    // Everything from the transitions on; and without the triples, of which a sentence meets but few.
    size_t edge_size() const { return weight_count() - transitions_begin(); }
    size_t common_edge_size() const { return triples_begin() - transitions_begin(); }

    // Parameters of learners and model files: the free weights, sorted by (feature, label), then transitions, start, end and triples. places()
    // maps them to memory; all other places hold zero.
    Places places() const { return Places(*this); }
    size_t pair_count() const { return pair_count_; }
    bool all_pairs() const { return all_pairs_; }
    bool twins_by_weight() const { return lean_ && !twins_.empty() && !valued_; }
    uint32_t row_of(uint32_t feature) const { return row_of_feature_[feature]; }  // of a dense feature
    size_t row_count() const { return (shared_rows_end_ + (own_rows_end_ - shared_count_)) / stride_; }
    // Feature and label of each cell, in the same order.
    std::vector<uint32_t> pair_features() const;
    std::vector<uint16_t> pair_labels() const;
    // The free ones of transitions (from * labels + to), start (labels^2 + label) and end (labels * (labels + 1) + label).
    const std::vector<uint32_t>& edges() const { return edges_; }
    // Transition features; empty for a plain chain.
    const Arcs& arcs() const { return arcs_; }

    // The shards (shards.hpp), made on the first call; not thread-safe.
    std::shared_ptr<const Shards> shards() const;
    // Makes the shards and frees the items, for SGD.
    void keep_shards_only();
    // Throws InputFault if the items were freed, or are lean and `lean_will_do` is false.
    void demand_tokens(bool lean_will_do = false) const;

    // By token; empty after keep_shards_only.
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
    friend class Places;
    struct Observations;

    void cut_into_parts();
    void choose_layout(const Encoding& encoding, uint32_t features, const TrainingOptions& options);
    void place_features(const Observations& seen, uint32_t dense_from);
    void list_pairs(const Observations& seen);
    Items lay_out(const Encoding& encoding, const Observations& seen) const;
    void bundle(const Encoding& encoding, const Observations& seen);
    void choose_edges(const TrainingOptions& options);

    // Whole vectors.
    static size_t padded(size_t count) { return (count + 7) / 8 * 8; }

    Items items_;
    std::unique_ptr<const Bundled> bundled_;
    uint32_t labels_, stride_;
    bool all_pairs_, lean_, valued_;
    size_t shared_rows_end_ = 0, shared_count_ = 0, own_rows_end_ = 0, transitions_begin_ = 0, pair_count_ = 0;
    std::vector<size_t> part_begins_;
    std::vector<uint32_t> row_of_feature_;    // kNone: sparse
    std::vector<uint32_t> single_of_feature_; // the place of its first single weight; empty without such weights
    std::vector<uint32_t> pair_starts_;       // by feature, one more than features; empty with all pairs
    std::vector<uint32_t> pair_places_;       // empty with all pairs
    std::vector<uint16_t> pair_labels_;       // empty with all pairs
    std::vector<uint32_t> edges_;
    Twins twins_;
    mutable std::weak_ptr<const Shards> shards_;  // while a trainer uses them
    std::shared_ptr<const Shards> kept_shards_;   // after keep_shards_only
    Arcs arcs_;
};

inline size_t Places::size() const {
    return set_.pair_count_ + set_.edges_.size() + set_.arcs_.triple_count();
}

// The place of a transition, start, end or triple.
inline uint32_t Places::beyond_pairs(size_t number) const {
    if (number >= set_.edges_.size()) return static_cast<uint32_t>(set_.triples_begin() + (number - set_.edges_.size()));
    const uint32_t edge = set_.edges_[number];
    return static_cast<uint32_t>(set_.transitions_begin_ + size_t{edge / set_.labels_} * set_.stride_ + edge % set_.labels_);
}

template <class Visit>
void Places::each(size_t count, Visit&& visit) const {
    size_t parameter = 0;
    for (uint32_t feature = 0; parameter < std::min(count, set_.pair_count_); ++feature) {
        const float factor = set_.twins_.factor(feature);
        if (set_.all_pairs_) {  // a feature's weights lie side by side
            const size_t first = size_t{set_.row_of_feature_[feature]} * set_.stride_;
            for (size_t label = 0; label < set_.labels_ && parameter < count; ++label) visit(parameter++, first + label, factor);
        } else {
            for (; parameter < std::min<size_t>(count, set_.pair_starts_[feature + 1]); ++parameter)
                visit(parameter, size_t{set_.pair_places_[parameter]}, factor);
        }
    }
    for (; parameter < count; ++parameter) visit(parameter, size_t{beyond_pairs(parameter - set_.pair_count_)}, 1.0f);
}

}  // namespace tagpool
