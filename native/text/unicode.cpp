#include "text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

namespace tagpool {
namespace {

constexpr uint8_t kAlternating = 64;  // capital and small letters in turn

struct ClassRun {
    uint32_t first;
    uint8_t flags;
};
struct LowerRun {
    uint32_t first, last, step;
    int32_t delta;
};

#include "text/unicode_tables.inc"

// The first run that begins after a code point.
template <class Run, size_t kCount>
const Run* run_after(const Run (&runs)[kCount], char32_t point) {
    return std::upper_bound(runs, runs + kCount, point, [](char32_t value, const Run& run) { return value < run.first; });
}

uint8_t class_from_runs(char32_t point) {
    const ClassRun& run = *std::prev(run_after(kClassRuns, point));
    if (run.flags != kAlternating) return run.flags;
    return (point - run.first) % 2 ? kLower | kLetter : kUpper | kLetter;
}

const std::array<uint8_t, 128> kAscii = [] {
    std::array<uint8_t, 128> table{};
    for (char32_t c = 0; c < 128; ++c) table[c] = class_from_runs(c);
    return table;
}();

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

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

uint8_t character_class(char32_t point) { return point < 128 ? kAscii[point] : class_from_runs(point); }

char32_t to_lower(char32_t point) {
    if (point < 128) return point >= 'A' && point <= 'Z' ? point + 32 : point;
    const LowerRun* const after = run_after(kLowerRuns, point);
    if (after == kLowerRuns) return point;
    const LowerRun& run = *std::prev(after);
    if (point > run.last || (point - run.first) % run.step != 0) return point;
    return static_cast<char32_t>(static_cast<int64_t>(point) + run.delta);
}

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

std::string_view take_characters(std::string_view text, size_t count) {
    size_t i = 0;
    while (i < text.size() && count > 0) {
        ++i;
        while (i < text.size() && is_continuation(static_cast<unsigned char>(text[i]))) ++i;
        --count;
    }
    return text.substr(0, i);
}

bool Characters::next(char32_t& point) {
    if (p_ == end_) return false;
    point = static_cast<unsigned char>(*p_++);
    if (point < 0x80) return true;
    const int following = point < 0xE0 ? 1 : point < 0xF0 ? 2 : 3;  // number of continuation bytes
    point &= 0x3Fu >> following;
    for (int i = 0; i < following; ++i) point = point << 6 | (static_cast<unsigned char>(*p_++) & 0x3Fu);
    return true;
}

}  // namespace tagpool
