// InterruptCheck: polls for Ctrl-C during a long run, at most every 50 ms.
#pragma once
#include <chrono>

namespace tagpool {

class InterruptCheck {
public:
    // `check` throws to end the run.
    InterruptCheck(void (*check)()) : check_(check) {}

    void poll() {
        const Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        check_();
        last_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    void (*check_)();
    Clock::time_point last_ = Clock::now();
};

}  // namespace tagpool
