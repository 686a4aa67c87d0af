// OnlineSketches: rows of weights in one byte per label, a seventh of the size of the rows, which decide most tokens.
//
// A sketch has a scale and integers q from -127 to 127 with |w - scale * q| <= scale / 2 for every label. The error of a score is at most half
// the sum of the scales. If the gold label leads by more than the margin plus twice that error, the token is no mistake, and the exact weights
// are not read. This holds for nearly all tokens.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/aligned.hpp"
#include "base/portable.hpp"

namespace tagpool {

class OnlineSketches {
public:
    // `head` bytes before each sketch are for the caller, so that data read together is adjacent.
    explicit OnlineSketches(size_t stride, size_t head = 0);

    size_t size() const { return data_.size() / bytes_; }
    // Appends sketches of zeros.
    void append(size_t count = 1) { data_.resize(data_.size() + count * bytes_); }
    unsigned char* head(size_t number) { return data_.data() + number * bytes_; }
    const unsigned char* head(size_t number) const { return data_.data() + number * bytes_; }
    size_t bytes() const { return bytes_; }
    [[gnu::always_inline]] void prefetch(size_t number) const {
        for (size_t byte = 0; byte < bytes_; byte += kLine) prefetch_line(data_.data() + number * bytes_ + byte);
    }
    float scale(size_t number) const { return read_scale(head(number) + head_); }
    static float read_scale(const unsigned char* sketch) {
        float scale;
        std::memcpy(&scale, sketch, sizeof(scale));
        return scale;
    }

    // Adds sketches to [stride] scores; returns the sum of their scales.
    float add(const uint32_t* numbers, size_t count, float* scores) const {
        return add_(data_.data() + head_, bytes_, stride_, numbers, count, scores);
    }

    // Replaces a sketch by that of [stride] weights.
    void make(size_t number, const float* weights) {
        float largest = 0;
        for (size_t i = 0; i < stride_; ++i) largest = std::max(largest, std::abs(weights[i]));
        const float scale = largest * kRoom / kMost;
        std::memcpy(head(number) + head_, &scale, sizeof(scale));
        int8_t* const out = writable(number);
        const float inverse = scale > 0 ? 1 / scale : 0.0f;
        for (size_t i = 0; i < stride_; ++i) out[i] = rounded(weights[i] * inverse);
    }
    // Changes one weight; false if it is too large for the scale.
    bool set(size_t number, size_t label, float weight) {
        const float unit = scale(number);
        if (!(std::abs(weight) <= unit * kMost)) return false;
        writable(number)[label] = unit > 0 ? rounded(weight / unit) : int8_t{0};
        return true;
    }

private:
    static constexpr size_t kUnit = 32, kLine = 64;
    static constexpr float kMost = 127, kRoom = 1.25f;  // growth of weights before a new scale is needed

    // Rounds to the nearest integer; adding 1.5 * 2^23 leaves no fraction bits. Vectorises.
    static int8_t rounded(float number) {
        constexpr float kWhole = 12582912;  // 1.5 * 2^23
        return static_cast<int8_t>(static_cast<int32_t>(number + kWhole - kWhole));
    }
    int8_t* writable(size_t number) { return reinterpret_cast<int8_t*>(head(number) + head_ + sizeof(float)); }

    using Add = float (*)(const unsigned char* data, size_t bytes, size_t stride, const uint32_t* numbers, size_t count, float* scores);
    static Add choose_add(size_t stride);

    size_t stride_, head_, bytes_;
    Add add_;
    AlignedVector<unsigned char> data_;
};

}  // namespace tagpool
