// Kernels for x86-64 processors with AVX2 and FMA.
//
// Only the kernels may use these instructions. Headers come before the pragma: the linker could otherwise keep AVX2 copies of
// standard library templates for every processor.
#include "kernels/generic/includes.hpp"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define TAGPOOL_VARIANT avx2
#define TAGPOOL_VECTOR_BYTES 32
#define TAGPOOL_VARIANT_NAME "AVX2"
#include "kernels/generic/kernels.inl"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
