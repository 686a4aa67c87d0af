#include "online_rows.hpp"

#include <tuple>

#include "fault.hpp"
#include "model_layout.hpp"

namespace tagpool {
namespace {

[[gnu::always_inline]] inline void add_all(const float* __restrict c, const float* __restrict s, size_t count, float value, float threshold,
                                           float* __restrict scores) {
    for (size_t label = 0; label < count; ++label)
        scores[label] += value * (s[label] * std::copysign(std::max(std::abs(c[label]) - threshold, 0.0f), c[label]));
}

void add_plainly(const float* c, const float* s, size_t count, float value, float threshold, float* scores) {
    add_all(c, s, count, value, threshold, scores);
}

#ifdef TAGPOOL_HAS_AVX
[[gnu::target("avx2")]] void add_widely(const float* c, const float* s, size_t count, float value, float threshold, float* scores) {
    add_all(c, s, count, value, threshold, scores);
}
#endif

}  // namespace

OnlineRows::AddDense OnlineRows::add_dense() {
#ifdef TAGPOOL_HAS_AVX
    if (__builtin_cpu_supports("avx2")) return add_widely;
#endif
    return add_plainly;
}

OnlineRows::OnlineRows(size_t labels, OnlineStep step) : labels_(labels), stride_(stride_of(labels)), step_(step) {
    arena_.resize(kLine);  // row 0 is none
    for (uint32_t kind = 0; kind <= kCapacities.size(); ++kind) lines_[kind] = static_cast<uint8_t>((bytes_of(kind) + kLine - 1) / kLine);
}

uint16_t OnlineRows::label_at(uint32_t row, size_t i) const {
    const Head& head = head_of(row);
    if (head.capacity == kDense) return static_cast<uint16_t>(i);
    return reinterpret_cast<const uint16_t*>(sums_of(row) + 2 * head.capacity)[i];
}

size_t OnlineRows::find(uint32_t row, uint16_t label) const {
    const Head& head = head_of(row);
    if (head.capacity == kDense) return label;
    const auto* const labels = reinterpret_cast<const uint16_t*>(sums_of(row) + 2 * head.capacity);
    return static_cast<size_t>(std::find(labels, labels + head.count, label) - labels);
}

float OnlineRows::weight(uint32_t row, uint16_t label, float threshold) const {
    if (row == kNone) return 0;
    const size_t i = find(row, label);
    return i == size_of(row) ? 0 : weight_at(row, i, threshold);
}

void OnlineRows::learn(uint32_t& row, uint16_t label, float gradient) {
    const size_t i = entry(row, label);
    Cold& cold = cold_[head_of(row).cold + i];
    cold.squares += gradient * gradient;
    const float by = step_.step / (step_.rho + std::sqrt(cold.squares));
    float* const sums = sums_of(row);
    if (step_.dual_averaging) {
        sums[i] += gradient;
        sums[room_of(row) + i] = by;
    } else {
        sums[i] += by * gradient;
        sums[room_of(row) + i] = 1;
    }
}

void OnlineRows::start(uint32_t& row, uint16_t label, float weight) {
    const size_t i = entry(row, label);
    Cold& cold = cold_[head_of(row).cold + i];
    const float ratio = weight / step_.step;
    cold.squares = std::max(1.0f, ratio * ratio);
    const float by = step_.dual_averaging ? step_.step / (step_.rho + std::sqrt(cold.squares)) : 1.0f;
    sums_of(row)[i] = weight / by;
    sums_of(row)[room_of(row) + i] = by;
}

void OnlineRows::sum_up(uint32_t row, float threshold) {
    for (size_t i = 0; i < size_of(row); ++i) cold_[head_of(row).cold + i].sum += weight_at(row, i, threshold);
}

size_t OnlineRows::entry(uint32_t& row, uint16_t label) {
    if (row == kNone) row = make(kCapacities[0] < labels_ ? kCapacities[0] : kDense);
    size_t i = find(row, label);
    if (i < size_of(row)) return i;
    if (head_of(row).count == head_of(row).capacity) {
        row = grown(row);
        if (head_of(row).capacity == kDense) return label;
        i = head_of(row).count;
    }
    Head& head = head_of(row);
    reinterpret_cast<uint16_t*>(sums_of(row) + 2 * head.capacity)[i] = label;
    ++head.count;
    return i;
}

uint32_t OnlineRows::kind_of(uint16_t capacity) {
    return static_cast<uint32_t>(std::find(kCapacities.begin(), kCapacities.end(), capacity) - kCapacities.begin());
}

size_t OnlineRows::bytes_of(uint32_t kind) const {
    const bool is_dense = kind == kCapacities.size();
    const size_t room = is_dense ? stride_ : kCapacities[kind];
    const size_t bytes = sizeof(Head) + room * 2 * sizeof(float) + (is_dense ? 0 : room * sizeof(uint16_t));
    const size_t whole = bytes <= kUnit ? kUnit : kLine;  // no block shares a line with a part of another
    return (bytes + whole - 1) / whole * whole;
}

uint32_t OnlineRows::make(uint16_t capacity) {
    const uint32_t kind = kind_of(capacity);
    const size_t room = capacity == kDense ? stride_ : capacity, bytes = bytes_of(kind);
    auto& left = free_[kind];
    uint32_t row, cold;
    if (!left.empty()) {
        std::tie(row, cold) = left.back();
        left.pop_back();
        std::fill_n(arena_.begin() + static_cast<std::ptrdiff_t>(begin_of(row)), bytes, static_cast<unsigned char>(0));
        std::fill_n(cold_.begin() + cold, room, Cold());
    } else {
        const size_t whole = bytes == kUnit ? kUnit : kLine, begin = (arena_.size() + whole - 1) / whole * whole;
        if ((begin + bytes) / kUnit >= UINT32_MAX / kKinds || cold_.size() + room > UINT32_MAX) throw InputFault("the learner has too many weights");
        row = static_cast<uint32_t>(begin / kUnit * kKinds + kind);
        cold = static_cast<uint32_t>(cold_.size());
        arena_.resize(begin + bytes);
        cold_.resize(cold_.size() + room);
    }
    head_of(row) = {0, capacity, cold};
    return row;
}

// The row in a larger block.
uint32_t OnlineRows::grown(uint32_t row) {
    const uint16_t before = head_of(row).capacity;
    const auto larger = std::upper_bound(kCapacities.begin(), kCapacities.end(), before);
    // From about a third of the labels on vectors are faster than going from label to label.
    const uint16_t capacity = larger == kCapacities.end() || size_t{*larger} * 3 > labels_ ? kDense : *larger;
    const uint32_t moved = make(capacity);
    const Head from = head_of(row);
    const size_t old_room = room_of(row), room = room_of(moved);
    for (size_t i = 0; i < from.count; ++i) {
        const uint16_t label = label_at(row, i);
        const size_t to = capacity == kDense ? label : i;
        sums_of(moved)[to] = sums_of(row)[i];
        sums_of(moved)[room + to] = sums_of(row)[old_room + i];
        if (capacity != kDense) reinterpret_cast<uint16_t*>(sums_of(moved) + 2 * capacity)[to] = label;
        cold_[head_of(moved).cold + to] = cold_[from.cold + i];
    }
    head_of(moved).count = from.count;
    free_[kind_of(before)].emplace_back(row, from.cold);
    return moved;
}

}  // namespace tagpool
