// Pool: threads that stay while many short pieces of work are handed to them, one after the other.
//
// A piece takes some 50 microseconds, so a thread that has nothing to do looks for news for about as long before it lies down.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tagpool {

class Pool {
public:
    explicit Pool(unsigned threads) : errors_(threads ? threads : 1) {
        for (unsigned worker = 1; worker < threads; ++worker) helpers_.emplace_back([this, worker] { serve(worker); });
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() {
        work_ = nullptr;
        call();
        for (std::thread& helper : helpers_) helper.join();
    }

    unsigned size() const { return static_cast<unsigned>(errors_.size()); }

    // Runs work(0), ..., work(size - 1), each in a thread of its own, the first here; comes back when all are done.
    template <class Work>
    void run(Work&& work) {
        if (helpers_.empty()) {
            work(0u);
            return;
        }
        context_ = const_cast<void*>(static_cast<const void*>(&work));
        work_ = [](void* context, unsigned worker) { (*static_cast<std::remove_reference_t<Work>*>(context))(worker); };
        busy_.store(static_cast<uint32_t>(helpers_.size()), std::memory_order_relaxed);
        call();
        attempt(0);
        for (uint32_t left; (left = busy_.load(std::memory_order_acquire)) != 0;) await(busy_, left);
        for (std::exception_ptr& error : errors_)
            if (error) std::rethrow_exception(std::exchange(error, nullptr));
    }

    // Runs task(i, worker) for every i below `tasks`; who is free takes the next.
    template <class Task>
    void each(size_t tasks, Task&& task) {
        std::atomic<size_t> next{0};
        run([&](unsigned worker) {
            for (size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) task(i, worker);
        });
    }

private:
    // Returns when the number is no longer `old`, or a little earlier.
    static void await(const std::atomic<uint32_t>& number, uint32_t old) {
        for (int look = 0; look < 4000; ++look) {
            if (number.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        number.wait(old, std::memory_order_acquire);
    }

    void call() {
        call_.fetch_add(1, std::memory_order_release);
        call_.notify_all();
    }

    void attempt(unsigned worker) {
        try {
            work_(context_, worker);
        } catch (...) {
            errors_[worker] = std::current_exception();
        }
    }

    void serve(unsigned worker) {
        for (uint32_t heard = 0;;) {
            while (call_.load(std::memory_order_acquire) == heard) await(call_, heard);
            ++heard;
            if (!work_) return;
            attempt(worker);
            if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_all();
        }
    }

    void (*work_)(void*, unsigned) = nullptr;
    void* context_ = nullptr;
    std::atomic<uint32_t> call_{0}, busy_{0};
    std::vector<std::exception_ptr> errors_;
    std::vector<std::thread> helpers_;
};

}  // namespace tagpool
