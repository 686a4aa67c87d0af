#include "features/same_words.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "features/functions/casing.hpp"

namespace tagpool {

SameWords::SameWords(const Columns& columns, const Column& column) : columns_(columns), column_(column) {
    std::unordered_map<uint64_t, uint32_t> numbers;
    word_of_.reserve(column.strings->size());
    for (uint32_t id = 0; id < column.strings->size(); ++id) {
        const uint64_t hash = hash_bytes(lower((*column.strings)[id]));
        word_of_.push_back(numbers.emplace(hash, static_cast<uint32_t>(numbers.size())).first->second);
    }
}

void SameWords::enter(uint32_t sentence) {
    if (sentence >= first_ && sentence < last_) return;
    std::tie(first_, last_) = columns_.document_of(sentence);
    is_grouped_ = false;
}

std::span<const uint32_t> SameWords::occurrences(int64_t token) {
    group();
    const auto index = static_cast<size_t>(token - begin());
    return {order_.data() + from_[index], to_[index] - from_[index]};
}

std::span<const uint32_t> SameWords::grouped() {
    group();
    return order_;
}

void SameWords::group() {
    if (is_grouped_) return;
    is_grouped_ = true;
    const auto count = static_cast<size_t>(end() - begin());
    sort_keys_.clear();
    for (size_t token = 0; token < count; ++token)
        sort_keys_.push_back(uint64_t{word_of_[column_.ids[static_cast<size_t>(begin()) + token]]} << 32 | token);
    std::sort(sort_keys_.begin(), sort_keys_.end());
    order_.resize(count);
    from_.resize(count);
    to_.resize(count);
    for (size_t from = 0; from < count;) {
        size_t to = from;
        while (to < count && sort_keys_[to] >> 32 == sort_keys_[from] >> 32) ++to;
        for (size_t i = from; i < to; ++i) {
            order_[i] = static_cast<uint32_t>(sort_keys_[i]);
            from_[order_[i]] = static_cast<uint32_t>(from);
            to_[order_[i]] = static_cast<uint32_t>(to);
        }
        from = to;
    }
}

}  // namespace tagpool
