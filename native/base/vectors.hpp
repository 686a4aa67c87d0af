// Loops over long vectors, cut into blocks that are always the same: sums have one order, whatever the number of threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.hpp"

namespace tagpool {

constexpr size_t kBlock = 1 << 14;

inline size_t blocks_of(size_t size) { return (size + kBlock - 1) / kBlock; }

// work(begin, end) for each block.
template <class Work>
void for_blocks(size_t size, unsigned threads, Work&& work) {
    parallel_for(blocks_of(size), threads, [&](size_t block, unsigned) {
        work(block * kBlock, std::min((block + 1) * kBlock, size));
    });
}

// The sums of what work(begin, end, sums) adds to its `count` sums, which begin at zero.
template <class Work>
std::vector<double> sum_blocks(size_t size, unsigned threads, size_t count, Work&& work) {
    std::vector<double> parts(blocks_of(size) * count), total(count);
    for_blocks(size, threads, [&](size_t begin, size_t end) { work(begin, end, parts.data() + begin / kBlock * count); });
    for (size_t i = 0; i < parts.size(); ++i) total[i % count] += parts[i];
    return total;
}

// The sum of what work(begin, end) returns.
template <class Work>
double sum_blocks(size_t size, unsigned threads, Work&& work) {
    return sum_blocks(size, threads, 1, [&](size_t begin, size_t end, double* sum) { *sum = work(begin, end); })[0];
}

// Of plain numbers, within one block. Sums are in double precision, whatever they are of.
double dot(const double* a, const double* b, size_t size);
double dot(const float* a, const double* b, size_t size);
double dot(const float* a, const float* b, size_t size);
void add_scaled(double* to, const float* from, double by, size_t size);
void set_scaled(double* to, const double* from, double by, size_t size);
void set_sum(double* to, const double* from, const float* along, double by, size_t size);      // to = from + by * along
void set_difference(float* to, const double* from, const double* taken, size_t size);          // to = from - taken
void round_to(float* to, const double* from, size_t size);

}  // namespace tagpool
