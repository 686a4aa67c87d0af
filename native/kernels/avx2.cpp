// The kernels for x86-64 machines with AVX2 and FMA, used only where they are there.
//
// Only the kernels themselves may use those instructions: the standard library's templates are included before the pragma, lest the
// linker keep their AVX2 copies for everybody.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/chain_log.hpp"
#include "base/exponential.hpp"
#include "kernels/kernels.hpp"

#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define TAGPOOL_VARIANT avx2
#define TAGPOOL_VECTOR_BYTES 32
#define TAGPOOL_VARIANT_NAME "AVX2"
#include "kernels/generic/kernels.inl"
#pragma GCC pop_options
