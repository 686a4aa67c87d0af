// Numbers as CRFsuite's files have them: little-endian, at any place.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace tagpool {

inline uint32_t read_u32(const char* at) {
    uint32_t value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
    return value;
}

inline double read_f64(const char* at) {
    uint64_t bits;
    std::memcpy(&bits, at, sizeof bits);
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
    return std::bit_cast<double>(bits);
}

inline void write_u32(char* at, uint32_t value) {
    if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
    std::memcpy(at, &value, sizeof value);
}

inline void append_u32(std::string& out, uint32_t value) {
    char bytes[4];
    write_u32(bytes, value);
    out.append(bytes, 4);
}

inline void append_f64(std::string& out, double value) {
    auto bits = std::bit_cast<uint64_t>(value);
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap64(bits);
    out.append(reinterpret_cast<const char*>(&bits), 8);
}

}  // namespace tagpool
