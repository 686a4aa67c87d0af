// The kernels for every machine.
#define TAGPOOL_VARIANT base
#define TAGPOOL_VECTOR_BYTES 16
#define TAGPOOL_VARIANT_NAME "portable"
#ifdef TAGPOOL_HAS_AVX
#define TAGPOOL_VARIANT_IS_FALLBACK
#endif
#include "kernels/generic/kernels.inl"

namespace tagpool {

#ifdef TAGPOOL_HAS_AVX
namespace avx2 {
extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
}  // namespace avx2
namespace avx512 {
extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
}  // namespace avx512
#endif

namespace {

template <class T>
const Kernels<T>& best(const Kernels<T>& portable, [[maybe_unused]] const Kernels<T>& wide, [[maybe_unused]] const Kernels<T>& widest) {
#ifdef TAGPOOL_HAS_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return widest;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return wide;
#endif
    return portable;
}

}  // namespace

#ifndef TAGPOOL_HAS_AVX
namespace avx2 = base;
namespace avx512 = base;
#endif

template <>
const Kernels<float>& kernels<float>() {
    static const Kernels<float>& chosen = best(base::kFloat, avx2::kFloat, avx512::kFloat);
    return chosen;
}
template <>
const Kernels<double>& kernels<double>() {
    static const Kernels<double>& chosen = best(base::kDouble, avx2::kDouble, avx512::kDouble);
    return chosen;
}

}  // namespace tagpool
