// TrainingSet: encoded sentences with labels, laid out so that scoring tokens and summing gradients never look anything up.
//
// A weight belongs to a pair (feature, label). Features with many pairs are *dense*: a row of `stride` weights, all labels side by
// side. The others are *sparse*: single weights, each with its label. Scoring and summing go token by token over both.
//
// For threads the sentences are cut into a few parts, always the same ones. Features met in several parts are *shared*: each part sums
// their gradients in a copy of its own. The many rare features of one part only need no copy. Shared features come first in memory,
// frequent ones at the very front, the others in the order in which they are met: near in time is near in memory.
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
    bool all_pairs = true;        // else only pairs (feature, label) that occur
    uint32_t dense_from = 5;      // a feature with so many observed labels is dense (with all_pairs every feature is); with `bundle` and
                                  // short rows those with three are
    bool boundaries = true;       // weights for the first and the last label of a sentence
    bool all_transitions = true;  // else only transitions that occur; the others weigh zero
    bool merge_twins = false;     // for trainers to whom features that always occur together are one (twins.hpp)
    bool lean = false;            // for the Objective only, without bundles: tokens have no values where only twins would have any (it scales
                                  // their weights instead), and single weights take half the memory where they are few enough
    bool bundle = false;          // for trainers that go over the whole corpus at every step (bundles.hpp)
    std::vector<std::pair<uint32_t, uint16_t>> known = {};  // pairs (feature, label) that count as observed in any case
    KnownArcs known_arcs = {};
    bool observe = true;  // else no pair counts as observed but those known
    std::optional<std::vector<uint32_t>> transitions = {};  // the only ones that have weights (from * labels + to), where given
};

class Shards;
class TrainingSet;

// Where each parameter lies in memory. With all pairs this is computed, else it is kept. Twins lie at the same place.
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

    // `gold` has one label a token, kUnknown where it is not known. `history` are features of transitions (arcs.hpp); it may be null.
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

    // Parameters as a learner and a model file know them: the free weights only, in the order of (feature, label), transitions, start,
    // end, triples. places() says where they lie in memory; the other places hold zero for ever.
    Places places() const { return Places(*this); }
    size_t pair_count() const { return pair_count_; }
    bool all_pairs() const { return all_pairs_; }
    bool twins_by_weight() const { return lean_ && !twins_.empty() && !valued_; }
    uint32_t row_of(uint32_t feature) const { return row_of_feature_[feature]; }  // of a dense feature
    size_t row_count() const { return (shared_rows_end_ + (own_rows_end_ - shared_count_)) / stride_; }
    // Feature and label of each pair, in the same order.
    std::vector<uint32_t> pair_features() const;
    std::vector<uint16_t> pair_labels() const;
    // The free ones of transitions (from * labels + to), start (labels^2 + label) and end (labels * (labels + 1) + label).
    const std::vector<uint32_t>& edges() const { return edges_; }
    // Transition features; empty for a plain chain.
    const Arcs& arcs() const { return arcs_; }

    // What each shard has to say of every sentence (shards.hpp); made when asked for, by one thread at a time.
    std::shared_ptr<const Shards> shards() const;
    // For those who need nothing else of the tokens: makes the shards, and lets go of the rows and single weights of tokens.
    void keep_shards_only();
    // Throws InputFault if they are gone, or lean unless that will do.
    void demand_tokens(bool lean_will_do = false) const;

    // By token; empty after keep_shards_only.
    const Items& items() const { return items_; }

    // The same with bundles, where these spare work; else null.
    struct Bundled {
        Items tokens;                     // what tokens have beside their bundles
        Items bundles;                    // what bundles have, part by part
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
    std::vector<uint32_t> single_of_feature_; // the place of its first single weight; empty if there are none
    std::vector<uint32_t> pair_starts_;       // by feature, one more than features; empty with all pairs
    std::vector<uint32_t> pair_places_;       // empty with all pairs
    std::vector<uint16_t> pair_labels_;       // empty with all pairs
    std::vector<uint32_t> edges_;
    Twins twins_;
    mutable std::weak_ptr<const Shards> shards_;  // as long as somebody uses them
    std::shared_ptr<const Shards> kept_shards_;   // for good
    Arcs arcs_;
};

inline size_t Places::size() const {
    return set_.pair_count_ + set_.edges_.size() + set_.arcs_.triple_count();
}

// Of the transitions and what comes after them.
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
