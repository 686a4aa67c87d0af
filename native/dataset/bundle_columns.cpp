#include "dataset/bundle_columns.hpp"

#include <algorithm>

namespace tagpool {
namespace {

constexpr size_t kMaxColumns = 64;
constexpr size_t kMaxSample = 8192;
constexpr double kMinGain = 0.005;  // part of the total cost that joining two columns must save

// A column of the sample: a key and a cost for each token.
struct Column {
    std::vector<uint64_t> keys;
    std::vector<float> costs;
    double least = 0;  // the least cost of the whole column
    std::vector<uint8_t> members;

    void append(const Column& other);
};

// Counts equal keys. Slots of an earlier round are empty, so that clearing costs nothing.
class KeyCounter {
public:
    explicit KeyCounter(size_t capacity) {
        size_t size = 16;
        while (size < 2 * capacity) size *= 2;
        slots_.resize(size);
        used_.reserve(capacity);
    }

    // The least cost of tokens with these keys, where each set of equal ones is a bundle or not, whichever is cheaper.
    template <class KeyOf, class CostOf>
    double least_cost(size_t count, KeyOf&& key_of, CostOf&& cost_of, float row_cost) {
        ++round_;
        used_.clear();
        const size_t mask = slots_.size() - 1;
        for (size_t i = 0; i < count; ++i) {
            const uint64_t key = key_of(i);
            if (key == 0) continue;
            size_t at = (key >> 20) & mask;
            while (slots_[at].round == round_ && slots_[at].key != key) at = (at + 1) & mask;
            Slot& slot = slots_[at];
            if (slot.round != round_) {
                slot = {key, round_, 0, cost_of(i)};
                used_.push_back(static_cast<uint32_t>(at));
            }
            ++slot.count;
        }
        double total = 0;
        for (uint32_t at : used_) {
            const Slot& slot = slots_[at];
            const auto uses = static_cast<float>(slot.count);
            total += static_cast<double>(std::min(uses * slot.cost, bundled_cost(uses, slot.cost, row_cost)));
        }
        return total;
    }

private:
    struct Slot {
        uint64_t key = 0;
        uint32_t round = 0, count = 0;
        float cost = 0;
    };
    std::vector<Slot> slots_;
    std::vector<uint32_t> used_;
    uint32_t round_ = 0;
};

uint64_t joined_key(uint64_t a, uint64_t b) { return (a | b) == 0 ? 0 : mixed_key(a, b); }

void Column::append(const Column& other) {
    for (size_t t = 0; t < keys.size(); ++t) {
        keys[t] = joined_key(keys[t], other.keys[t]);
        costs[t] += other.costs[t];
    }
    members.insert(members.end(), other.members.begin(), other.members.end());
}

}  // namespace

// Lists of the most frequent length define the columns by position. In other lists a new feature gets the column after the one before it.
// A wrong column costs only time.
void BundleColumns::sort(const Encoding& encoding, bool is_usual) {
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        const uint64_t begin = encoding.starts[token], end = encoding.starts[token + 1];
        if ((end - begin == usual_) != is_usual) continue;
        size_t next = 0;
        for (uint64_t i = begin; i < end; ++i) {
            uint8_t& column = columns_[encoding.ids[i]];
            if (column == kUnassigned) column = next < kMaxColumns && costs_[encoding.ids[i]] > 0 ? static_cast<uint8_t>(next) : kAlone;
            next = column == kAlone ? next + 1 : column + size_t{1};
        }
    }
}

void BundleColumns::join(const Encoding& encoding) {
    const size_t tokens = std::min({encoding.token_count(), sample_end_, kMaxSample});
    std::vector<Column> columns;
    for (size_t c = 0; c < kMaxColumns; ++c)
        columns.push_back({std::vector<uint64_t>(tokens), std::vector<float>(tokens), 0, {static_cast<uint8_t>(c)}});
    double all = 0;
    for (size_t token = 0; token < tokens; ++token)
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
            const uint32_t feature = encoding.ids[i];
            if (columns_[feature] == kAlone) continue;
            Column& column = columns[columns_[feature]];
            uint64_t& key = column.keys[token];
            key = mixed_key(key, feature);
            column.costs[token] += costs_[feature];
            all += static_cast<double>(costs_[feature]);
        }
    KeyCounter counter(tokens);
    for (Column& column : columns)
        column.least = counter.least_cost(tokens, [&](size_t t) { return column.keys[t]; }, [&](size_t t) { return column.costs[t]; }, row_cost_);
    std::erase_if(columns, [](const Column& column) { return column.least == 0; });
    const auto gain = [&](const Column& a, const Column& b) {
        const double together = counter.least_cost(
            tokens, [&](size_t t) { return joined_key(a.keys[t], b.keys[t]); }, [&](size_t t) { return a.costs[t] + b.costs[t]; }, row_cost_);
        return a.least + b.least - together;
    };
    std::vector<std::vector<double>> gains(columns.size(), std::vector<double>(columns.size(), 0));
    for (size_t a = 0; a < columns.size(); ++a)
        for (size_t b = a + 1; b < columns.size(); ++b) gains[a][b] = gain(columns[a], columns[b]);
    for (;;) {
        size_t first = 0, second = 0;
        for (size_t a = 0; a < columns.size(); ++a)
            for (size_t b = a + 1; b < columns.size(); ++b)
                if (gains[a][b] > gains[first][second]) first = a, second = b;
        if (columns.empty() || gains[first][second] <= kMinGain * all) break;
        Column& a = columns[first];
        Column& b = columns[second];
        a.least += b.least - gains[first][second];
        a.append(b);
        b = Column();  // is never joined again
        for (size_t c = 0; c < columns.size(); ++c) {
            gains[std::min(c, second)][std::max(c, second)] = 0;
            if (c == first) continue;
            const size_t low = std::min(c, first), high = std::max(c, first);
            gains[low][high] = columns[c].members.empty() ? 0 : gain(columns[low], columns[high]);
        }
    }
    std::vector<uint8_t> joined(kMaxColumns, kAlone);
    for (const Column& column : columns) {
        if (column.members.size() < 2) continue;
        for (uint8_t member : column.members) joined[member] = static_cast<uint8_t>(size_);
        ++size_;
    }
    for (uint8_t& column : columns_) column = column < kMaxColumns ? joined[column] : kAlone;
}

}  // namespace tagpool
