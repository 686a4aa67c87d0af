#include "online/conjunctions.hpp"

#include <array>
#include <bit>

#ifdef TAGPOOL_HAS_AVX
#include <immintrin.h>
#endif

namespace tagpool {
namespace {

// Branch-free, since the result of may_have is unpredictable.
uint32_t* join_portable(const ConjunctionSet& view, uint32_t one, const uint32_t* others, size_t count, uint32_t* out) {
    for (size_t i = 0; i < count; ++i) {
        const uint32_t slot = view.slot(one, others[i]);
        *out = slot;
        out += view.may_have(slot);
    }
    return out;
}

uint32_t* join_all_portable(const ConjunctionSet& view, const uint32_t* hashes, size_t count, uint32_t* out) {
    for (size_t i = 0; i + 1 < count; ++i) out = join_portable(view, hashes[i], hashes + i + 1, count - i - 1, out);
    return out;
}

#ifdef TAGPOOL_HAS_AVX
constexpr size_t kWide = 8;

// For each mask of eight bits, the positions of its bits.
constexpr auto kPositions = [] {
    std::array<std::array<uint8_t, kWide>, 256> places{};
    for (size_t bits = 0; bits < places.size(); ++bits) {
        size_t count = 0;
        for (uint8_t place = 0; place < kWide; ++place)
            if (bits >> place & 1) places[bits][count++] = place;
    }
    return places;
}();

// Mask of the first `left` of eight numbers.
[[gnu::target("avx2"), gnu::always_inline]] inline __m256i first_lanes(size_t left) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(left)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline uint32_t* join_eight(const ConjunctionSet& view, __m256i one, __m256i slots, __m128i shift,
                                                                               const uint32_t* others, __m256i is_there, uint32_t* out) {
    const __m256i low = _mm256_set1_epi32(31);
    const __m256i hashes = _mm256_xor_si256(_mm256_maskload_epi32(reinterpret_cast<const int*>(others), is_there), one);
    const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(hashes, slots), 32), odd = _mm256_mul_epu32(_mm256_srli_epi64(hashes, 32), slots);
    const __m256i joined = _mm256_blend_epi32(even, odd, 0xAA), places = _mm256_srl_epi32(joined, shift);
    const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(view.bits), _mm256_srli_epi32(places, 5), 4);
    // Move the bit of each conjunction to the sign of its word.
    const __m256i signs = _mm256_and_si256(_mm256_sllv_epi32(words, _mm256_sub_epi32(low, _mm256_and_si256(places, low))), is_there);
    const auto selected = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(signs)));
    const __m128i order = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPositions[selected].data()));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_permutevar8x32_epi32(joined, _mm256_cvtepu8_epi32(order)));
    return out + std::popcount(selected);
}

[[gnu::target("avx2,popcnt"), gnu::always_inline]] inline uint32_t* join_avx2_loop(const ConjunctionSet& view, __m256i slots, __m128i shift,
                                                                                   uint32_t one, const uint32_t* others, size_t count,
                                                                                   uint32_t* out) {
    const __m256i hash = _mm256_set1_epi32(static_cast<int>(one));
    size_t i = 0;
    for (; i + kWide <= count; i += kWide) out = join_eight(view, hash, slots, shift, others + i, _mm256_set1_epi32(-1), out);
    if (i < count) out = join_eight(view, hash, slots, shift, others + i, first_lanes(count - i), out);
    return out;
}

[[gnu::target("avx2,popcnt")]] uint32_t* join_avx2(const ConjunctionSet& view, uint32_t one, const uint32_t* others, size_t count, uint32_t* out) {
    const __m256i slots = _mm256_set1_epi32(static_cast<int>(view.slots));
    return join_avx2_loop(view, slots, _mm_cvtsi32_si128(static_cast<int>(view.shift)), one, others, count, out);
}

[[gnu::target("avx2,popcnt")]] uint32_t* join_all_avx2(const ConjunctionSet& view, const uint32_t* hashes, size_t count, uint32_t* out) {
    const __m256i slots = _mm256_set1_epi32(static_cast<int>(view.slots));
    const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(view.shift));
    for (size_t i = 0; i + 1 < count; ++i) out = join_avx2_loop(view, slots, shift, hashes[i], hashes + i + 1, count - i - 1, out);
    return out;
}
#endif

}  // namespace

ConjunctionSet::Joining ConjunctionSet::joining() {
#ifdef TAGPOOL_HAS_AVX
    __builtin_cpu_init();  // static initialisation, before main
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt")) return {join_avx2, join_all_avx2};
#endif
    return {join_portable, join_all_portable};
}

const ConjunctionSet::Joining ConjunctionSet::joining_ = joining();

}  // namespace tagpool
