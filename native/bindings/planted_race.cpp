// A function with a race, to show that the check with ThreadSanitizer finds races (make tsan). Other builds do not contain it.
#include <atomic>
#include <thread>

#include "base/thread_pool.hpp"
#include "bindings/helpers.hpp"

namespace tagpool {
namespace {

std::atomic<unsigned> arrived{0};
size_t total = 0;  // neither atomic nor protected by a lock: the race

// Waits for all threads, so that they run at the same time. Relaxed operations order nothing: they do not hide the race.
void add_together(unsigned everyone) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < everyone) std::this_thread::yield();
    ++total;
}

}  // namespace

void bind_planted_race(nb::module_& m) {
    m.def("race", [](Threads threads, unsigned callers) {
        nb::gil_scoped_release release;
        ThreadPool(threads).run(threads, [&](size_t, unsigned) { add_together(threads * callers); });
        return total;
    }, nb::arg("threads"), nb::arg("callers"), "Change one variable from all threads of all callers at the same time; works once per process.");
}

}  // namespace tagpool
