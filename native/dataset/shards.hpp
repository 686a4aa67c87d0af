// Shards: the weights of features shared out, so that each belongs to one thread at a time, and for every sentence the list of what each
// shard has to say of it. A list is walked from end to end: no short loops over the few items of a token, whose ends no processor foresees.
//
// Weights of one shard fill whole pages of memory: processors fetch lines of a page ahead of those asked for, and would take them from each
// other. The pages are shared out such that each shard has about as much to do.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class Shards {
public:
    // More shards would occupy more threads, but cost everybody another sum a token.
    static constexpr size_t kCount = 2;

    // A dense row and the token (within its sentence) that has the feature; or a single weight, and token * stride + label.
    using Item = Single;
    struct List {
        const Item* items;
        const float* values;  // null: all 1
        size_t count;
    };

    explicit Shards(const TrainingSet& set);
    // The same, made of the set's items, so that there are never two of the largest part.
    Shards(const TrainingSet& set, Items&& items);

    List rows(size_t sentence, size_t shard) const { return list(rows_, row_values_, row_starts_, sentence * kCount + shard); }
    List singles(size_t sentence, size_t shard) const { return list(singles_, single_values_, single_starts_, sentence * kCount + shard); }
    bool has_singles() const { return !singles_.empty(); }

private:
    static constexpr size_t kPage = 4096 / (2 * sizeof(float));  // weights with a second number each (paired_weights.hpp)

    static std::vector<uint8_t> share_out(const TrainingSet& set, const Items& items);
    template <class Taken>
    void take_rows(const TrainingSet& set, const Items& items, const std::vector<uint8_t>& shard_of_page, Taken&& taken);
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
