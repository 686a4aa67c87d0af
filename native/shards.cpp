#include "shards.hpp"

#include <algorithm>

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

// The shard of each page. Frequent features come first in memory, so that giving each page to the shard with less to do comes out even.
std::vector<uint8_t> Shards::share_out(const TrainingSet& set) {
    std::vector<uint64_t> costs(set.transitions_begin() / kPage + 1, 0);
    const uint64_t vectors = set.stride() / 8;
    for (uint32_t row : set.items().rows) costs[size_t{row} * set.stride() / kPage] += vectors;
    for (const Single& single : set.items().singles) ++costs[single.place / kPage];
    std::vector<uint8_t> shards(costs.size());
    uint64_t sums[kCount] = {};
    for (size_t page = 0; page < costs.size(); ++page) {
        const size_t least = static_cast<size_t>(std::min_element(sums, sums + kCount) - sums);
        shards[page] = static_cast<uint8_t>(least);
        sums[least] += costs[page];
    }
    return shards;
}

Shards::Shards(const TrainingSet& set) {
    const Items& items = set.items();
    const std::vector<uint8_t> shard_of_page = share_out(set);
    sort_by_shard(
        set, items.row_starts, items.row_values, [&](uint64_t i) { return shard_of_page[size_t{items.rows[i]} * set.stride() / kPage]; },
        [&](uint64_t i, size_t token) { return Item{items.rows[i], static_cast<uint32_t>(token)}; }, rows_, row_values_, row_starts_);
    sort_by_shard(
        set, items.single_starts, items.single_values, [&](uint64_t i) { return shard_of_page[items.singles[i].place / kPage]; },
        [&](uint64_t i, size_t) { return Item{items.singles[i].place, items.singles[i].score}; }, singles_, single_values_, single_starts_);
}

}  // namespace tagpool
