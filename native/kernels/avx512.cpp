// Kernels for x86-64 processors with AVX-512.
//
// Only the kernels may use these instructions. Headers come before the pragma: the linker could otherwise keep AVX-512 copies of
// standard library templates for every processor.
#include "kernels/generic/includes.hpp"

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("fma,avx512f,avx512dq,avx512bw,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("fma,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#endif
#define TAGPOOL_VARIANT avx512
#define TAGPOOL_VECTOR_BYTES 64
#define TAGPOOL_VARIANT_NAME "AVX-512"
#include "kernels/generic/kernels.inl"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
