// Half precision (IEEE 754 binary16), used in files only.
#pragma once
#include <bit>
#include <cstdint>

namespace tagpool {

inline float from_half(uint16_t half) {
    const uint32_t sign = uint32_t{half & 0x8000u} << 16, exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
    if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float subnormal = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -subnormal : subnormal;
}

// Rounds to nearest, ties to even; saturates at the largest finite number.
inline uint16_t to_half(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
    const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFFu);
    if (!(magnitude < 65520.0f)) return static_cast<uint16_t>(sign | 0x7BFFu);
    if (magnitude < 0x1p-14f) {
        // Subnormal: the last bit of 0.5f is 2^-24, so adding 0.5 leaves the rounded fraction in the low bits.
        const float shifted = magnitude + 0.5f;
        return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f)));
    }
    const uint32_t rounded = (bits & 0x7FFFFFFFu) + 0xFFFu + (bits >> 13 & 1u);
    return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

}  // namespace tagpool
