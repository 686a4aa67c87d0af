// UTF-8: validation, and encoding of code points.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tagpool {

inline bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The position of the first byte that is not valid UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

inline void append_utf8(std::string& out, char32_t point) {
    if (point < 0x80) return out.push_back(static_cast<char>(point));
    const int following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;                         // number of continuation bytes
    out.push_back(static_cast<char>((0x780u >> following & 0xFFu) | point >> 6 * following));  // the first byte: 0xC0, 0xE0 or 0xF0
    for (int shift = 6 * (following - 1); shift >= 0; shift -= 6) out.push_back(static_cast<char>(0x80 | (point >> shift & 0x3F)));
}

}  // namespace tagpool
