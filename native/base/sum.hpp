// Sum: adds many numbers of very different sizes and keeps what each addition rounds away (Neumaier 1974).
#pragma once
#include <cmath>

namespace tagpool {

class Sum {
public:
    explicit Sum(double first = 0.0) : sum_(first) {}

    void add(double value) {
        const double next = sum_ + value;
        rest_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + rest_; }

private:
    double sum_, rest_ = 0.0;
};

}  // namespace tagpool
