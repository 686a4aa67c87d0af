#include "online/sketches.hpp"

#ifdef TAGPOOL_HAS_AVX
#include <immintrin.h>
#endif

namespace tagpool {
namespace {

float add_portable(const unsigned char* data, size_t bytes, size_t stride, const uint32_t* numbers, size_t count, float* __restrict scores) {
    float scales = 0;
    for (size_t i = 0; i < count; ++i) {
        const unsigned char* const sketch = data + numbers[i] * bytes;
        const float scale = OnlineSketches::read_scale(sketch);
        scales += scale;
        const auto* const q = reinterpret_cast<const int8_t*>(sketch + sizeof(scale));
        for (size_t y = 0; y < stride; ++y) scores[y] += scale * static_cast<float>(q[y]);
    }
    return scales;
}

#ifdef TAGPOOL_HAS_AVX
// Sums stay in registers. Intrinsics, since compilers widen bytes in many small steps.
template <size_t kVectors>
[[gnu::target("avx2,fma")]] float add_avx2(const unsigned char* data, size_t bytes, size_t, const uint32_t* numbers, size_t count, float* scores) {
    __m256 sums[kVectors];
    for (size_t k = 0; k < kVectors; ++k) sums[k] = _mm256_loadu_ps(scores + k * 8);
    float scales = 0;
    for (size_t i = 0; i < count; ++i) {
        const unsigned char* const sketch = data + numbers[i] * bytes;
        const float scale = OnlineSketches::read_scale(sketch);
        scales += scale;
        const __m256 by = _mm256_set1_ps(scale);
        for (size_t k = 0; k < kVectors; ++k) {
            const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(sketch + sizeof(scale) + k * 8));
            sums[k] = _mm256_fmadd_ps(by, _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight)), sums[k]);
        }
    }
    for (size_t k = 0; k < kVectors; ++k) _mm256_storeu_ps(scores + k * 8, sums[k]);
    return scales;
}
#endif

}  // namespace

OnlineSketches::Add OnlineSketches::choose_add([[maybe_unused]] size_t stride) {
#ifdef TAGPOOL_HAS_AVX
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        switch (stride / 8) {
            case 1: return add_avx2<1>;
            case 2: return add_avx2<2>;
            case 3: return add_avx2<3>;
            case 4: return add_avx2<4>;
            case 5: return add_avx2<5>;
            case 6: return add_avx2<6>;
            case 7: return add_avx2<7>;
            case 8: return add_avx2<8>;
            default: break;
        }
    }
#endif
    return add_portable;
}

OnlineSketches::OnlineSketches(size_t stride, size_t head)
    : stride_(stride), head_(head), bytes_((head + sizeof(float) + stride + kUnit - 1) / kUnit * kUnit), add_(choose_add(stride)) {
    if (bytes_ > kUnit) bytes_ = (bytes_ + kLine - 1) / kLine * kLine;
}

}  // namespace tagpool
