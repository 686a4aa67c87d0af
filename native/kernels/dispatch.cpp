// Run-time choice of the kernels (docs/project/kernels.md).
#include "kernels/kernels.hpp"

namespace tagpool {

namespace portable {
extern const Kernels kKernels;
}
#ifdef TAGPOOL_HAS_AVX
namespace avx2 {
extern const Kernels kKernels;
}
namespace avx512 {
extern const Kernels kKernels;
}
#endif

namespace {

const Kernels& choose() {
#ifdef TAGPOOL_HAS_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return avx512::kKernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::kKernels;
#endif
    return portable::kKernels;
}

}  // namespace

const Kernels& kernels() {
    static const Kernels& chosen = choose();
    return chosen;
}

}  // namespace tagpool
