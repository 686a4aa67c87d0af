// The kernels for every machine.
#define TAGPOOL_VARIANT base
#define TAGPOOL_VARIANT_NAME "portable"
#include "kernels.inl"

namespace tagpool {

#ifdef TAGPOOL_HAS_AVX2
namespace avx2 {
extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
}  // namespace avx2
namespace {
const bool kUseAvx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
template <>
const Kernels<float>& kernels<float>() {
    return kUseAvx2 ? avx2::kFloat : base::kFloat;
}
template <>
const Kernels<double>& kernels<double>() {
    return kUseAvx2 ? avx2::kDouble : base::kDouble;
}
#else
template <>
const Kernels<float>& kernels<float>() {
    return base::kFloat;
}
template <>
const Kernels<double>& kernels<double>() {
    return base::kDouble;
}
#endif

}  // namespace tagpool
