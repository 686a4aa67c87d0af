// Loops of all lengths on pools of all sizes, with errors and threads that do not start, for ThreadSanitizer (make tsan).
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "base/thread_pool.hpp"

namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "thread_pool_stress: %s\n", what);
    std::exit(1);
}

void run_loops(unsigned threads) {
    tagpool::ThreadPool pool(threads);
    std::vector<size_t> sums(64);
    for (size_t tasks = 0; tasks < 200; ++tasks) {
        std::vector<size_t> out(tasks);
        std::fill(sums.begin(), sums.end(), 0);
        pool.run(tasks, [&](size_t i, unsigned thread) {
            out[i] += i + 1;  // not atomic: a task that runs twice is a race
            sums[thread] += i + 1;
        });
        for (size_t i = 0; i < tasks; ++i) require(out[i] == i + 1, "a task did not run once");
        require(std::accumulate(sums.begin(), sums.end(), size_t{0}) == tasks * (tasks + 1) / 2, "thread numbers are not distinct");
    }
    for (int round = 0; round < 50; ++round) {
        size_t first = 0;
        try {
            pool.run(40, [&](size_t i, unsigned) {
                if (i % 7 == 3) throw std::out_of_range(std::to_string(i));
            });
        } catch (const std::out_of_range& error) {
            first = std::stoul(error.what());
        }
        require(first == 3, "the error of the first task was not thrown");
    }
}

size_t reported = 0;

}  // namespace

int main() {
    for (const unsigned threads : {0u, 1u, 2u, 3u, 8u, 33u}) run_loops(threads);
    tagpool::parallel_for(1000, 5, [](size_t, unsigned) {});
    // A limit on processes refuses further threads (not for root, whose pool starts all of them).
    tagpool::report_fewer_threads = [](size_t count) noexcept { reported = count; };
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
    run_loops(16);
    std::printf("thread pool: no race, %zu threads under a limit\n", reported ? reported : 16);
}
