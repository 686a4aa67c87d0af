// DecodedWord: the characters of a word and their classes, without allocation for words of up to 48 bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace tagpool {

class DecodedWord {
public:
    explicit DecodedWord(std::string_view text) {
        if (text.size() > kShort) {
            long_points_.resize(text.size());
            long_classes_.resize(text.size());
        }
        char32_t* const point_data = long_points_.empty() ? short_points_ : long_points_.data();
        uint8_t* const class_data = long_classes_.empty() ? short_classes_ : long_classes_.data();
        Characters characters(text);
        size_t count = 0;
        for (char32_t c; characters.next(c); ++count) {
            point_data[count] = c;
            class_data[count] = character_class(c);
        }
        points = {point_data, count};
        classes = {class_data, count};
    }
    DecodedWord(const DecodedWord&) = delete;
    size_t size() const { return points.size(); }
    bool is(size_t i, uint8_t mask) const { return (classes[i] & mask) != 0; }
    size_t count(uint8_t mask) const {
        return static_cast<size_t>(std::count_if(classes.begin(), classes.end(), [&](uint8_t c) { return c & mask; }));
    }
    size_t count_point(char32_t point) const { return static_cast<size_t>(std::count(points.begin(), points.end(), point)); }
    std::string slice(size_t begin, size_t end) const {
        std::string out;
        for (size_t i = begin; i < end; ++i) append_utf8(out, points[i]);
        return out;
    }

    std::u32string_view points;
    std::span<const uint8_t> classes;

private:
    static constexpr size_t kShort = 48;  // bytes
    char32_t short_points_[kShort];
    uint8_t short_classes_[kShort];
    std::vector<char32_t> long_points_;
    std::vector<uint8_t> long_classes_;
};

}  // namespace tagpool
