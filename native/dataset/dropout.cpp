#include "dataset/dropout.hpp"

#include <cmath>

#include "base/fault.hpp"

namespace tagpool {

Dropout::Dropout(const TrainingSet& set, double rate, uint64_t seed, const std::vector<uint16_t>& groups) : rate_(rate), seed_(seed) {
    if (!(rate >= 0 && rate < 1)) throw InputFault("dropout: expected a rate from 0 to less than 1");
    if (rate == 0) return;
    if (set.weights().has_singles()) throw InputFault("dropout: needs dense features; set dense_from to 1");
    below_ = static_cast<uint64_t>(std::ldexp(rate, 64));
    scale_ = static_cast<float>(1 / (1 - rate));
    if (groups.empty()) return;
    group_of_row_.assign(set.row_count(), kAlways);
    for (uint32_t feature = 0; feature < groups.size(); ++feature) group_of_row_[set.weights().row_of(feature)] = groups[feature];
}

// A uniform 64-bit number.
uint64_t Dropout::hash(uint64_t visit, uint64_t item) const {
    return mix_bits(mix_bits(seed_ + (visit + 1) * 0x9e3779b97f4a7c15u) + item * 0xd1342543de82ef95u);
}

void Dropout::select(const Shards::List& rows, uint64_t visit, Rows& out) const {
    const bool grouped = !group_of_row_.empty();
    uint16_t group = kAlways;
    bool dropped = false;
    for (size_t i = 0; i < rows.count; ++i) {
        const Shards::Item& item = rows.items[i];
        float scale = scale_;
        if (!grouped) {
            if (hash(visit, uint64_t{item.to} << 32 | item.place) < below_) continue;
        } else if (const uint16_t group_of_item = group_of_row_[item.place]; group_of_item == kAlways) {
            scale = 1;
        } else {
            if (group_of_item != group) {
                group = group_of_item;
                dropped = hash(visit, group) < below_;
            }
            if (dropped) continue;
        }
        out.items.push_back(item);
        out.values.push_back(scale * (rows.values ? rows.values[i] : 1.0f));
    }
    out.starts.push_back(out.items.size());
}

void Dropout::Rows::clear() {
    items.clear();
    values.clear();
    starts.assign(1, 0);
}

Shards::List Dropout::Rows::list(size_t number) const {
    return {items.data() + starts[number], values.data() + starts[number], starts[number + 1] - starts[number]};
}

}  // namespace tagpool
