// Parallel loops over numbered tasks. Each task writes only to its own memory, so that results do not depend on the scheduling.
//
// parallel_for starts threads for one loop. ThreadPool keeps its threads for many short loops (about 50 µs each):
// - Task i is queued for thread i % size() in every loop, which keeps its data in that thread's cache. A thread whose queue is
//   empty takes tasks from other queues, so a thread that the system does not schedule delays nothing.
// - An idle thread spins for 50 µs, then blocks.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tagpool {

// Limit of one pool: further threads cost memory and time to start.
inline constexpr unsigned kMaxThreads = 1024;

// Called with the number of threads if a pool has fewer than requested.
inline void (*report_fewer_threads)(size_t count) noexcept = nullptr;

class ThreadPool {
public:
    // The calling thread is number 0. The pool has fewer threads if the system refuses to start some.
    explicit ThreadPool(unsigned threads) : queues_(std::clamp(threads, 1u, kMaxThreads)), size_(static_cast<unsigned>(queues_.size())) {
        helpers_.reserve(size_ - 1);
        for (unsigned thread = 1; thread < size_; ++thread) {
            if (start_helper(thread)) continue;
            if (report_fewer_threads) report_fewer_threads(thread);
            size_ = thread;  // helpers read it after the first call of wake_helpers()
        }
    }
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool() {
        closed_.store(true, std::memory_order_relaxed);
        wake_helpers();
        for (std::thread& helper : helpers_) helper.join();
    }

    unsigned size() const { return size_; }

    // Runs task(i, thread) for every i < tasks and returns when all are done. Concurrent tasks have different thread numbers.
    template <class Task>
    void run(size_t tasks, Task&& task) {
        if (helpers_.empty() || tasks <= 1) {
            for (size_t i = 0; i < tasks; ++i) task(i, 0u);
            return;
        }
        task_ = const_cast<void*>(static_cast<const void*>(&task));
        call_ = [](void* address, size_t i, unsigned thread) { (*static_cast<std::remove_reference_t<Task>*>(address))(i, thread); };
        task_count_ = static_cast<uint32_t>(tasks);
        unfinished_.store(task_count_, std::memory_order_relaxed);
        ++loop_;
        for (unsigned queue = 0; queue < size(); ++queue) queues_[queue].remaining.store(loop_ << 32 | length(queue), std::memory_order_release);
        wake_helpers();
        work(0);
        for (uint32_t count; (count = unfinished_.load(std::memory_order_acquire)) != 0;) await_change(unfinished_, count);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    static constexpr std::chrono::microseconds kSpinTime{50};

    // Returns when the number differs from `old`, or earlier. Spins by the clock, since the length of a pause instruction differs
    // tenfold between processors.
    static void await_change(const std::atomic<uint32_t>& number, uint32_t old) {
        const auto begin = std::chrono::steady_clock::now();
        do {
            for (int spin = 0; spin < 32; ++spin) {
                if (number.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__) && !defined(TAGPOOL_PORTABLE)
                __builtin_ia32_pause();
#endif
            }
        } while (std::chrono::steady_clock::now() - begin < kSpinTime);
        number.wait(old, std::memory_order_acquire);
    }

    void wake_helpers() {
        wake_count_.fetch_add(1, std::memory_order_release);
        wake_count_.notify_all();
    }

    uint32_t length(unsigned queue) const { return task_count_ > queue ? (task_count_ - queue - 1) / size() + 1 : 0; }

    // Empties all queues, beginning with the thread's own.
    void work(unsigned thread) {
        for (unsigned i = 0; i < size(); ++i) empty_queue((thread + i) % size(), thread);
    }

    // `remaining` contains the loop number, so that a successful exchange proves that the loop has not ended.
    void empty_queue(unsigned queue, unsigned thread) {
        std::atomic<uint64_t>& remaining = queues_[queue].remaining;
        uint64_t ticket = remaining.load(std::memory_order_acquire);
        while (static_cast<uint32_t>(ticket) != 0) {
            if (!remaining.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) continue;
            const size_t number = queue + size_t{length(queue) - static_cast<uint32_t>(ticket)} * size();
            try {
                call_(task_, number, thread);
            } catch (...) {
                // The error of the first task, for every number of threads.
                const std::lock_guard lock(error_mutex_);
                if (!error_ || number < error_task_) {
                    error_ = std::current_exception();
                    error_task_ = number;
                }
            }
            if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
            ticket = remaining.load(std::memory_order_acquire);
        }
    }

    bool start_helper(unsigned thread) {
        try {
            helpers_.emplace_back([this, thread] { serve(thread); });
        } catch (const std::system_error&) {  // a limit of the system on threads or memory
            return false;
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    void serve(unsigned thread) {
        for (uint32_t wakes = 0;;) {
            await_change(wake_count_, wakes);
            wakes = wake_count_.load(std::memory_order_acquire);
            if (closed_.load(std::memory_order_relaxed)) return;
            work(thread);
        }
    }

    void (*call_)(void*, size_t, unsigned) = nullptr;
    void* task_ = nullptr;
    uint32_t task_count_ = 0;
    uint64_t loop_ = 0;
    struct alignas(64) Queue {
        std::atomic<uint64_t> remaining{0};  // upper half: loop number, lower half: tasks left
    };
    std::vector<Queue> queues_;
    unsigned size_;  // queues in use
    std::atomic<uint32_t> wake_count_{0}, unfinished_{0};
    std::atomic<bool> closed_{false};
    std::mutex error_mutex_;
    std::exception_ptr error_;
    size_t error_task_ = 0;
    std::vector<std::thread> helpers_;
};

// Runs task(i, thread) for every i < tasks. Concurrent tasks have different thread numbers, all below max(threads, 1).
template <class Task>
void parallel_for(size_t tasks, unsigned threads, Task&& task) {
    ThreadPool(static_cast<unsigned>(std::clamp<size_t>(tasks, 1, std::max(threads, 1u)))).run(tasks, task);
}

}  // namespace tagpool
