#include "arrow/arrays.hpp"

#include <charconv>
#include <cstring>
#include <limits>

#include "arrow/type.hpp"
#include "base/fault.hpp"
#include "base/utf8.hpp"

namespace tagpool {
namespace {

// Buffers need not be aligned to their type.
template <class T>
T load(const void* buffer, int64_t place) {
    T value;
    std::memcpy(&value, static_cast<const char*>(buffer) + static_cast<size_t>(place) * sizeof(T), sizeof(T));
    return value;
}

[[noreturn]] void refuse(const std::string& message) { throw InputFault("Arrow: damaged data: " + message); }

std::string_view expect_range(int64_t begin, int64_t end, const void* bytes) {
    if (begin < 0 || end < begin) refuse(concat("a string has the offsets ", begin, " to ", end));
    if (!bytes && end > begin) refuse("strings have no buffer");
    return {static_cast<const char*>(bytes) + begin, static_cast<size_t>(end - begin)};
}

}  // namespace

Nulls::Nulls(const ArrowArray& array, int64_t buffers) : bits_(nullptr), offset_(array.offset), length_(array.length) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 64;
    if (length_ < 0 || offset_ < 0 || length_ > kMost || offset_ > kMost)
        refuse(concat("an array has the length ", length_, " and the offset ", offset_));
    if (array.n_buffers < buffers || (buffers > 0 && !array.buffers))
        refuse(concat("an array has ", array.n_buffers, " buffers, expected ", buffers));
    if (array.n_buffers > 0 && array.buffers && array.null_count != 0) bits_ = static_cast<const uint8_t*>(array.buffers[0]);
    if (array.null_count > 0 && !bits_) refuse("an array has nulls, but no buffer of them");
}

TextArray::TextArray(const ArrowSchema& schema, const ArrowArray& array)
    : nulls_(array, schema.dictionary ? 2 : 3), array_(&array), format_(schema.format[0]) {
    if (schema.dictionary) {
        if (!array.dictionary || !array.dictionary->release) refuse("a dictionary is missing");
        holder_.emplace_back(*schema.dictionary, *array.dictionary);
        values_ = holder_.data();
    }
    if (length() > 0 && !array.buffers[1]) refuse("an array has no values");
}

bool TextArray::is_null(int64_t row) const { return nulls_.at(row) || (values_ && values_->is_null(index(row))); }

int64_t TextArray::index(int64_t row) const {
    if (!values_) return 0;
    const int64_t place = integer_at(*array_, format_, row);
    if (place < 0 || place >= values_->length())
        refuse(concat("row ", row + 1, " has the index ", place, " of a dictionary of ", values_->length(), " strings"));
    return place;
}

std::string_view TextArray::bytes_at(int64_t row) const {
    const int64_t place = array_->offset + row;
    const void* const offsets = array_->buffers[1];
    if (format_ == 'u') return expect_range(load<int32_t>(offsets, place), load<int32_t>(offsets, place + 1), array_->buffers[2]);
    if (format_ == 'U') return expect_range(load<int64_t>(offsets, place), load<int64_t>(offsets, place + 1), array_->buffers[2]);
    // A view has 16 bytes: its length, and the bytes themselves up to 12, else a prefix, the number of a buffer and an offset.
    // The last buffer has the sizes of the others.
    const char* const view = static_cast<const char*>(offsets) + static_cast<size_t>(place) * 16;
    const auto size = load<int32_t>(view, 0);
    if (size < 0) refuse(concat("a string has the length ", size));
    if (size <= 12) return {view + 4, static_cast<size_t>(size)};
    const auto buffer = load<int32_t>(view, 2), offset = load<int32_t>(view, 3);
    const int64_t count = array_->n_buffers - 3;
    if (buffer < 0 || buffer >= count || !array_->buffers[buffer + 2]) refuse(concat("a string is in buffer ", buffer, " of ", count));
    const void* const sizes = array_->buffers[array_->n_buffers - 1];
    if (offset < 0 || !sizes || int64_t{offset} + size > load<int64_t>(sizes, buffer)) refuse("a string ends after its buffer");
    return expect_range(offset, int64_t{offset} + size, array_->buffers[buffer + 2]);
}

std::string_view TextArray::at(int64_t row) const {
    if (values_) return values_->at(index(row));
    const std::string_view text = bytes_at(row);
    if (find_invalid_utf8(text) != std::string_view::npos) throw InputFault("a string is not valid UTF-8");
    return text;
}

int64_t integer_at(const ArrowArray& array, char format, int64_t row) {
    const void* const values = array.buffers[1];
    const int64_t place = array.offset + row;
    switch (format) {
        case 'c': return load<int8_t>(values, place);
        case 'C': return load<uint8_t>(values, place);
        case 's': return load<int16_t>(values, place);
        case 'S': return load<uint16_t>(values, place);
        case 'i': return load<int32_t>(values, place);
        case 'I': return load<uint32_t>(values, place);
        default: return load<int64_t>(values, place);
    }
}

ListArray::ListArray(const ArrowSchema& schema, const ArrowArray& array)
    : nulls_(array, schema.format[1] == 'w'   ? 1
                    : schema.format[1] == 'v' ? 3
                                              : 2),
      array_(&array) {
    const std::string_view format = schema.format;
    view_ = format[1] == 'v';
    large_ = format.back() == 'L';
    if (array.n_children != 1 || !array.children || !array.children[0] || !array.children[0]->release) refuse("a list has no values");
    if (format[1] == 'w') {
        const std::string_view digits = format.substr(3);
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), fixed_);
        if (parsed.ec != std::errc() || fixed_ < 0 || fixed_ > std::numeric_limits<int32_t>::max()) refuse(concat("a list has the type ", format));
    } else if (length() > 0 && (!array.buffers[1] || (view_ && !array.buffers[2]))) {
        refuse("a list has no offsets");
    }
}

std::pair<int64_t, int64_t> ListArray::range(int64_t row) const {
    const int64_t place = array_->offset + row;
    const auto number = [&](int buffer, int64_t at) {
        return large_ ? load<int64_t>(array_->buffers[buffer], at) : load<int32_t>(array_->buffers[buffer], at);
    };
    int64_t begin, size;
    if (fixed_ >= 0) {
        begin = fixed_ > 0 && place > std::numeric_limits<int64_t>::max() / fixed_ ? -1 : place * fixed_;
        size = fixed_;
    } else {
        begin = number(1, place);
        size = view_ ? number(2, place) : number(1, place + 1);
        if (!view_) size = begin < 0 || size < begin ? -1 : size - begin;
    }
    const int64_t count = array_->children[0]->length;
    if (begin < 0 || size < 0 || begin > count || size > count - begin)
        refuse(concat("row ", row + 1, " of a list ends after its ", count, " values"));
    return {begin, begin + size};
}

}  // namespace tagpool
