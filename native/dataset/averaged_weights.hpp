// AveragedWeights: each weight with a second number for its average, next to each other in memory, so that one cache miss loads both.
//
// Layout: of a row, stride weights and stride seconds; of a single weight, weight and second; then all edges, then the seconds of edges.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class AveragedWeights {
public:
    explicit AveragedWeights(const TrainingSet& set)
        : set_(set), stride_(set.stride()), edges_(set.transitions_begin()), edge_count_(set.weight_count() - set.transitions_begin()) {
        constexpr size_t kLine = 64;
        buffer_.fill(2 * set.weight_count() + kLine / sizeof(float), 0.0f);
        data_ = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(buffer_.data()) + kLine - 1) / kLine * kLine);
    }

    float* data() { return data_; }
    const float* data() const { return data_; }
    size_t size() const { return 2 * (edges_ + edge_count_); }

    // Positions of the weight of a place, and of its second number.
    size_t first(size_t place) const {
        if (set_.is_in_row(place)) return place / stride_ * (2 * stride_) + place % stride_;
        return place < edges_ ? 2 * place : edges_ + place;
    }
    size_t second(size_t place) const {
        if (set_.is_in_row(place)) return first(place) + stride_;
        return first(place) + (place < edges_ ? 1 : edge_count_);
    }

    // Calls work(weight, second) for all.
    template <class Work>
    void each(Work&& work) {
        rows(0, set_.shared_rows_end(), work);
        singles(set_.shared_rows_end(), set_.shared_count(), work);
        rows(set_.shared_count(), set_.part_rows_end(), work);
        singles(set_.part_rows_end(), edges_, work);
        for (size_t i = 2 * edges_; i < 2 * edges_ + edge_count_; ++i) work(data_[i], data_[i + edge_count_]);
    }

    // Sets the weights to these parameters, and the second numbers to zero.
    void load(const ParameterLayout& layout, const float* parameters) {
        each([](float& weight, float& second) { weight = second = 0; });
        layout.each([&](size_t i, size_t place, float factor) { data_[first(place)] = factor * parameters[i]; });
    }
    // Parameters value(weight, second) / (divisor * factor).
    template <class Value>
    std::vector<float> parameters(const ParameterLayout& layout, double divisor, Value&& value) const {
        std::vector<float> out(layout.size());
        const double inverse = 1 / divisor;  // divisions would take most of the time
        layout.each([&](size_t i, size_t place, float factor) {
            const auto weight = static_cast<double>(data_[first(place)]), second_number = static_cast<double>(data_[second(place)]);
            const double parameter = value(weight, second_number) * inverse;
            out[i] = static_cast<float>(factor == 1 ? parameter : parameter / static_cast<double>(factor));
        });
        return out;
    }
    // The same for the weights alone.
    std::vector<float> parameters(const ParameterLayout& layout, double divisor) const {
        return parameters(layout, divisor, [](double weight, double) { return weight; });
    }

private:
    template <class Work>
    void rows(size_t begin, size_t end, Work& work) {
        for (size_t row = 2 * begin; row < 2 * end; row += 2 * stride_)
            for (size_t y = 0; y < stride_; ++y) work(data_[row + y], data_[row + stride_ + y]);
    }
    template <class Work>
    void singles(size_t begin, size_t end, Work& work) {
        for (size_t i = 2 * begin; i < 2 * end; i += 2) work(data_[i], data_[i + 1]);
    }

    const TrainingSet& set_;
    size_t stride_, edges_, edge_count_;
    Buffer<float> buffer_;
    float* data_ = nullptr;
};

}  // namespace tagpool
