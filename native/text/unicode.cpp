#include "text/unicode.hpp"

#include <algorithm>
#include <array>
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
