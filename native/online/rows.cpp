#include "online/rows.hpp"

#include <tuple>

#include "base/fault.hpp"
#include "model/weights.hpp"

namespace tagpool {
namespace {

// Cache lines begin with c and s of kGroup labels.
template <size_t kGroup>
[[gnu::always_inline]] inline void add_all(const float* __restrict row, size_t stride, float value, float threshold, float* __restrict scores) {
    constexpr size_t kFloats = 16;  // per cache line
    for (size_t group = 0; group < stride; group += kGroup, row += kFloats) {
        const float *const c = row, *const s = row + kGroup;
        for (size_t k = 0; k < kGroup; ++k) scores[group + k] += value * (s[k] * (c[k] - std::min(std::max(c[k], -threshold), threshold)));
    }
}

template <size_t kGroup>
void add_portable(const float* row, size_t stride, float value, float threshold, float* scores) {
    add_all<kGroup>(row, stride, value, threshold, scores);
}

#ifdef TAGPOOL_HAS_AVX
template <size_t kGroup>
[[gnu::target("avx2")]] void add_avx2(const float* row, size_t stride, float value, float threshold, float* scores) {
    add_all<kGroup>(row, stride, value, threshold, scores);
}
#endif

}  // namespace

template <bool kConjunctions>
typename RowsOf<kConjunctions>::AddDense RowsOf<kConjunctions>::add_dense() {
#ifdef TAGPOOL_HAS_AVX
    if (__builtin_cpu_supports("avx2")) return add_avx2<kGroup>;
#endif
    return add_portable<kGroup>;
}

template <bool kConjunctions>
RowsOf<kConjunctions>::RowsOf(size_t labels, AdaGrad update)
    : labels_(labels), stride_(stride_of(labels)), update_(update), sketches_(stride_), weights_(stride_) {
    arena_.resize(kLine);  // row 0 is kNone
    for (uint32_t kind = 0; kind < kDense; ++kind) lines_[kind] = static_cast<uint8_t>((bytes_of(kind) + kLine - 1) / kLine);
    lines_[kDense] = static_cast<uint8_t>(std::min<size_t>(UINT8_MAX, (kNumbers * stride_ * sizeof(float) + kLine - 1) / kLine));
}

template <bool kConjunctions>
std::pair<float, float> RowsOf<kConjunctions>::learn(uint32_t& row, uint16_t right, uint16_t wrong, float gradient, float threshold) {
    if (is_dense(row)) return {step(row, right, gradient, threshold), step(row, wrong, -gradient, threshold)};
    const size_t one = entry(row, right, threshold);
    const float right_weight = step(row, one, gradient, threshold);
    const size_t other = entry(row, wrong, threshold);
    return {right_weight, step(row, other, -gradient, threshold)};
}

// Returns the weight.
template <bool kConjunctions>
inline float RowsOf<kConjunctions>::step(uint32_t row, size_t i, float gradient, float threshold) {
    float& squares = squares_at(row, i);
    squares += gradient * gradient;
    const float by = update_.step / (update_.rho + std::sqrt(squares));
    float* const sums = sums_of(row);
    float &c = sums[sum_place(row, i)], &s = sums[step_place(row, i)];
    c += update_.dual_averaging ? gradient : by * gradient;
    s = update_.dual_averaging ? by : 1.0f;
    const float weight = s * soft(c, threshold);
    if (!kConjunctions && !is_dense(row)) return weight;
    largest_step_ = std::max(largest_step_, s);
    if (!kConjunctions && !sketches_.set(row / kKinds, i, weight)) sketch(row, threshold);
    return weight;
}

template <bool kConjunctions>
void RowsOf<kConjunctions>::start(uint32_t& row, uint16_t label, float weight) {
    const size_t i = entry(row, label, 0);
    float& squares = squares_at(row, i);
    const float ratio = weight / update_.step;
    squares = std::max(1.0f, ratio * ratio);
    const float by = update_.dual_averaging ? update_.step / (update_.rho + std::sqrt(squares)) : 1.0f;
    sums_of(row)[sum_place(row, i)] = weight / by;
    sums_of(row)[step_place(row, i)] = by;
    largest_step_ = std::max(largest_step_, by);
    if (!kConjunctions && is_dense(row)) sketch(row, 0);
}

template <bool kConjunctions>
float RowsOf<kConjunctions>::estimate(const uint32_t* rows, size_t count, float threshold, float* scores) {
    sketched_.resize(std::max(sketched_.size(), count + 1));
    size_t sketches = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t row = rows[i];
        sketched_[sketches] = row / kKinds;
        sketches += is_dense(row);
        if (!is_dense(row)) add_sparse<false>(row, 1, threshold, scores);
    }
    const float scales = sketches_.add(sketched_.data(), sketches, scores);
    return scales / 2 + static_cast<float>(sketches) * largest_step_ * (threshold - sketch_threshold_);
}

template <bool kConjunctions>
void RowsOf<kConjunctions>::refresh_sketches(float threshold, size_t examples) {
    constexpr float kTolerable = 5e-4f;  // error of a weight; tokens have tens of weights, and the margin is 1
    if (largest_step_ * (threshold - sketch_threshold_) < kTolerable || examples < sketched_at_ + sketches_.size()) return;
    for (size_t number = 0; number < sketches_.size(); ++number) sketch(static_cast<uint32_t>(number * kKinds + kDense), threshold);
    sketch_threshold_ = threshold;
    sketched_at_ = examples;
}

template <bool kConjunctions>
size_t RowsOf<kConjunctions>::entry(uint32_t& row, uint16_t label, float threshold) {
    if (row == kNone) row = kCapacities[0] < labels_ ? make(0) : make_dense();
    size_t i = find(row, label);
    if (i < size_of(row)) return i;
    if (head_of(row).count == head_of(row).capacity) {
        row = move_to_larger(row, threshold);
        if (is_dense(row)) return label;
        i = head_of(row).count;
    }
    Head& head = head_of(row);
    labels_of(row)[i] = label;
    ++head.count;
    return i;
}

template <bool kConjunctions>
size_t RowsOf<kConjunctions>::bytes_of(uint32_t kind) {
    const size_t capacity = kCapacities[kind], bytes = sizeof(Head) + capacity * (2 * sizeof(float) + sizeof(uint16_t));
    const size_t alignment = bytes <= kUnit ? kUnit : kLine;  // no block crosses a cache line needlessly
    return (bytes + alignment - 1) / alignment * alignment;
}

template <bool kConjunctions>
uint32_t RowsOf<kConjunctions>::make(uint32_t kind) {
    const size_t capacity = kCapacities[kind], bytes = bytes_of(kind);
    auto& blocks = free_[kind];
    uint32_t row, cold;
    if (!blocks.empty()) {
        std::tie(row, cold) = blocks.back();
        blocks.pop_back();
        std::fill_n(arena_.begin() + static_cast<std::ptrdiff_t>(begin_of(row)), bytes, static_cast<unsigned char>(0));
        std::fill_n(cold_.begin() + cold, capacity, Cold());
    } else {
        const size_t alignment = bytes == kUnit ? kUnit : kLine, begin = (arena_.size() + alignment - 1) / alignment * alignment;
        if ((begin + bytes) / kUnit >= UINT32_MAX / kKinds || cold_.size() + capacity > UINT32_MAX)
            throw InputFault("too many weights; use fewer features or slots");
        row = static_cast<uint32_t>(begin / kUnit * kKinds + kind);
        cold = static_cast<uint32_t>(cold_.size());
        arena_.resize(begin + bytes);
        cold_.resize(cold_.size() + capacity);
    }
    head_of(row) = {0, static_cast<uint16_t>(capacity), cold};
    return row;
}

template <bool kConjunctions>
uint32_t RowsOf<kConjunctions>::make_dense() {
    const size_t number = dense_count_++;
    if (number >= UINT32_MAX / kKinds) throw InputFault("too many weights; use fewer features or slots");
    dense_.resize(dense_.size() + kNumbers * stride_);
    if (kConjunctions) return static_cast<uint32_t>(number * kKinds + kDense);
    sketches_.append();
    dense_squares_.resize(dense_squares_.size() + stride_);
    dense_sums_.resize(dense_sums_.size() + stride_);
    return static_cast<uint32_t>(number * kKinds + kDense);
}

// Moves a row to a larger block.
template <bool kConjunctions>
uint32_t RowsOf<kConjunctions>::move_to_larger(uint32_t row, float threshold) {
    const uint32_t kind = row % kKinds;
    // With entries for a third of the labels, dense rows are faster.
    const bool to_dense = kind + 1 == kDense || size_t{kCapacities[kind + 1]} * 3 > labels_;
    const uint32_t moved = to_dense ? make_dense() : make(kind + 1);
    const Head from = head_of(row);
    for (size_t i = 0; i < from.count; ++i) {
        const uint16_t label = label_at(row, i);
        const size_t to = to_dense ? label : i;
        const float s = sums_of(row)[step_place(row, i)];
        sums_of(moved)[sum_place(moved, to)] = sums_of(row)[sum_place(row, i)];
        sums_of(moved)[step_place(moved, to)] = s;
        if (!to_dense) labels_of(moved)[to] = label;
        else largest_step_ = std::max(largest_step_, s);
        squares_at(moved, to) = squares_at(row, i);
        sum_at(moved, to) = sum_at(row, i);
    }
    if (!to_dense) head_of(moved).count = from.count;
    else if (!kConjunctions) sketch(moved, threshold);
    free_[kind].emplace_back(row, from.cold);
    return moved;
}

template class RowsOf<false>;
template class RowsOf<true>;

}  // namespace tagpool
