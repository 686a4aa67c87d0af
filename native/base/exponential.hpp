// Exponential and logarithm in float64. Unlike those of the C library, they vectorize and give the same bits on every system,
// so that seeded samples are reproducible.
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

namespace tagpool {

// ln 2 in two parts; products of the high part with small integers are exact.
constexpr double kLogTwoHigh = 6.93147180369123816490e-01;
constexpr double kLogTwoLow = 1.90821492927058770002e-10;

// e^x for x ≤ 700, within 1 ulp; 0 below -708, where the result would be subnormal.
// x = n·ln 2 + r with |r| ≤ ½ ln 2; e^r by its series, 2^n by its bits.
inline double exponential(double x) {
    constexpr double kLowest = -708.0, kOverLogTwo = 1.4426950408889634;
    constexpr double kRound = 6755399441055744.0;  // 1.5·2^52: adding it leaves the nearest integer in the low bits
    const double y = x < kLowest ? kLowest : x;
    const double shifted = y * kOverLogTwo + kRound;
    const double n = shifted - kRound;
    const double r = (y - n * kLogTwoHigh) - n * kLogTwoLow;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = (p * r) * r + r + 1.0;
    const double power = std::bit_cast<double>((std::bit_cast<uint64_t>(shifted) + 1023) << 52);
    return x < kLowest ? 0.0 : p * power;
}

// ln x for x ≥ 0, within 1 ulp; -inf for 0 and subnormal numbers.
// x = 2^k·(1 + f) with √½ ≤ 1 + f < √2; ln(1 + f) = 2·artanh(s), s = f/(2 + f), by the minimax polynomial of fdlibm
// (Sun Microsystems 1993).
[[gnu::always_inline]] inline double logarithm(double x) {
    if (x < std::numeric_limits<double>::min()) return -std::numeric_limits<double>::infinity();
    constexpr uint64_t kOne = 0x3FF0000000000000ULL, kRootHalf = 0x3FE6A09E667F3BCDULL, kMantissa = 0x000FFFFFFFFFFFFFULL;
    const uint64_t bits = std::bit_cast<uint64_t>(x) + (kOne - kRootHalf);
    const double k = static_cast<double>(static_cast<int64_t>(bits >> 52) - 1023);
    const double f = std::bit_cast<double>((bits & kMantissa) + kRootHalf) - 1.0;
    const double s = f / (2.0 + f), z = s * s, half_square = 0.5 * f * f;
    double p = 1.479819860511658591e-01;
    p = p * z + 1.531383769920937332e-01;
    p = p * z + 1.818357216161805012e-01;
    p = p * z + 2.222219843214978396e-01;
    p = p * z + 2.857142874366239149e-01;
    p = p * z + 3.999999999940941908e-01;
    p = p * z + 6.666666666666735130e-01;
    const double rest = p * z;
    return k * kLogTwoHigh - ((half_square - (s * (half_square + rest) + k * kLogTwoLow)) - f);
}

}  // namespace tagpool
