// ExactSum: the sum of the squares of single-precision numbers without rounding errors, so that it does not depend on their order.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

class ExactSum {
public:
    // A square is a whole number below 2^48 times a power of two; each power has a sum of the upper and of the lower 24 bits.
    void add_square(float value) {
        if (sums_.empty()) sums_.assign(2 * kPowers, 0);
        const uint32_t bits = std::bit_cast<uint32_t>(value), exponent = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
        const uint64_t whole = exponent ? fraction | 0x800000 : fraction, square = whole * whole;
        uint64_t* const sum = sums_.data() + 2 * size_t{exponent ? exponent : 1};
        sum[0] += square & 0xffffff;
        sum[1] += square >> 24;
    }
    // Adds the number 1 several times.
    void add_ones(uint64_t count) {
        if (sums_.empty()) sums_.assign(2 * kPowers, 0);
        sums_[2 * 127 + 1] += count << 22;
    }
    void merge(const ExactSum& other) {
        sums_.resize(std::max(sums_.size(), other.sums_.size()));
        for (size_t i = 0; i < other.sums_.size(); ++i) sums_[i] += other.sums_[i];
    }
    double value() const {
        double total = 0;
        for (size_t i = 0; i < sums_.size() / 2; ++i) {
            const int power = 2 * (static_cast<int>(i) - 127 - 23);
            total += std::ldexp(static_cast<double>(sums_[2 * i]), power) + std::ldexp(static_cast<double>(sums_[2 * i + 1]), power + 24);
        }
        return total;
    }

    template <class State>
    void visit_state(State& state) {
        state.vector("squares", sums_);
    }

private:
    static constexpr size_t kPowers = 256;  // exponents of a float

    std::vector<uint64_t> sums_;  // empty: nothing was added
};

}  // namespace tagpool
