#include "trainers/curvature.hpp"

#include <algorithm>

#include "base/vectors.hpp"

namespace tagpool {

Curvature::Curvature(size_t size, size_t pairs, unsigned threads)
    : size_(size), capacity_(std::max<size_t>(pairs, 1)), threads_(threads), steps_(capacity_), changes_(capacity_),
      step_change_(capacity_ * capacity_), change_change_(capacity_ * capacity_), step_v_(capacity_), change_v_(capacity_) {}

void Curvature::restart(const double* v) {
    pairs_.clear();
    v_v_ = sum_blocks(size_, threads_, [&](size_t begin, size_t end) { return dot(v + begin, v + begin, end - begin); });
}

void Curvature::visit_state(StateWriter& state) {
    std::vector<uint64_t> slots;
    std::vector<double> scales;
    for (const auto [slot, scale] : pairs_) {
        slots.push_back(slot);
        scales.push_back(scale);
    }
    state.copy("slots", std::move(slots));
    state.copy("scales", std::move(scales));
    visit_vectors(state);
}

void Curvature::visit_state(StateReader& state) {
    std::vector<uint64_t> slots;
    std::vector<double> scales;
    state.vector("slots", slots);
    state.vector("scales", scales);
    expect_size(scales.size(), slots.size(), "scales of steps");
    pairs_.clear();
    for (size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] >= capacity_ || std::count(slots.begin(), slots.end(), slots[i]) != 1) throw InputFault("a slot of a step is out of range");
        pairs_.push_back({slots[i], scales[i]});
        steps_[slots[i]].resize(size_);
        changes_[slots[i]].resize(size_);
    }
    visit_vectors(state);
}

template <class State>
void Curvature::visit_vectors(State& state) {
    for (const auto [slot, scale] : pairs_) {
        state.array(concat("steps.", slot), steps_[slot].data(), size_);
        state.array(concat("changes.", slot), changes_[slot].data(), size_);
    }
    state.array("step_change", step_change_.data(), step_change_.size());
    state.array("change_change", change_change_.data(), change_change_.size());
    state.array("step_v", step_v_.data(), step_v_.size());
    state.array("change_v", change_v_.data(), change_v_.size());
    state.number("v_v", v_v_);
}

size_t Curvature::free_slot() const {
    size_t slot = 0;
    while (std::any_of(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return pair.slot == slot; })) ++slot;
    return slot;
}

double Curvature::compute_direction(const double* v) {
    // -H v = -(by_v v + sum_i by_change_i y_i + sum_i by_step_i s_i), all by slot.
    std::vector<double> by_change(capacity_), by_step(capacity_);
    const size_t count = pairs_.size();
    double by_v = 1;
    for (size_t age = 0; age < count; ++age) {  // q = v - sum of alpha_j y_j; alpha_i = s_i . q / s_i . y_i
        const size_t i = pair(age).slot;
        double product = step_v_[i];
        for (size_t newer = 0; newer < age; ++newer) product += by_change[pair(newer).slot] * step_change(i, pair(newer).slot);
        by_change[i] = -product / step_change(i, i);
    }
    if (count > 0) {
        const size_t newest = pair(0).slot;
        by_v = step_change(newest, newest) / change_change(newest, newest);
    }
    for (size_t age = count; age-- > 0;) {  // r = by_v q + sum of (alpha_j - beta_j) s_j; beta_i = y_i . r / s_i . y_i
        const size_t i = pair(age).slot;
        double product = by_v * change_v_[i];
        for (const Pair& other : pairs_) product += by_v * by_change[other.slot] * change_change(i, other.slot);
        for (size_t older = count; older-- > age + 1;) product += by_step[pair(older).slot] * step_change(pair(older).slot, i);
        by_step[i] = -by_change[i] - product / step_change(i, i);
    }
    double slope = -by_v * v_v_;
    for (const auto [slot, scale] : pairs_) {
        by_change[slot] *= by_v;
        slope -= by_change[slot] * change_v_[slot] + by_step[slot] * step_v_[slot];
    }

    const bool replaces = count == capacity_;
    slot_ = replaces ? pairs_.front().slot : free_slot();
    AlignedVector<float>& out = steps_[slot_];
    if (out.empty()) out.resize(size_);
    for_blocks(size_, threads_, [&](size_t begin, size_t end) {
        constexpr size_t kPiece = 1024;  // of all vectors together: this many numbers stay in the nearest cache
        for (size_t at = begin; at < end; at += kPiece) {
            const size_t size = std::min(kPiece, end - at);
            double to[kPiece];
            set_scaled(to, v + at, -by_v, size);
            for (const auto [slot, scale] : pairs_) {
                add_scaled(to, changes_[slot].data() + at, -by_change[slot], size);
                add_scaled(to, steps_[slot].data() + at, -by_step[slot] * scale, size);
            }
            round_to(out.data() + at, to, size);  // (where the oldest step may be)
        }
    });
    if (replaces) pairs_.erase(pairs_.begin());
    return slope;
}

void Curvature::accept(double scale, AlignedVector<double>& gradient, AlignedVector<double>& next, const double* v) {
    // For the new pair (s, y) and each old one (s_i, y_i): s.y, y.y, s.v, y.v, v.v; then s_i.y, s_i.v, y_i.y, y_i.v, s.y_i.
    constexpr size_t kNew = 5, kOld = 5;
    const size_t count = pairs_.size();
    const float* const direction = steps_[slot_].data();
    AlignedVector<float>& change = changes_[slot_];
    if (change.empty()) change.resize(size_);
    const std::vector<double> sums = sum_blocks(size_, threads_, kNew + kOld * count, [&](size_t begin, size_t end, double* out) {
        constexpr size_t kPiece = 1024;
        for (size_t at = begin; at < end; at += kPiece) {
            const size_t size = std::min(kPiece, end - at);
            float* const y = change.data() + at;
            const float* const s = direction + at;
            const double* const w = v + at;
            set_difference(y, next.data() + at, gradient.data() + at, size);
            out[0] += dot(s, y, size);
            out[1] += dot(y, y, size);
            out[2] += dot(s, w, size);
            out[3] += dot(y, w, size);
            out[4] += dot(w, w, size);
            for (size_t i = 0; i < count; ++i) {
                double* const products = out + kNew + kOld * i;
                const float* const old_step = steps_[pairs_[i].slot].data() + at;
                const float* const old_change = changes_[pairs_[i].slot].data() + at;
                products[0] += dot(old_step, y, size);
                products[1] += dot(old_step, w, size);
                products[2] += dot(old_change, y, size);
                products[3] += dot(old_change, w, size);
                products[4] += dot(s, old_change, size);
            }
        }
    });
    v_v_ = sums[4];
    for (size_t i = 0; i < count; ++i) {
        const double* const products = sums.data() + kNew + kOld * i;
        const auto [old, old_scale] = pairs_[i];
        step_change(old, slot_) = old_scale * products[0];
        step_v_[old] = old_scale * products[1];
        change_change(old, slot_) = change_change(slot_, old) = products[2];
        change_v_[old] = products[3];
        step_change(slot_, old) = scale * products[4];
    }
    if (scale * sums[0] > 0) {
        step_change(slot_, slot_) = scale * sums[0];
        change_change(slot_, slot_) = sums[1];
        step_v_[slot_] = scale * sums[2];
        change_v_[slot_] = sums[3];
        pairs_.push_back({slot_, scale});
    }
    gradient.swap(next);
}

}  // namespace tagpool
