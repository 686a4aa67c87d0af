#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/fault.hpp"
#include "base/parse_number.hpp"
#include "base/utf8.hpp"

namespace tagpool {
namespace {

[[noreturn]] void fail(const std::string& problem) { throw InputFault("bad JSON: " + problem); }

class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    Json document() {
        Json value = this->value(0);
        skip_blanks();
        if (position_ != text_.size()) fail("expected the end of the text");
        return value;
    }

private:
    void skip_blanks() {
        while (position_ < text_.size() &&
               (text_[position_] == ' ' || text_[position_] == '\n' || text_[position_] == '\t' || text_[position_] == '\r'))
            ++position_;
    }
    char peek() {
        skip_blanks();
        if (position_ == text_.size()) fail("unexpected end of the text");
        return text_[position_];
    }
    void expect(char c) {
        if (peek() != c) fail(std::string("expected ") + c);
        ++position_;
    }
    bool consume(char c) {
        if (peek() != c) return false;
        ++position_;
        return true;
    }
    bool consume(std::string_view expected) {
        if (text_.substr(position_, expected.size()) != expected) return false;
        position_ += expected.size();
        return true;
    }

    Json value(size_t depth) {
        if (depth > Json::kMaxDepth) fail("nested more than 64 levels deep");
        if (++values_ > Json::kMaxValues) fail(concat("more than ", Json::kMaxValues, " values"));
        const char first = peek();
        if (first == '{') return {members(depth)};
        if (first == '[') return {items(depth)};
        if (first == '"') return {string()};
        if (consume("true")) return {true};
        if (consume("false")) return {false};
        if (consume("null")) return {nullptr};
        double number = 0;
        const size_t length = parse_number(text_.substr(position_), number);
        if (length == 0 || !std::isfinite(number)) fail("expected a value");
        position_ += length;
        return {number};
    }

    Json::Members members(size_t depth) {
        Json::Members out;
        ++position_;
        if (consume('}')) return out;
        do {
            if (peek() != '"') fail("expected a name");
            std::string name = string();
            expect(':');
            out.push_back({std::move(name), value(depth + 1)});
        } while (consume(','));
        expect('}');
        return out;
    }

    Json::Items items(size_t depth) {
        Json::Items out;
        ++position_;
        if (consume(']')) return out;
        do out.push_back(value(depth + 1));
        while (consume(','));
        expect(']');
        return out;
    }

    uint32_t hex4() {
        uint32_t point = 0;
        if (position_ + 4 > text_.size()) fail("unexpected end of the text");
        const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + position_ + 4, point, 16);
        if (error != std::errc() || end != text_.data() + position_ + 4) fail("expected four hexadecimal digits");
        position_ += 4;
        return point;
    }

    std::string string() {
        std::string out;
        ++position_;
        size_t end = position_;
        while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
        out.reserve(std::min(end, text_.size()) - position_);  // growing would need three times the memory
        for (;;) {
            const char c = next_in_string();
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
            if (c == '\\') append_escape(out);
            else out.push_back(c);
        }
    }

    char next_in_string() {
        if (position_ == text_.size()) fail("a string does not end");
        return text_[position_++];
    }

    // Appends the character of an escape sequence, of which the backslash is read.
    void append_escape(std::string& out) {
        constexpr std::string_view kEscapes = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
        const char c = next_in_string();
        if (c == 'u') return append_utf8(out, code_point());
        const size_t escape = kEscapes.find(c);
        if (escape == std::string_view::npos) fail("an unknown escape in a string");
        out.push_back(kCharacters[escape]);
    }

    char32_t code_point() {
        const uint32_t point = hex4();
        if (point < 0xD800 || point > 0xDFFF) return point;
        if (point > 0xDBFF || !consume("\\u")) fail("half of a surrogate pair");
        const uint32_t low = hex4();
        if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
        return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }

    std::string_view text_;
    size_t position_ = 0, values_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text) { return JsonReader(text).document(); }

const Json* Json::find(std::string_view key) const {
    for (const auto& [name, member] : as_object())
        if (name == key) return &member;
    return nullptr;
}

const Json& Json::at(std::string_view key) const {
    const Json* const member = find(key);
    if (!member) fail("the key \"" + std::string(key) + "\" is missing");
    return *member;
}

const Json& Json::at(size_t index) const {
    if (index >= as_array().size()) fail(concat("expected a list of at least ", index + 1, " items, got ", as_array().size()));
    return as_array()[index];
}

void Json::fail_type(const char* description) { fail(std::string("expected ") + description); }

int64_t Json::as_integer(int64_t low, int64_t high) const {
    const double number = as_number();
    if (!(number >= static_cast<double>(low) && number <= static_cast<double>(high)) || number != std::floor(number))
        fail(concat("expected an integer from ", low, " to ", high));
    return static_cast<int64_t>(number);
}

void append_quoted(std::string& out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out.push_back('"');
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (byte < 0x20) {
            out += "\\u00";
            out.push_back(kHex[byte >> 4]);
            out.push_back(kHex[byte & 15]);
        } else {
            out.push_back(c);
        }
    }
    out.push_back('"');
}

}  // namespace tagpool
