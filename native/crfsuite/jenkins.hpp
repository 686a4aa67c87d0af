// Jenkins's hash of 2006 ("lookup3"), 32 bits, as CRFsuite's dictionaries use it: of a text with its final NUL.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/little_endian.hpp"

namespace tagpool {

// Zeros that must follow a text: the NUL, which is hashed, and padding of the last three words.
constexpr size_t kJenkinsPadding = 13;

inline uint32_t jenkins_hash(const char* text, size_t size) {
    size_t left = size + 1;
    uint32_t a, b, c;
    a = b = c = 0xdeadbeef + static_cast<uint32_t>(left);
    const auto mix = [](uint32_t& x, uint32_t y, uint32_t& z, int turn) {
        x = (x - z) ^ std::rotl(z, turn);
        z += y;
    };
    // Each round takes three words. The last one has 1 to 12 bytes of text, then zeros.
    for (; left > 12; left -= 12, text += 12) {
        a += read_u32(text);
        b += read_u32(text + 4);
        c += read_u32(text + 8);
        mix(a, b, c, 4);
        mix(b, c, a, 6);
        mix(c, a, b, 8);
        mix(a, b, c, 16);
        mix(b, c, a, 19);
        mix(c, a, b, 4);
    }
    a += read_u32(text);
    b += read_u32(text + 4);
    c += read_u32(text + 8);
    const auto cross = [](uint32_t& x, uint32_t y, int turn) { x = (x ^ y) - std::rotl(y, turn); };
    cross(c, b, 14);
    cross(a, c, 11);
    cross(b, a, 25);
    cross(c, b, 16);
    cross(a, c, 4);
    cross(b, a, 14);
    cross(c, b, 24);
    return c;
}

}  // namespace tagpool
