// Checked views of Arrow arrays: nulls, strings, integers and lists. They refer to the memory of a batch.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/abi.hpp"

namespace tagpool {

// Nulls: the rows of an array without a value.
class Nulls {
public:
    // `buffers` is the number of buffers that arrays of the type have at least. Throws InputFault for another structure.
    Nulls(const ArrowArray& array, int64_t buffers);

    int64_t length() const { return length_; }
    bool at(int64_t row) const {
        const int64_t bit = offset_ + row;
        return bits_ && !(bits_[bit >> 3] >> (bit & 7) & 1);
    }

private:
    const uint8_t* bits_;
    int64_t offset_, length_;
};

// TextArray: utf8, large_utf8, utf8_view, or a dictionary of one of them.
class TextArray {
public:
    TextArray(const ArrowSchema& schema, const ArrowArray& array);
    TextArray(const TextArray&) = delete;
    TextArray(TextArray&& other) noexcept
        : nulls_(other.nulls_), array_(other.array_), format_(other.format_), holder_(std::move(other.holder_)),
          values_(holder_.empty() ? nullptr : holder_.data()) {}

    int64_t length() const { return nulls_.length(); }
    bool is_null(int64_t row) const;
    // Throws InputFault for text that is not UTF-8 or damaged offsets.
    std::string_view at(int64_t row) const;
    // The number of strings of a dictionary, and the place of a row in it; without a dictionary 0.
    int64_t dictionary_size() const { return values_ ? values_->length() : 0; }
    int64_t index(int64_t row) const;
    std::string_view dictionary_text(int64_t place) const { return values_->at(place); }

private:
    std::string_view bytes_at(int64_t row) const;

    Nulls nulls_;
    const ArrowArray* array_;
    char format_;                    // u, U, v (utf8_view), or that of the indices
    std::vector<TextArray> holder_;  // of the dictionary: a vector, since the type is incomplete here
    const TextArray* values_ = nullptr;
};

// The integer of a row; uint64 values over 2^63 - 1 are negative, but distinct.
int64_t integer_at(const ArrowArray& array, char format, int64_t row);

// ListArray: the range of values of each row, checked against the number of values.
class ListArray {
public:
    ListArray(const ArrowSchema& schema, const ArrowArray& array);

    int64_t length() const { return nulls_.length(); }
    bool is_null(int64_t row) const { return nulls_.at(row); }
    std::pair<int64_t, int64_t> range(int64_t row) const;
    const ArrowArray& values() const { return *array_->children[0]; }

private:
    Nulls nulls_;
    const ArrowArray* array_;
    bool large_ = false, view_ = false;
    int64_t fixed_ = -1;  // length of every list of a fixed_size_list
};

}  // namespace tagpool
