// Compares the fallbacks for other compilers with the extensions of this one. Compiled with TAGPOOL_PORTABLE.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/parse_number.hpp"
#include "base/portable.hpp"
#include "base/random.hpp"

namespace {

void expect(bool holds, const char* what, const std::string& input) {
    if (holds) return;
    std::printf("%s differs for %s\n", what, input.c_str());
    std::exit(1);
}

void check_number(const std::string& text) {
    double ours = 0, theirs = 0;
    const size_t length = tagpool::parse_number(text, ours);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), theirs);
    const auto expected = error == std::errc() ? static_cast<size_t>(end - text.data()) : 0;
    expect(length == expected && (length == 0 || ours == theirs), "parse_number", text);
}

}  // namespace

int main() {
    tagpool::Random random(1);
    for (int i = 0; i < 100000; ++i) {
        const uint64_t a = random.next() >> random.below(64), b = random.next() >> random.below(64);
        const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
        const auto [low, high] = tagpool::multiply_wide(a, b);
        expect(low == static_cast<uint64_t>(product) && high == static_cast<uint64_t>(product >> 64), "multiply_wide", std::to_string(a));
        expect(tagpool::reverse_bytes(a) == __builtin_bswap64(a), "reverse_bytes", std::to_string(a));

        std::string text;
        for (size_t k = random.below(9); k > 0; --k) text += "0123456789.eE+-00"[random.below(17)];
        check_number(text);
    }
    for (const char* text : {"1e400", "-1e400", "1e-400", "4.9e-324", "0e-999", "1e-310", "1,5", " 1", "+1", "0x10"}) check_number(text);
}
