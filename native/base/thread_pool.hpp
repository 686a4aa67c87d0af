// Pool: threads that stay while many short pieces of work are handed out, one after the other.
//
// Each piece is cut into tasks. A thread has tasks of its own, the same ones in piece after piece, so that what they work on stays in its
// cache; who is done with these takes those of others. A piece takes some 50 microseconds, so a thread without a task looks for
// news for a short while before it lies down. Nobody waits for a thread that has no task: where the machine is busy with other things and
// a thread does not get its turn, the others do its part.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tagpool {

class Pool {
public:
    explicit Pool(unsigned threads) : queues_(threads) {
        for (unsigned worker = 1; worker < threads; ++worker) helpers_.emplace_back([this, worker] { serve(worker); });
    }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool() {
        closed_.store(true, std::memory_order_relaxed);
        announce();
        for (std::thread& helper : helpers_) helper.join();
    }

    unsigned size() const { return static_cast<unsigned>(queues_.size()); }

    // Runs task(i, worker) for every i below `tasks` and comes back when all are done. Tasks write to places of their own, so that results
    // do not depend on who ran what; `worker` is below size(), and no two tasks have the same one at a time.
    template <class Task>
    void each(size_t tasks, Task&& task) {
        if (helpers_.empty() || tasks <= 1) {
            for (size_t i = 0; i < tasks; ++i) task(i, 0u);
            return;
        }
        context_ = const_cast<void*>(static_cast<const void*>(&task));
        run_ = [](void* context, size_t i, unsigned worker) { (*static_cast<std::remove_reference_t<Task>*>(context))(i, worker); };
        count_ = static_cast<uint32_t>(tasks);
        unfinished_.store(count_, std::memory_order_relaxed);
        ++round_;
        for (unsigned queue = 0; queue < size(); ++queue)
            queues_[queue].tickets.store(round_ << 32 | length(queue), std::memory_order_release);
        announce();
        work(0);
        for (uint32_t left; (left = unfinished_.load(std::memory_order_acquire)) != 0;) await(unfinished_, left);
        if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    }

private:
    static constexpr std::chrono::microseconds kPatience{50};

    // Returns when the number is no longer `old`, or a little earlier. How long a pause is differs tenfold between processors: what is
    // measured is time. Lying down and getting up takes longer than most waits.
    static void await(const std::atomic<uint32_t>& number, uint32_t old) {
        const auto begun = std::chrono::steady_clock::now();
        do {
            for (int look = 0; look < 32; ++look) {
                if (number.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
                __builtin_ia32_pause();
#endif
            }
        } while (std::chrono::steady_clock::now() - begun < kPatience);
        number.wait(old, std::memory_order_acquire);
    }

    void announce() {
        news_.fetch_add(1, std::memory_order_release);
        news_.notify_all();
    }

    // Task i stands in the queue of worker i % size().
    uint32_t length(unsigned queue) const { return count_ > queue ? (count_ - queue - 1) / size() + 1 : 0; }

    // Takes tasks while there are any, its own first.
    void work(unsigned worker) {
        for (unsigned i = 0; i < size(); ++i) take_from((worker + i) % size(), worker);
    }

    // A ticket is the number of the round and of the tasks left in a queue: whoever holds one knows that the round is not over.
    void take_from(unsigned queue, unsigned worker) {
        std::atomic<uint64_t>& tickets = queues_[queue].tickets;
        uint64_t ticket = tickets.load(std::memory_order_acquire);
        while (static_cast<uint32_t>(ticket) != 0) {
            if (!tickets.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) continue;
            try {
                run_(context_, queue + size_t{length(queue) - static_cast<uint32_t>(ticket)} * size(), worker);
            } catch (...) {
                const std::lock_guard lock(error_mutex_);
                error_ = std::current_exception();
            }
            if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_all();
            ticket = tickets.load(std::memory_order_acquire);
        }
    }

    void serve(unsigned worker) {
        for (uint32_t heard = 0;;) {
            await(news_, heard);
            heard = news_.load(std::memory_order_acquire);
            if (closed_.load(std::memory_order_relaxed)) return;
            work(worker);
        }
    }

    void (*run_)(void*, size_t, unsigned) = nullptr;
    void* context_ = nullptr;
    uint32_t count_ = 0;
    uint64_t round_ = 0;
    struct alignas(64) Queue {
        std::atomic<uint64_t> tickets{0};
    };
    std::vector<Queue> queues_;
    std::atomic<uint32_t> news_{0}, unfinished_{0};
    std::atomic<bool> closed_{false};
    std::mutex error_mutex_;
    std::exception_ptr error_;
    std::vector<std::thread> helpers_;
};

}  // namespace tagpool
