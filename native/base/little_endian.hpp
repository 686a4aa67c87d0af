// Unaligned little-endian numbers in the files of CRFsuite. The machine is little-endian, too (base/hash.hpp checks it).
#pragma once
#include <cstdint>
#include <cstring>
#include <string>

namespace tagpool {

inline uint32_t read_u32(const char* from) {
    uint32_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline double read_f64(const char* from) {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline void write_u32(char* to, uint32_t value) { std::memcpy(to, &value, sizeof value); }

inline void append_u32(std::string& out, uint32_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }

inline void append_f64(std::string& out, double value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); }

}  // namespace tagpool
