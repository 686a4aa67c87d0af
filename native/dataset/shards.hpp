// Shards: a partition of the feature weights, so that one thread at a time owns each weight. Every sentence has one list of weights for
// each shard. One loop runs over a whole list: short loops over the items of a token would be mispredicted at their ends.
//
// A shard has whole pages of memory. Hardware prefetching loads neighbouring lines of a page, which another core could be writing. Pages are
// assigned so that all shards have about the same work.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class Shards {
public:
    // More shards would use more threads, but cost one more sum for each token.
    static constexpr size_t kCount = 2;

    // A dense row and its token within the sentence; or a single weight and token * stride + label.
    using Item = Single;
    struct List {
        const Item* items;
        const float* values;  // null: all 1
        size_t count;
    };

    explicit Shards(const TrainingSet& set);
    // Reuses the memory of the items: the lists are the largest part of a training set.
    Shards(const TrainingSet& set, Items&& items);

    List rows(size_t sentence, size_t shard) const { return list(rows_, row_values_, row_starts_, sentence * kCount + shard); }
    List singles(size_t sentence, size_t shard) const { return list(singles_, single_values_, single_starts_, sentence * kCount + shard); }

private:
    static constexpr size_t kPage = 4096 / (2 * sizeof(float));  // weights with a second number each (averaged_weights.hpp)

    static std::vector<uint8_t> assign_pages(const WeightLayout& weights);
    template <class Copied>
    void copy_rows(const TrainingSet& set, const Items& items, const std::vector<uint8_t>& shard_of_page, Copied&& copied);
    void sort_singles(const TrainingSet& set, const Buffer<uint64_t>& starts, const std::vector<uint8_t>& shard_of_page);

    static List list(const Buffer<Item>& items, const Buffer<float>& values, const Buffer<uint64_t>& starts, size_t number) {
        const uint64_t begin = starts[number];
        return {items.data() + begin, values.empty() ? nullptr : values.data() + begin, starts[number + 1] - begin};
    }

    Buffer<Item> rows_, singles_;
    Buffer<float> row_values_, single_values_;
    Buffer<uint64_t> row_starts_, single_starts_;  // by sentence and shard
};

}  // namespace tagpool
