#include "crfsuite/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/simd.hpp"

namespace tagpool {
namespace {

// to[j] += factors[i] * matrix[i][j], for one i after the other
TAGPOOL_CLONES void add_rows(double* to, const double* factors, const double* matrix, size_t size) {
    for (size_t i = 0; i < size; ++i)
        for (size_t j = 0; j < size; ++j) to[j] += factors[i] * matrix[i * size + j];
}

// to[j] = max(to[j], values[i] + matrix[i][j])
TAGPOOL_CLONES void raise_rows(double* to, const double* values, const double* matrix, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        for (size_t j = 0; j < size; ++j) {
            const double score = values[i] + matrix[i * size + j];
            to[j] = to[j] < score ? score : to[j];
        }
    }
}

// to[i][j] += from[i] * matrix[i][j] * row[j]
TAGPOOL_CLONES void add_products(double* to, const double* from, const double* matrix, const double* row, size_t size) {
    for (size_t i = 0; i < size; ++i)
        for (size_t j = 0; j < size; ++j) to[i * size + j] += from[i] * matrix[i * size + j] * row[j];
}

constexpr double kLowest = -std::numeric_limits<double>::max();

}  // namespace

void Scorer::set(uint32_t sentence, const double* weights, double scale) {
    const Encoding& all = instances_.all();
    first_ = all.sentences[sentence];
    length_ = all.sentences[sentence + 1] - first_;
    states_.assign(length_ * labels_, 0.0);
    for (size_t t = 0; t < length_; ++t) {
        double* const state = states_.data() + t * labels_;
        for (uint64_t entry = all.starts[first_ + t]; entry < all.starts[first_ + t + 1]; ++entry) {
            const double value = instances_.value(entry) * scale;
            const size_t end = cells_.begin(all.ids[entry] + 1);
            for (size_t cell = cells_.begin(all.ids[entry]); cell < end; ++cell) state[cells_.label(cell)] += weights[cell] * value;
        }
    }
    for (size_t i = 0; i < transitions_.size(); ++i) transitions_[i] = weights[cells_.size() + i] * scale;
}

double Scorer::decode(std::vector<int32_t>& path) {
    const size_t L = labels_;
    forward_.resize(length_ * L);
    std::copy_n(states_.data(), L, forward_.data());
    for (size_t t = 1; t < length_; ++t) {
        double* const now = forward_.data() + t * L;
        std::fill_n(now, L, kLowest);
        raise_rows(now, now - L, transitions_.data(), L);
        for (size_t j = 0; j < L; ++j) now[j] += states_[t * L + j];
    }
    path.resize(length_);
    // The first label wins a tie at every step back.
    const double* const last = forward_.data() + (length_ - 1) * L;
    path.back() = static_cast<int32_t>(std::max_element(last, last + L) - last);
    for (size_t t = length_ - 1; t-- > 0;) {
        const auto next = static_cast<size_t>(path[t + 1]);
        double best = kLowest;
        path[t] = 0;
        for (size_t i = 0; i < L; ++i) {
            const double score = forward_[t * L + i] + transitions_[i * L + next];
            if (best < score) {
                best = score;
                path[t] = static_cast<int32_t>(i);
            }
        }
    }
    return last[path.back()];
}

double Scorer::score(const int32_t* path) const {
    double sum = states_[static_cast<size_t>(path[0])];
    for (size_t t = 1; t < length_; ++t) {
        sum += transitions_[static_cast<size_t>(path[t - 1]) * labels_ + static_cast<size_t>(path[t])];
        sum += states_[t * labels_ + static_cast<size_t>(path[t])];
    }
    return sum;
}

double Scorer::sum_paths() {
    const auto exponential = [](double x) { return std::exp(x); };
    exponentials_.resize(states_.size());
    std::transform(states_.begin(), states_.end(), exponentials_.begin(), exponential);
    exp_transitions_.resize(2 * transitions_.size());
    std::transform(transitions_.begin(), transitions_.end(), exp_transitions_.begin(), exponential);
    double* const transpose = exp_transitions_.data() + transitions_.size();
    for (size_t i = 0; i < labels_; ++i)
        for (size_t j = 0; j < labels_; ++j) transpose[j * labels_ + i] = exp_transitions_[i * labels_ + j];
    sum_forwards();
    sum_backwards();
    double sum = 0;
    for (const double scale : scales_) sum += std::log(scale);
    return -sum;
}

// Forward sums [T][L], scaled so that those of a token add up to 1.
void Scorer::sum_forwards() {
    const size_t L = labels_;
    forward_.assign(states_.size(), 0.0);
    scales_.resize(length_);
    for (size_t t = 0; t < length_; ++t) {
        double* const now = forward_.data() + t * L;
        const double* const state = exponentials_.data() + t * L;
        if (t == 0) {
            std::copy_n(state, L, now);
        } else {
            add_rows(now, now - L, exp_transitions_.data(), L);
            for (size_t j = 0; j < L; ++j) now[j] *= state[j];
        }
        double sum = 0;
        for (size_t j = 0; j < L; ++j) sum += now[j];
        scales_[t] = sum != 0 ? 1 / sum : 1;
        for (size_t j = 0; j < L; ++j) now[j] *= scales_[t];
    }
}

// Backward sums [T][L] with the same scales.
void Scorer::sum_backwards() {
    const size_t L = labels_;
    backward_.assign(states_.size(), 0.0);
    row_.resize(L);
    const double* const transpose = exp_transitions_.data() + transitions_.size();
    std::fill_n(backward_.end() - static_cast<ptrdiff_t>(L), L, scales_.back());
    for (size_t t = length_ - 1; t-- > 0;) {
        double* const now = backward_.data() + t * L;
        for (size_t j = 0; j < L; ++j) row_[j] = (now + L)[j] * exponentials_[(t + 1) * L + j];
        add_rows(now, row_.data(), transpose, L);
        for (size_t j = 0; j < L; ++j) now[j] *= scales_[t];
    }
}

void Scorer::add_expectations(double* weights, double gain) {
    each_on_path(gold(), [&](size_t weight, double value) { weights[weight] += value * gain; });

    const Encoding& all = instances_.all();
    const size_t L = labels_;
    expected_.assign(L * L, 0.0);
    for (size_t t = 0; t < length_; ++t) {
        const double* const forward = forward_.data() + t * L;
        double* const marginals = backward_.data() + t * L;
        if (t > 0) {  // row_: the states and backward sums of this token, before they become marginals
            for (size_t j = 0; j < L; ++j) row_[j] = marginals[j] * exponentials_[t * L + j];
            add_products(expected_.data(), forward - L, exp_transitions_.data(), row_.data(), L);
        }
        const double norm = 1 / scales_[t];
        for (size_t j = 0; j < L; ++j) marginals[j] = forward[j] * marginals[j] * norm;
        for (uint64_t entry = all.starts[first_ + t]; entry < all.starts[first_ + t + 1]; ++entry) {
            const double value = instances_.value(entry);
            const size_t end = cells_.begin(all.ids[entry] + 1);
            for (size_t cell = cells_.begin(all.ids[entry]); cell < end; ++cell) weights[cell] += marginals[cells_.label(cell)] * value * -gain;
        }
    }
    for (size_t i = 0; i < L; ++i)
        for (size_t j = 0; j < L; ++j)
            if (cells_.has_transition(i, j)) weights[cells_.transition(i, j)] += expected_[i * L + j] * -gain;
}

}  // namespace tagpool
