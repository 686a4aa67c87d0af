// parallel_for: numbered tasks over threads. Tasks write to places of their own, so that results do not depend on who ran what.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace tagpool {

template <class Task>
void parallel_for(size_t tasks, unsigned threads, Task&& task) {
    if (threads <= 1 || tasks <= 1) {
        for (size_t i = 0; i < tasks; ++i) task(i, 0u);
        return;
    }
    std::atomic<size_t> next{0};
    std::vector<std::exception_ptr> errors(threads);
    const auto work = [&](unsigned worker) {
        try {
            for (size_t i; (i = next.fetch_add(1)) < tasks;) task(i, worker);
        } catch (...) {
            errors[worker] = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    for (unsigned worker = 1; worker < threads; ++worker) helpers.emplace_back(work, worker);
    work(0);
    for (std::thread& helper : helpers) helper.join();
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace tagpool
