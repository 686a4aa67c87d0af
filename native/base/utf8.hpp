// UTF-8 encoding of code points.
#pragma once
#include <string>

namespace tagpool {

inline void append_utf8(std::string& out, char32_t point) {
    const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    const auto put_continuation = [&](int shift) { put(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        put_continuation(0);
    } else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        put_continuation(6);
        put_continuation(0);
    } else {
        put(0xF0 | point >> 18);
        put_continuation(12);
        put_continuation(6);
        put_continuation(0);
    }
}

}  // namespace tagpool
