// What the numeric kernels share: rows padded to whole lanes, and one source compiled for several instruction sets.
//
// The sums of a kernel run along one lane each, in the order of the formula, and nothing is contracted to fused operations
// (-ffp-contract=off): every instruction set, and every machine, gives the same bits.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>

// The compiler makes one copy a set, and the loader chooses when the module loads. The sanitizers start later than the loader
// asks, and other C libraries do not ask at all: there, the portable copy is the only one.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TAGPOOL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TAGPOOL_CLONES
#endif

namespace tagpool {

constexpr size_t kLane = 8;  // doubles: one register of the widest set, several of the others
constexpr double kForbidden = -std::numeric_limits<double>::infinity();

inline size_t padded(size_t size) { return (size + kLane - 1) / kLane * kLane; }

}  // namespace tagpool
