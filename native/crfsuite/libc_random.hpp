// LibcRandom: the numbers of rand() in the GNU C library, by which CRFsuite shuffles instances.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tagpool {

class LibcRandom {
public:
    // The state after srand(seed). A process that never calls srand() has the seed 1.
    explicit LibcRandom(uint32_t seed) {
        int64_t value = static_cast<int32_t>(seed == 0 ? 1 : seed);
        for (uint32_t& item : state_) {
            item = static_cast<uint32_t>(value);
            value = 16807 * (value % 127773) - 2836 * (value / 127773);
            if (value < 0) value += 2147483647;
        }
        for (size_t i = 0; i < 10 * state_.size(); ++i) next();
    }

    // A number of 31 bits: an additive feedback generator with the lags 31 and 3.
    uint32_t next() {
        const uint32_t sum = state_[front_] += state_[rear_];
        front_ = (front_ + 1) % state_.size();
        rear_ = (rear_ + 1) % state_.size();
        return sum >> 1;
    }

private:
    std::array<uint32_t, 31> state_{};
    size_t front_ = 3, rear_ = 0;
};

}  // namespace tagpool
