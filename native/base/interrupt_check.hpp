// LookUp: calls a function now and then during a long run, so that somebody may end it (by throwing).
#pragma once
#include <chrono>
#include <functional>

namespace tagpool {

class LookUp {
public:
    explicit LookUp(const std::function<void()>& call) : call_(call) {}

    void now_and_then() {
        const Clock::time_point now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        call_();
        last_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    const std::function<void()>& call_;
    Clock::time_point last_ = Clock::now();
};

}  // namespace tagpool
