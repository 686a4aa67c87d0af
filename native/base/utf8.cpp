#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace tagpool {
namespace {

// The length of the character at p if it is valid, else 0.
size_t valid_length(const unsigned char* p, size_t available) {
    const unsigned char a = p[0];
    if (a < 0x80) return 1;
    const size_t length = a < 0xC2 ? 0 : a < 0xE0 ? 2 : a < 0xF0 ? 3 : a < 0xF5 ? 4 : 0;
    if (length > available || !std::all_of(p + 1, p + std::max<size_t>(length, 1), is_continuation)) return 0;
    if ((a == 0xE0 && p[1] < 0xA0) || (a == 0xF0 && p[1] < 0x90)) return 0;  // overlong
    if ((a == 0xED && p[1] > 0x9F) || (a == 0xF4 && p[1] > 0x8F)) return 0;  // surrogates; beyond U+10FFFF
    return length;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
    const unsigned char* p = reinterpret_cast<const unsigned char*>(text.data());
    size_t i = 0;
    while (i < text.size()) {
        // Fast path: eight ASCII bytes at a time.
        uint64_t block;
        if (text.size() - i >= 8 && (std::memcpy(&block, p + i, 8), (block & 0x8080808080808080ULL) == 0)) {
            i += 8;
            continue;
        }
        const size_t length = valid_length(p + i, text.size() - i);
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

}  // namespace tagpool
