#include "shards.hpp"

namespace tagpool {
namespace {

// Sorts what the tokens of each sentence have by shard.
template <class ShardOf, class ItemOf>
void sort_by_shard(const TrainingSet& set, const Buffer<uint64_t>& starts, const Buffer<float>& values, ShardOf&& shard_of, ItemOf&& item_of,
                   Buffer<Shards::Item>& items, Buffer<float>& kept_values, Buffer<uint64_t>& list_starts) {
    items.fill_later(starts[set.token_count()]);
    if (!values.empty()) kept_values.fill_later(items.size());
    list_starts.fill_later(set.sentence_count() * Shards::kCount + 1);
    uint64_t next = 0;
    for (size_t sentence = 0; sentence < set.sentence_count(); ++sentence) {
        const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
        uint64_t places[Shards::kCount] = {};
        for (uint64_t i = starts[begin]; i < starts[end]; ++i) ++places[shard_of(i)];
        for (size_t shard = 0; shard < Shards::kCount; ++shard) {
            list_starts[sentence * Shards::kCount + shard] = next;
            const uint64_t count = places[shard];
            places[shard] = next;
            next += count;
        }
        for (size_t token = begin; token < end; ++token)
            for (uint64_t i = starts[token]; i < starts[token + 1]; ++i) {
                const uint64_t place = places[shard_of(i)]++;
                items[place] = item_of(i, token - begin);
                if (!values.empty()) kept_values[place] = values[i];
            }
    }
    list_starts[set.sentence_count() * Shards::kCount] = next;
}

}  // namespace

Shards::Shards(const TrainingSet& set) {
    sort_by_shard(
        set, set.items().row_starts, set.items().row_values, [&](uint64_t i) { return shard_of_row(set.items().rows[i]); },
        [&](uint64_t i, size_t token) { return Item{set.items().rows[i], static_cast<uint32_t>(token)}; }, rows_, row_values_, row_starts_);
    sort_by_shard(
        set, set.items().single_starts, set.items().single_values, [&](uint64_t i) { return shard_of_single(set.items().singles[i].place); },
        [&](uint64_t i, size_t) { return Item{set.items().singles[i].place, set.items().singles[i].score}; },
        singles_, single_values_, single_starts_);
}

}  // namespace tagpool
