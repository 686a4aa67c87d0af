// Numbers in texts, independent of the locale.
#pragma once
#include <charconv>
#include <cstddef>
#include <string_view>
#include <version>

#if !defined(__cpp_lib_to_chars) || defined(TAGPOOL_PORTABLE)  // some standard libraries have std::from_chars for integers only
#define TAGPOOL_STREAMS_PARSE_NUMBERS
#include <locale>
#include <sstream>
#include <string>
#endif

namespace tagpool {

// Reads the number at the beginning of a text. Returns its length; 0 without a number, or for one too large or too small for a double.
inline size_t parse_number(std::string_view text, double& number) {
#ifdef TAGPOOL_STREAMS_PARSE_NUMBERS
    size_t end = 0, mantissa = 0;
    bool zero = true;
    const auto read_digits = [&](bool of_exponent) {
        const size_t begin = end;
        for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end) zero = zero && (of_exponent || text[end] == '0');
        return end - begin;
    };
    if (text.starts_with('-')) ++end;
    mantissa = read_digits(false);
    if (end < text.size() && text[end] == '.') {
        ++end;
        mantissa += read_digits(false);
    }
    if (mantissa == 0) return 0;
    if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        const size_t before = end++;
        if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
        if (read_digits(true) == 0) end = before;
    }
    std::istringstream stream{std::string(text.substr(0, end))};
    stream.imbue(std::locale::classic());
    return stream >> number && (zero || number != 0) ? end : 0;
#else
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? static_cast<size_t>(end - text.data()) : 0;
#endif
}

}  // namespace tagpool
