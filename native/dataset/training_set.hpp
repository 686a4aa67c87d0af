// TrainingSet: encoded sentences with labels, in a layout (weight_layout.hpp) in which scoring tokens and summing gradients need no look-ups.
// It has all sentences of a training or a slice of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/bundles.hpp"
#include "dataset/chunks.hpp"
#include "dataset/items.hpp"
#include "dataset/transition_features.hpp"
#include "dataset/weight_layout.hpp"
#include "features/encoding.hpp"

namespace tagpool {

class Shards;

// A copy without values of 0, which add nothing to scores and gradients; none if there are no such values.
std::optional<Encoding> without_zeros(const Encoding& encoding);

// The work that bundles save in sentences from token `begin` of the corpus on: in one part that they have as a whole, or in all parts.
constexpr size_t kAllParts = SIZE_MAX;
double bundle_savings(const WeightLayout& weights, const BundleColumns& columns, const Encoding& encoding, size_t begin, size_t part = kAllParts);

class TrainingSet : public Places {
public:
    static constexpr int32_t kUnknown = kUnknownLabel;

    // All sentences of a training. `gold` has one label for each token, or kUnknown. `history` has the transition features; it may be null.
    TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options, const Encoding* history = nullptr,
                uint32_t history_features = 0);
    // Sentences from token `begin` of the corpus on.
    TrainingSet(std::shared_ptr<const WeightLayout> weights, const Encoding& encoding, const int32_t* gold, const Encoding* history = nullptr,
                size_t begin = 0);
    // No sentences in memory; trainers read them from the stream, if there is one.
    explicit TrainingSet(std::shared_ptr<const WeightLayout> weights, std::shared_ptr<const SentenceStream> stream = nullptr);

    // The weights, and what is known of the whole corpus.
    const WeightLayout& weights() const { return *weights_; }
    const std::shared_ptr<const WeightLayout>& shared_weights() const { return weights_; }
    // Null: the sentences are in memory.
    const SentenceStream* stream() const { return stream_.get(); }
    // Numbers of the sentences and tokens in memory.
    size_t token_count() const { return gold_.size(); }
    size_t sentence_count() const { return sentences_.size() - 1; }

    // Parts of the whole corpus: these sentences of part p are [part_begin(p), part_begin(p + 1)).
    size_t parts() const { return part_begins_.size() - 1; }
    size_t part_begin(size_t part) const { return part_begins_[part]; }

    // Places that are not in the layout hold zero.
    ParameterLayout layout(bool chain) const { return weights_->parameters(chain); }
    const std::vector<uint8_t>& edge_mask() const { return weights_->edge_mask(); }
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

private:
    void fill(const Encoding& used, const Encoding* history);
    void keep(Bundles&& bundles);
    std::vector<size_t> part_tokens() const;
    Items make_items(const Encoding& encoding) const;

    std::shared_ptr<const WeightLayout> weights_;
    std::shared_ptr<const SentenceStream> stream_;
    Items items_;
    std::unique_ptr<const Bundled> bundled_;
    std::vector<size_t> part_begins_;
    mutable std::weak_ptr<const Shards> shards_;  // while a trainer uses them
    std::shared_ptr<const Shards> only_shards_;   // after keep_shards_only
    TransitionFeatures transition_features_;
};

}  // namespace tagpool
