// OnlineRows: the weights of an online learner with AdaGrad and regularised dual averaging (Duchi, Hazan and Singer 2011; Xiao 2010).
//
// A feature has a row, with an entry for each label of its mistakes:
//     c  the sum of the gradients      g  the sum of their squares      s = step / (rho + sqrt(g))
//     w = s * soft(c, threshold)       soft(c, h) = sign(c) max(|c| - h, 0)
// The threshold rises with every example for all weights, so w is computed when it is read (lazy update). Without dual averaging c is the
// weight, each gradient is scaled by s when it is added, and s is 1.
//
// Most rows have few entries and are blocks of a large arena: a head, then c, s and labels, in one or two cache lines. A row that outgrows its
// block moves. A row with many labels becomes dense: it has an entry for each label, is read by vectors, and has a sketch (sketches.hpp), so that
// it is seldom read. A row's number contains its kind and position, so that it can be prefetched: cache misses dominate the time. Values that
// only updates need (g, and the sums for averages) are stored separately. A cache line of a dense row has c and s of eight labels. Rows of
// conjunctions have their sketches in the table (conjunction_table.hpp) and are read for single labels that are then usually updated: a line
// has all four numbers of four labels.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/portable.hpp"
#include "online/sketches.hpp"

namespace tagpool {

struct AdaGrad {
    float step = 0.02f, rho = 1e-5f;
    bool dual_averaging = true;  // with an l1 penalty, per token
    double l1 = 1e-8;
};

template <bool kConjunctions>
class RowsOf {
public:
    static constexpr uint32_t kNone = 0;  // no row: all weights are zero

    RowsOf(size_t labels, AdaGrad update);

    // Adds a gradient to the right label and subtracts it from the wrong one; returns their weights. Creates missing entries; the row may move.
    std::pair<float, float> learn(uint32_t& row, uint16_t right, uint16_t wrong, float gradient, float threshold);
    // Sets the initial weight of an entry, for threshold 0. The sum of squares of a weight from a model is unknown; it is set to the smallest
    // possible: |c| <= g for gradients of 1, so that g >= (w / step)^2.
    void start(uint32_t& row, uint16_t label, float weight);

    // Adds value times the row's weights to the scores of all labels.
    template <bool kValued>
    void add(uint32_t row, float value, float threshold, float* __restrict scores) const {
        if (is_dense(row)) add_dense_(dense_of(row), stride_, kValued ? value : 1.0f, threshold, scores);
        else add_sparse<kValued>(row, value, threshold, scores);
    }
    // The same for some labels; other scores become undefined.
    [[gnu::always_inline]] void add_some(uint32_t row, std::span<const uint16_t> labels, float threshold, float* scores) const {
        if (!is_dense(row)) return add_sparse<false>(row, 1, threshold, scores);
        const float* const c = dense_of(row);
        for (const uint16_t label : labels) {
            const float sum = c[place_of(label)];
            scores[label] += c[place_of(label) + kGroup] * (sum - std::min(std::max(sum, -threshold), threshold));
        }
    }
    [[gnu::always_inline]] void prefetch_some(uint32_t row, std::span<const uint16_t> labels) const {
        if (!is_dense(row)) return prefetch(row);
        for (const uint16_t label : labels) prefetch_line(dense_of(row) + place_of(label));
    }
    // Prefetching functions are always inlined: a compiler may drop calls of functions without effects.
    [[gnu::always_inline]] void prefetch(uint32_t row) const {
        const unsigned char* const block = is_dense(row) ? reinterpret_cast<const unsigned char*>(dense_of(row)) : arena_.data() + begin_of(row);
        for (size_t line = 0; line < lines_[row % kKinds]; ++line) prefetch_line(block + line * kLine);
    }

    // Adds the sketches of rows to scores. Returns a bound of the error of a score.
    float estimate(const uint32_t* rows, size_t count, float threshold, float* scores);
    [[gnu::always_inline]] void prefetch_sketch(uint32_t row) const {
        if (is_dense(row)) sketches_.prefetch(row / kKinds);
        else prefetch(row);
    }
    // Renews all sketches if the threshold has risen so far that they are inaccurate.
    void refresh_sketches(float threshold, size_t examples);

    // Prefetches what an update of two labels needs besides the row.
    [[gnu::always_inline]] void prefetch_for_update(uint32_t row, uint16_t one, uint16_t other) const {
        if (row == kNone) return;
        if (is_dense(row)) {
            prefetch_to_write(&squares_at(row, one));
            prefetch_to_write(&squares_at(row, other));
        } else {
            const Head& head = head_of(row);
            for (size_t i = 0; i < head.count; i += kLine / sizeof(Cold)) prefetch_to_write(&cold_[head.cold + i]);
        }
    }

    // Writes the weights of all labels, [stride].
    void fill(uint32_t row, float threshold, float* weights) const {
        std::fill_n(weights, stride_, 0.0f);
        if (row != kNone) add<false>(row, 1, threshold, weights);
    }
    // Largest s of rows with sketches: bound of the decrease of a weight when the threshold rises by 1.
    float largest_step() const { return largest_step_; }
    // Weight of one label.
    float weight(uint32_t row, uint16_t label, float threshold) const {
        if (row == kNone) return 0;
        const size_t i = find(row, label);
        return i == size_of(row) ? 0 : weight_at(row, i, threshold);
    }
    // Adds the weights of a row to their sums, for averages.
    void sum_up(uint32_t row, float threshold) {
        for (size_t i = 0; i < size_of(row); ++i) sum_at(row, i) += weight_at(row, i, threshold);
    }
    // Calls visit(label, weight) for the entries of a row, by label: current weights if `summed` is 0, else averages of that many sums.
    template <class Visit>
    void for_each(uint32_t row, float threshold, size_t summed, Visit&& visit) const {
        std::vector<std::pair<uint16_t, float>> entries;
        for (size_t i = 0; i < size_of(row); ++i) {
            const float sum = sum_at(row, i);
            const float weight = summed ? sum / static_cast<float>(summed) : weight_at(row, i, threshold);
            entries.emplace_back(label_at(row, i), weight);
        }
        std::sort(entries.begin(), entries.end());
        for (const auto& [label, weight] : entries) visit(label, weight);
    }
    size_t stride() const { return stride_; }

    // Rows in a checkpoint (state.cpp): the number of entries of each row, kDenseRow for dense ones; the labels of the entries of sparse rows;
    // four numbers c, s, g and the sum of each entry. The position of a row in memory is not part of the state.
    struct State {
        static constexpr uint32_t kDenseRow = UINT32_MAX;
        std::vector<uint32_t> counts;
        std::vector<uint16_t> labels;
        std::vector<float> numbers;
        size_t next_count = 0, next_label = 0, next_number = 0;  // while reading
    };
    void append_row(uint32_t row, State& state) const;
    // Creates the next row of a state, in an empty object. Throws InputFault if the state is damaged.
    uint32_t read_row(State& state, float threshold);
    void set_sketches_at(float largest_step, float threshold, size_t examples);

private:
    struct Head {
        uint16_t count, capacity;
        uint32_t cold;
    };
    struct Cold {
        float squares = 0, sum = 0;
    };
    static constexpr size_t kUnit = 32, kLine = 64;
    static constexpr size_t kNumbers = kConjunctions ? 4 : 2,
                            kGroup = kLine / sizeof(float) / kNumbers;  // numbers per label, and labels per cache line, of a dense row
    // Row number: kKinds * (offset of the block in units, or index of the dense row) + kind. The kind is an index of kCapacities, or kDense.
    static constexpr size_t kKinds = 8;
    static constexpr std::array<uint16_t, 4> kCapacities = {2, 5, 12, 24};  // entries of blocks of 32, 64, 128 and 256 bytes
    static constexpr uint32_t kDense = kCapacities.size();

    static float soft(float c, float threshold) { return std::copysign(std::max(std::abs(c) - threshold, 0.0f), c); }

    template <size_t kCount>
    static void weigh(const float* __restrict c, const float* __restrict s, float threshold, float* __restrict out) {
        for (size_t i = 0; i < kCount; ++i) out[i] = s[i] * soft(c[i], threshold);
    }

    template <bool kValued>
    void add_sparse(uint32_t row, float value, float threshold, float* __restrict scores) const {
        const Head& head = head_of(row);
        const float* const c = sums_of(row);
        const float* const s = c + head.capacity;
        const auto* const labels = reinterpret_cast<const uint16_t*>(s + head.capacity);
        // Compute all weights, by vectors if there are many, then scatter them.
        float weights[kCapacities.back()];
        if (head.capacity == kCapacities[3]) weigh<kCapacities[3]>(c, s, threshold, weights);
        else if (head.capacity == kCapacities[2]) weigh<kCapacities[2]>(c, s, threshold, weights);
        else
            for (size_t i = 0; i < head.count; ++i) weights[i] = s[i] * soft(c[i], threshold);
        for (size_t i = 0; i < head.count; ++i) scores[labels[i]] += kValued ? value * weights[i] : weights[i];
    }

    static bool is_dense(uint32_t row) { return row % kKinds == kDense; }
    static size_t begin_of(uint32_t row) { return row / kKinds * kUnit; }
    Head& head_of(uint32_t row) { return *reinterpret_cast<Head*>(arena_.data() + begin_of(row)); }
    const Head& head_of(uint32_t row) const { return *reinterpret_cast<const Head*>(arena_.data() + begin_of(row)); }
    const float* dense_of(uint32_t row) const { return dense_.data() + row / kKinds * kNumbers * stride_; }
    const float* sums_of(uint32_t row) const {
        return is_dense(row) ? dense_of(row) : reinterpret_cast<const float*>(arena_.data() + begin_of(row) + sizeof(Head));
    }
    float* sums_of(uint32_t row) { return const_cast<float*>(std::as_const(*this).sums_of(row)); }
    // Index of c of a label in a dense row. s, and g and the sum if stored, follow at distances of kGroup.
    static size_t place_of(size_t label) { return label / kGroup * kNumbers * kGroup + label % kGroup; }
    // Index of c and s of an entry.
    size_t sum_place(uint32_t row, size_t i) const { return is_dense(row) ? place_of(i) : i; }
    size_t step_place(uint32_t row, size_t i) const { return is_dense(row) ? place_of(i) + kGroup : kCapacities[row % kKinds] + i; }
    size_t size_of(uint32_t row) const { return is_dense(row) ? labels_ : head_of(row).count; }
    uint16_t label_at(uint32_t row, size_t i) const { return is_dense(row) ? static_cast<uint16_t>(i) : labels_of(row)[i]; }
    uint16_t* labels_of(uint32_t row) { return reinterpret_cast<uint16_t*>(sums_of(row) + 2 * kCapacities[row % kKinds]); }
    const uint16_t* labels_of(uint32_t row) const { return const_cast<RowsOf*>(this)->labels_of(row); }
    float weight_at(uint32_t row, size_t i, float threshold) const {
        const float* const sums = sums_of(row);
        return sums[step_place(row, i)] * soft(sums[sum_place(row, i)], threshold);
    }
    const float& squares_at(uint32_t row, size_t i) const {
        if (!is_dense(row)) return cold_[head_of(row).cold + i].squares;
        return kConjunctions ? dense_of(row)[place_of(i) + 2 * kGroup] : dense_squares_[row / kKinds * stride_ + i];
    }
    const float& sum_at(uint32_t row, size_t i) const {
        if (!is_dense(row)) return cold_[head_of(row).cold + i].sum;
        return kConjunctions ? dense_of(row)[place_of(i) + 3 * kGroup] : dense_sums_[row / kKinds * stride_ + i];
    }
    float& squares_at(uint32_t row, size_t i) { return const_cast<float&>(std::as_const(*this).squares_at(row, i)); }
    float& sum_at(uint32_t row, size_t i) { return const_cast<float&>(std::as_const(*this).sum_at(row, i)); }
    // Entry of a label; size_of(row) if it is missing.
    size_t find(uint32_t row, uint16_t label) const {
        if (is_dense(row)) return label;
        const uint16_t* const labels = labels_of(row);
        return static_cast<size_t>(std::find(labels, labels + head_of(row).count, label) - labels);
    }
    size_t entry(uint32_t& row, uint16_t label, float threshold);
    float step(uint32_t row, size_t i, float gradient, float threshold);
    uint32_t make(uint32_t kind);
    uint32_t make_dense();
    uint32_t move_to_larger(uint32_t row, float threshold);
    void sketch(uint32_t row, float threshold) {
        fill(row, threshold, weights_.data());
        sketches_.make(row / kKinds, weights_.data());
    }
    static size_t bytes_of(uint32_t kind);

    // Adds a dense row, with the widest available vectors, which change no bit.
    using AddDense = void (*)(const float* row, size_t stride, float value, float threshold, float* scores);
    static AddDense add_dense();

    size_t labels_, stride_;
    AdaGrad update_;
    AddDense add_dense_ = add_dense();
    AlignedVector<unsigned char> arena_;
    std::array<uint8_t, kKinds> lines_{};  // [kind]: cache lines of a row
    AlignedVector<Cold> cold_;
    std::array<std::vector<std::pair<uint32_t, uint32_t>>, kCapacities.size()> free_;  // free blocks, with their cold parts
    AlignedVector<float> dense_, dense_squares_, dense_sums_;                          // the last two only if dense_ does not contain them
    size_t dense_count_ = 0;
    OnlineSketches sketches_;
    std::vector<uint32_t> sketched_;  // scratch: dense rows of a token
    std::vector<float> weights_;      // scratch: a row
    float largest_step_ = 0;
    float sketch_threshold_ = 0;  // threshold of the oldest sketch
    size_t sketched_at_ = 0;      // examples at the last renewal
};

using OnlineRows = RowsOf<false>;
using ConjunctionRows = RowsOf<true>;

}  // namespace tagpool
