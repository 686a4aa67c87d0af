// Parallel loops over long vectors in blocks of fixed size, so that sums do not depend on the number of threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/thread_pool.hpp"

namespace tagpool {

constexpr size_t kBlock = 1 << 14;

inline size_t block_count(size_t size) { return (size + kBlock - 1) / kBlock; }

// Calls work(begin, end) for each block.
template <class Work>
void for_blocks(size_t size, unsigned threads, Work&& work) {
    parallel_for(block_count(size), threads, [&](size_t block, unsigned) { work(block * kBlock, std::min((block + 1) * kBlock, size)); });
}

// Adds up `count` sums, which work(begin, end, sums) increases for each block.
template <class Work>
std::vector<double> sum_blocks(size_t size, unsigned threads, size_t count, Work&& work) {
    std::vector<double> parts(block_count(size) * count), total(count);
    for_blocks(size, threads, [&](size_t begin, size_t end) { work(begin, end, parts.data() + begin / kBlock * count); });
    for (size_t i = 0; i < parts.size(); ++i) total[i % count] += parts[i];
    return total;
}

// Adds up the results of work(begin, end).
template <class Work>
double sum_blocks(size_t size, unsigned threads, Work&& work) {
    return sum_blocks(size, threads, 1, [&](size_t begin, size_t end, double* sum) { *sum = work(begin, end); })[0];
}

// Operations within one block; sums are in double precision.
double dot(const double* a, const double* b, size_t size);
double dot(const float* a, const double* b, size_t size);
double dot(const float* a, const float* b, size_t size);
void add_scaled(double* to, const float* from, double factor, size_t size);                                 // to += factor * from
void add_scaled(double* to, const double* from, double factor, size_t size);                                // the same
double add_scaled_and_dot(double* to, const double* from, double factor, const double* with, size_t size);  // the same; returns to . with
void set_scaled(double* to, const double* from, double factor, size_t size);                                // to = factor * from
void set_sum(double* to, const double* from, const float* step, double factor, size_t size);                // to = from + factor * step
void set_difference(float* to, const double* a, const double* b, size_t size);                              // to = a - b
void round_to(float* to, const double* from, size_t size);

}  // namespace tagpool
