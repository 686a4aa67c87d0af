// The kernels for x86-64 machines with AVX-512, used only where they are there.
//
// Only the kernels themselves may use those instructions: the standard library's templates are included before the pragma, lest the
// linker keep their AVX-512 copies for everybody.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/chain_log.hpp"
#include "base/exponential.hpp"
#include "kernels/kernels.hpp"

#pragma GCC push_options
#pragma GCC target("fma,avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")
#define TAGPOOL_VARIANT avx512
#define TAGPOOL_VECTOR_BYTES 64
#define TAGPOOL_VARIANT_NAME "AVX-512"
#include "kernels/generic/kernels.inl"
#pragma GCC pop_options
