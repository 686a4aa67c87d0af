// Sum: compensated summation of numbers of very different magnitudes (Neumaier 1974).
#pragma once
#include <cmath>

namespace tagpool {

class Sum {
public:
    explicit Sum(double first = 0.0) : sum_(first) {}

    void add(double value) {
        const double next = sum_ + value;
        error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + error_; }

private:
    double sum_, error_ = 0.0;  // error_: the sum of all rounding errors
};

}  // namespace tagpool
