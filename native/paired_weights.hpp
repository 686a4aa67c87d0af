// PairedWeights: every weight with a second number that changes when it does (its part of the average), side by side in memory:
// a dense row and its seconds share a place, and so do a single weight and its second. One look in memory brings both.
//
//     rows: stride weights, stride seconds; then singles: weight, second; then all edge weights; then all seconds of edges.
#pragma once
#include <cstddef>
#include <cstdint>

#include "buffer.hpp"
#include "training_set.hpp"

namespace tagpool {

class PairedWeights {
public:
    explicit PairedWeights(const TrainingSet& set)
        : stride_(set.stride()), singles_(set.singles_begin()), edges_(set.transitions_begin()),
          edge_count_(set.weight_count() - set.transitions_begin()) {
        constexpr size_t kLine = 64;
        kept_.fill(2 * set.weight_count() + kLine / sizeof(float), 0.0f);
        data_ = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(kept_.data()) + kLine - 1) / kLine * kLine);
    }

    float* data() { return data_; }
    const float* data() const { return data_; }
    size_t size() const { return 2 * (edges_ + edge_count_); }

    // Where the weight of a place of the training set lies, and its second.
    size_t first(size_t place) const {
        if (place < singles_) return place / stride_ * (2 * stride_) + place % stride_;
        return place < edges_ ? 2 * place : edges_ + place;
    }
    size_t second(size_t place) const {
        if (place < singles_) return first(place) + stride_;
        return first(place) + (place < edges_ ? 1 : edge_count_);
    }

    // Calls work(weight, second) for all.
    template <class Work>
    void each(Work&& work) {
        for (size_t row = 0; row < 2 * singles_; row += 2 * stride_)
            for (size_t y = 0; y < stride_; ++y) work(data_[row + y], data_[row + stride_ + y]);
        for (size_t i = 2 * singles_; i < 2 * edges_; i += 2) work(data_[i], data_[i + 1]);
        for (size_t i = 2 * edges_; i < 2 * edges_ + edge_count_; ++i) work(data_[i], data_[i + edge_count_]);
    }

private:
    size_t stride_, singles_, edges_, edge_count_;
    Buffer<float> kept_;
    float* data_ = nullptr;
};

}  // namespace tagpool
