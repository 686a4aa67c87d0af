#include "dataset/shards.hpp"

#include <algorithm>

namespace tagpool {
namespace {

// Sorts the items of each sentence by shard: calls put(i, to, token) for item i, and fills list_starts. Starts with the last sentence, so
// that memory can be freed from the end.
template <class ShardOf, class Begin, class Put>
void sort_by_shard(const TrainingSet& set, const Buffer<uint64_t>& starts, Buffer<uint64_t>& list_starts, ShardOf&& shard_of, Begin&& begin_sentence,
                   Put&& put) {
    list_starts.resize_uninitialized(set.sentence_count() * Shards::kCount + 1);
    for (size_t sentence = set.sentence_count(); sentence-- > 0;) {
        const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
        begin_sentence(starts[begin], starts[end]);
        uint64_t next = starts[begin], places[Shards::kCount] = {};
        for (uint64_t i = starts[begin]; i < starts[end]; ++i) ++places[shard_of(i)];
        for (size_t shard = 0; shard < Shards::kCount; ++shard) {
            list_starts[sentence * Shards::kCount + shard] = next;
            const uint64_t count = places[shard];
            places[shard] = next;
            next += count;
        }
        for (size_t token = begin; token < end; ++token)
            for (uint64_t i = starts[token]; i < starts[token + 1]; ++i) put(i, places[shard_of(i)]++, token - begin);
    }
    list_starts[set.sentence_count() * Shards::kCount] = starts[set.token_count()];
}

}  // namespace

// Assigns each page to the shard with the least work so far. Frequent features come first in memory, so that the result is balanced.
std::vector<uint8_t> Shards::assign_pages(const WeightLayout& weights) {
    std::vector<uint64_t> costs(weights.transitions_begin() / kPage + 1, 0);
    const uint64_t vectors = weights.stride() / 8;
    weights.each_count([&](uint32_t feature, uint32_t count) {
        if (const uint32_t row = weights.row_of(feature); row != WeightLayout::kNone) {
            costs[size_t{row} * weights.stride() / kPage] += vectors * count;
            return;
        }
        const uint32_t place = weights.single_of(feature);
        for (uint32_t k = 0; k < weights.single_count(feature); ++k) costs[(place + k) / kPage] += count;
    });
    std::vector<uint8_t> shards(costs.size());
    uint64_t sums[kCount] = {};
    for (size_t page = 0; page < costs.size(); ++page) {
        const size_t least = static_cast<size_t>(std::min_element(sums, sums + kCount) - sums);
        shards[page] = static_cast<uint8_t>(least);
        sums[least] += costs[page];
    }
    return shards;
}

// Calls copied(end) when the rows from `end` on have been copied.
template <class Copied>
void Shards::copy_rows(const TrainingSet& set, const Items& items, const std::vector<uint8_t>& shard_of_page, Copied&& copied) {
    rows_.resize_uninitialized(items.rows.size());
    row_values_.resize_uninitialized(items.row_values.size());
    sort_by_shard(
        set, items.row_starts, row_starts_, [&](uint64_t i) { return shard_of_page[size_t{items.rows[i]} * set.stride() / kPage]; },
        [&](uint64_t, uint64_t end) { copied(end); },
        [&](uint64_t i, uint64_t to, size_t token) {
            rows_[to] = {items.rows[i], static_cast<uint32_t>(token)};
            if (!row_values_.empty()) row_values_[to] = items.row_values[i];
        });
}

// Sorts in place, with a copy of one sentence at a time.
void Shards::sort_singles(const TrainingSet& set, const Buffer<uint64_t>& starts, const std::vector<uint8_t>& shard_of_page) {
    std::vector<Item> items;
    std::vector<float> values;
    uint64_t first = 0;
    sort_by_shard(
        set, starts, single_starts_, [&](uint64_t i) { return shard_of_page[items[i - first].place / kPage]; },
        [&](uint64_t begin, uint64_t end) {
            first = begin;
            items.assign(singles_.data() + begin, singles_.data() + end);
            if (!single_values_.empty()) values.assign(single_values_.data() + begin, single_values_.data() + end);
        },
        [&](uint64_t i, uint64_t to, size_t) {
            singles_[to] = items[i - first];
            if (!single_values_.empty()) single_values_[to] = values[i - first];
        });
}

Shards::Shards(const TrainingSet& set) {
    const Items& items = set.items();
    const std::vector<uint8_t> shard_of_page = assign_pages(set.weights());
    copy_rows(set, items, shard_of_page, [](uint64_t) {});
    singles_.append(items.singles.data(), items.singles.size());
    single_values_.append(items.single_values.data(), items.single_values.size());
    sort_singles(set, items.single_starts, shard_of_page);
}

Shards::Shards(const TrainingSet& set, Items&& items) {
    const std::vector<uint8_t> shard_of_page = assign_pages(set.weights());
    const uint64_t piece = items.rows.size() / 16 + 1;
    copy_rows(set, items, shard_of_page, [&](uint64_t end) {
        if (items.rows.size() - end < piece) return;
        items.rows.truncate(end);
        items.rows.shrink();
        if (items.row_values.empty()) return;
        items.row_values.truncate(end);
        items.row_values.shrink();
    });
    items.rows = {};
    items.row_values = {};
    singles_ = std::move(items.singles);
    single_values_ = std::move(items.single_values);
    sort_singles(set, items.single_starts, shard_of_page);
}

// Members of TrainingSet that create its shards.
std::shared_ptr<const Shards> TrainingSet::shards() const {
    if (std::shared_ptr<const Shards> known = shards_.lock()) return known;
    require_items();
    auto shards = std::make_shared<const Shards>(*this);
    shards_ = shards;
    return shards;
}

void TrainingSet::keep_shards_only() {
    if (only_shards_ || stream_) return;
    require_items();
    bundled_.reset();
    only_shards_ = shards_.lock();
    if (!only_shards_) shards_ = only_shards_ = std::make_shared<const Shards>(*this, std::move(items_));
    items_ = {};
}

}  // namespace tagpool
