// OnlineRows: the weights of an online learner with AdaGrad and regularised dual averaging (Duchi, Hazan and Singer 2011; Xiao 2010).
//
// A feature has a row, with an entry for each label it was ever wrong about:
//     c  the sum of the gradients      g  the sum of their squares      s = step / (rho + sqrt(g))
//     w = s * soft(c, threshold)       soft(c, h) = sign(c) max(|c| - h, 0)
// The threshold rises with every example, also for weights that nobody touches: so w is computed when it is read. Without dual averaging
// c is the weight itself, each gradient being scaled by s when it is added, and s is kept as 1.
//
// Most rows have few entries: blocks of a large arena, a head, then c, s and labels, that fit a cache line or two. A row that outgrows its
// block moves; one with many labels has an entry for each of them, so that it can be read by vectors, and a sketch (online_sketches.hpp), so
// that it seldom is. A row's number says of which kind it is, and where, so that it can be fetched ahead: waiting for memory is what takes time
// here. What only updates need (g, and the sums that averages are made of) lies elsewhere. A cache line of a row of all labels has c and s of eight of
// them. But rows of pairs, whose sketches are kept in cells (online_cells.hpp), are read for single labels that are mostly then updated: there a
// line has all four numbers of four labels.
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
#include "online/sketches.hpp"

namespace tagpool {

struct AdaGrad {
    float step = 0.02f, rho = 1e-5f;
    bool dual_averaging = true;  // with an l1 penalty, per token
    double l1 = 1e-8;
};

template <bool kInCells>
class RowsOf {
public:
    static constexpr uint32_t kNone = 0;  // no row yet: all weights are zero

    RowsOf(size_t labels, AdaGrad update);

    // Adds a gradient to the entry of one label and takes it away from that of another; returns their weights. Entries are made if need be; the
    // row may move.
    std::pair<float, float> learn(uint32_t& row, uint16_t right, uint16_t wrong, float gradient, float threshold);
    // Makes an entry whose weight is this while the threshold is zero. Deviation: of a weight that comes from a model the sum of squares is
    // not known, and is taken to be as small as it can have been: |c| <= g for gradients of 1, so that g >= (w / step)^2.
    void start(uint32_t& row, uint16_t label, float weight);

    // Adds the row's weights, times a value, to scores of all labels.
    template <bool kValued>
    void add(uint32_t row, float value, float threshold, float* __restrict scores) const {
        if (is_dense(row)) add_dense_(dense_of(row), stride_, kValued ? value : 1.0f, threshold, scores);
        else add_sparse<kValued>(row, value, threshold, scores);
    }
    // The same for some labels; what scores of others are then is not known.
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
        for (const uint16_t label : labels) __builtin_prefetch(dense_of(row) + place_of(label));
    }
    // What only fetches is inlined always: a compiler may take a call of it for one without effects, and leave it out.
    [[gnu::always_inline]] void prefetch(uint32_t row) const {
        const unsigned char* const block = is_dense(row) ? reinterpret_cast<const unsigned char*>(dense_of(row)) : arena_.data() + begin_of(row);
        for (size_t line = 0; line < lines_[row % kKinds]; ++line) __builtin_prefetch(block + line * kLine);
    }

    // Adds to scores what the sketches of rows have. Returns how far a score may be from the exact one.
    float estimate(const uint32_t* rows, size_t count, float threshold, float* scores);
    [[gnu::always_inline]] void prefetch_sketch(uint32_t row) const {
        if (is_dense(row)) sketches_.prefetch(row / kKinds);
        else prefetch(row);
    }
    // Makes all sketches anew, when the threshold has risen so far that they say little; to be asked now and then.
    void refresh_sketches(float threshold, size_t examples);

    // What an update of two labels will need besides the row itself.
    [[gnu::always_inline]] void prefetch_for_update(uint32_t row, uint16_t one, uint16_t other) const {
        if (row == kNone) return;
        if (is_dense(row)) {
            __builtin_prefetch(&squares_at(row, one), 1);
            __builtin_prefetch(&squares_at(row, other), 1);
        } else {
            const Head& head = head_of(row);
            for (size_t i = 0; i < head.count; i += kLine / sizeof(Cold)) __builtin_prefetch(&cold_[head.cold + i], 1);
        }
    }

    // All weights, of labels in `stride` numbers.
    void fill(uint32_t row, float threshold, float* weights) const;
    // The largest s of rows that sketches are made of: by so much weights shrink at most when the threshold rises by 1.
    float longest_step() const { return longest_step_; }
    // The weight of one label.
    float weight(uint32_t row, uint16_t label, float threshold) const;
    // Adds all weights of a row to their sums, which averages are made of.
    void sum_up(uint32_t row, float threshold);
    // Calls visit(label, weight) for the entries of a row, by label: the weights as they are (`summed` 0), or the averages of so many sums.
    template <class Visit>
    void each(uint32_t row, float threshold, size_t summed, Visit&& visit) const {
        std::vector<std::pair<uint16_t, float>> found;
        for (size_t i = 0; i < size_of(row); ++i) {
            const float sum = sum_at(row, i);
            const float weight = summed ? sum / static_cast<float>(summed) : weight_at(row, i, threshold);
            found.emplace_back(label_at(row, i), weight);
        }
        std::sort(found.begin(), found.end());
        for (const auto& [label, weight] : found) visit(label, weight);
    }
    size_t stride() const { return stride_; }

private:
    struct Head {
        uint16_t count, capacity;
        uint32_t cold;
    };
    struct Cold {
        float squares = 0, sum = 0;
    };
    static constexpr size_t kUnit = 32, kLine = 64;
    static constexpr size_t kNumbers = kInCells ? 4 : 2, kGroup = kLine / sizeof(float) / kNumbers;  // of a label, and labels, in a line of a dense row
    // A row's number: where its block begins, in units, or which of the dense rows it is, times kKinds, plus its kind: its place in kCapacities,
    // or kDense.
    static constexpr size_t kKinds = 8;
    static constexpr std::array<uint16_t, 4> kCapacities = {2, 5, 12, 24};  // of blocks of 32, 64, 128 and 256 bytes
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
        // All weights first, by vectors where there are many, then each to its label.
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
    // In a row of all labels: c of this one; s, and g and the sum if they are there, are kGroup behind one another.
    static size_t place_of(size_t label) { return label / kGroup * kNumbers * kGroup + label % kGroup; }
    // Where c and s of an entry are.
    size_t sum_place(uint32_t row, size_t i) const { return is_dense(row) ? place_of(i) : i; }
    size_t step_place(uint32_t row, size_t i) const { return is_dense(row) ? place_of(i) + kGroup : kCapacities[row % kKinds] + i; }
    size_t size_of(uint32_t row) const { return is_dense(row) ? labels_ : head_of(row).count; }
    uint16_t label_at(uint32_t row, size_t i) const;
    uint16_t* labels_of(uint32_t row) { return reinterpret_cast<uint16_t*>(sums_of(row) + 2 * kCapacities[row % kKinds]); }
    const uint16_t* labels_of(uint32_t row) const { return const_cast<RowsOf*>(this)->labels_of(row); }
    float weight_at(uint32_t row, size_t i, float threshold) const {
        const float* const sums = sums_of(row);
        return sums[step_place(row, i)] * soft(sums[sum_place(row, i)], threshold);
    }
    const float& squares_at(uint32_t row, size_t i) const {
        if (!is_dense(row)) return cold_[head_of(row).cold + i].squares;
        return kInCells ? dense_of(row)[place_of(i) + 2 * kGroup] : dense_squares_[row / kKinds * stride_ + i];
    }
    const float& sum_at(uint32_t row, size_t i) const {
        if (!is_dense(row)) return cold_[head_of(row).cold + i].sum;
        return kInCells ? dense_of(row)[place_of(i) + 3 * kGroup] : dense_sums_[row / kKinds * stride_ + i];
    }
    float& squares_at(uint32_t row, size_t i) { return const_cast<float&>(std::as_const(*this).squares_at(row, i)); }
    float& sum_at(uint32_t row, size_t i) { return const_cast<float&>(std::as_const(*this).sum_at(row, i)); }
    // The entry of a label; size_of(row) if there is none.
    size_t find(uint32_t row, uint16_t label) const;
    size_t entry(uint32_t& row, uint16_t label, float threshold);
    float step(uint32_t row, size_t i, float gradient, float threshold);
    uint32_t make(uint32_t kind);
    uint32_t make_dense();
    uint32_t grown(uint32_t row, float threshold);
    void sketch(uint32_t row, float threshold);
    static size_t bytes_of(uint32_t kind);

    // Adds a row of all labels; with the widest vectors there are, which changes no bit.
    using AddDense = void (*)(const float* row, size_t stride, float value, float threshold, float* scores);
    static AddDense add_dense();

    size_t labels_, stride_;
    AdaGrad update_;
    AddDense add_dense_ = add_dense();
    AlignedVector<unsigned char> arena_;
    std::array<uint8_t, kKinds> lines_{};  // by kind: how many cache lines a row has
    AlignedVector<Cold> cold_;
    std::array<std::vector<std::pair<uint32_t, uint32_t>>, kCapacities.size()> free_;  // blocks that rows have left, with their cold parts
    AlignedVector<float> dense_, dense_squares_, dense_sums_;  // the last two only where they are not part of the first
    size_t dense_count_ = 0;
    OnlineSketches sketches_;
    std::vector<uint32_t> sketched_;  // of a token: the rows that have sketches
    std::vector<float> weights_;  // of a row of which a sketch is made
    float longest_step_ = 0;
    float sketch_threshold_ = 0;  // the least that a sketch was made with
    size_t sketched_at_ = 0;      // after how many examples all were
};

using OnlineRows = RowsOf<false>;
using PairRows = RowsOf<true>;

}  // namespace tagpool
