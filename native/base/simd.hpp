// Padding of rows to whole lanes, and functions compiled for several instruction sets.
//
// Sums run along one lane each, in the order of the formula, without fused operations (-ffp-contract=off).
// So every instruction set and every machine gives the same bits.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>

// The compiler makes one copy per instruction set, and the loader chooses one when the module loads (ifunc). Sanitizers start too
// late for ifunc, and other C libraries do not support it: there is only the portable copy.
//
// Such a function must not throw, so it must not allocate: GCC's callers of the copies do not expect exceptions, and the process would end.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(TAGPOOL_PORTABLE)
#define TAGPOOL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TAGPOOL_CLONES
#endif

namespace tagpool {

constexpr size_t kLane = 8;  // doubles per lane: one register of AVX-512, several of the others
constexpr double kForbidden = -std::numeric_limits<double>::infinity();

// Rounds a row length up to whole lanes.
inline size_t padded(size_t size) { return (size + kLane - 1) / kLane * kLane; }

}  // namespace tagpool
