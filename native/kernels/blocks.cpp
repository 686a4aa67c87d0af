#include "kernels/blocks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/fault.hpp"
#include "base/hash.hpp"
#include "base/simd.hpp"

namespace tagpool {
namespace {

// Appends blocks of one length; equal blocks are stored once.
class Writer {
public:
    Writer(BlockWeights& out, uint32_t length, size_t maximum, bool row, bool shared) : out_(out), length_(length), row_(row) {
        if (shared) table_.assign(std::bit_ceil(maximum * 2 + 1), BlockWeights::kNowhere);
    }

    // Returns the place of the last block, or removes it and returns that of an equal earlier one.
    uint32_t deduplicate() {
        const size_t place = out_.weights.size() - length_;
        if (place >= BlockWeights::kNowhere) throw InputFault("more than 4 billion weights; use fewer features, or only observed cells");
        const auto here = static_cast<uint32_t>(place);
        if (table_.empty()) return here;
        uint64_t hash = xxh64(weights(here), length_ * sizeof(float));
        if (!row_) hash = combine(hash, xxh64(labels(here), length_ * sizeof(uint16_t)));
        const size_t mask = table_.size() - 1;
        size_t slot = hash & mask;
        while (table_[slot] != BlockWeights::kNowhere && !same(table_[slot], here)) slot = (slot + 1) & mask;
        if (table_[slot] == BlockWeights::kNowhere) return table_[slot] = here;
        out_.weights.resize(place);
        if (!row_) out_.cell_labels.resize(out_.cell_labels.size() - length_);
        return table_[slot];
    }

private:
    const float* weights(uint32_t place) const { return out_.weights.data() + place; }
    const uint16_t* labels(uint32_t place) const { return out_.cell_labels.data() + (place - out_.blocks.rows_end()); }
    bool same(uint32_t a, uint32_t b) const {
        return std::memcmp(weights(a), weights(b), length_ * sizeof(float)) == 0 &&
               (row_ || std::memcmp(labels(a), labels(b), length_ * sizeof(uint16_t)) == 0);
    }

    BlockWeights& out_;
    uint32_t length_;
    bool row_;
    std::vector<uint32_t> table_;  // places by hash; open addressing
};

}  // namespace

namespace {

// Valid places of the blocks of one length: `first` and the following `count`.
struct Places {
    uint32_t first, count;
};
using AllPlaces = std::array<Places, Blocks::kMaxCells + 1>;

TAGPOOL_CLONES bool are_places(const uint32_t* numbers, size_t count, uint32_t base, const AllPlaces& valid) {
    uint32_t bad = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t number = numbers[i], place = number - base;
        uint32_t good = static_cast<uint32_t>(number == UINT32_MAX) | static_cast<uint32_t>(number < base);
        for (const Places& places : valid) good |= static_cast<uint32_t>(place - places.first < places.count);
        bad |= good ^ 1;
    }
    return bad == 0;
}

}  // namespace

bool Blocks::hold_all(const uint32_t* numbers, size_t count, uint32_t base) const {
    AllPlaces valid{};
    for (uint32_t length = 0; length <= kMaxCells; ++length) {
        const uint32_t begin = length ? ends[length - 1] : 0, weights = ends[length] - begin, size = length ? length : labels;
        valid[length] = {begin, weights >= size ? weights - size + 1 : 0};
    }
    return are_places(numbers, count, base, valid);
}

BlockWeights make_blocks(size_t labels, const std::vector<uint64_t>& begins, const uint16_t* labels_of, std::vector<float> weights, bool shared) {
    const size_t features = begins.size() - 1;
    BlockWeights out;
    out.blocks.labels = static_cast<uint32_t>(labels);
    out.places.assign(features, BlockWeights::kNowhere);
    std::vector<uint32_t> counts(features);
    size_t nonzero = 0, used = 0;
    for (size_t feature = 0; feature < features; ++feature) {
        for (uint64_t i = begins[feature]; i < begins[feature + 1]; ++i) counts[feature] += weights[i] != 0;
        nonzero += counts[feature];
        used += counts[feature] > 0;
    }
    // A row is smaller than single weights if most labels have one; zeros are stored then.
    const bool full = nonzero * 5 >= used * labels * 4;
    const auto row_from = static_cast<uint32_t>(full ? 1 : std::min<size_t>(Blocks::kMaxCells + 1, labels));
    if (full && !labels_of && !shared && used == features) {
        if (weights.size() >= BlockWeights::kNowhere) throw InputFault("more than 4 billion weights; use fewer features, or only observed cells");
        for (size_t feature = 0; feature < features; ++feature) out.places[feature] = static_cast<uint32_t>(begins[feature]);
        out.blocks.ends.fill(static_cast<uint32_t>(weights.size()));
        out.weights = std::move(weights);
        return out;
    }
    const auto label_at = [&](uint64_t feature, uint64_t i) { return labels_of ? labels_of[i] : static_cast<uint16_t>(i - begins[feature]); };
    for (uint32_t length = 0; length <= Blocks::kMaxCells; ++length) {
        const bool row = length == 0;
        const auto is_of_this = [&](uint32_t count) { return row ? count >= row_from : count == length && count < row_from; };
        const auto maximum = static_cast<size_t>(std::count_if(counts.begin(), counts.end(), is_of_this));
        Writer writer(out, row ? static_cast<uint32_t>(labels) : length, maximum, row, shared);
        for (size_t feature = 0; feature < features && maximum > 0; ++feature) {
            if (!is_of_this(counts[feature]) || counts[feature] == 0) continue;
            const size_t place = out.weights.size();
            if (row) out.weights.resize(place + labels, 0.0f);
            for (uint64_t i = begins[feature]; i < begins[feature + 1]; ++i) {
                if (row) {
                    out.weights[place + label_at(feature, i)] = weights[i];
                } else if (weights[i] != 0) {
                    out.weights.push_back(weights[i]);
                    out.cell_labels.push_back(label_at(feature, i));
                }
            }
            out.places[feature] = writer.deduplicate();
        }
        out.blocks.ends[length] = static_cast<uint32_t>(out.weights.size());
        // Labels are counted from the end of the rows.
        if (row) out.blocks.ends.fill(out.blocks.ends[0]);
    }
    return out;
}

}  // namespace tagpool
