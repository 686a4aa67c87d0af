#include "base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/fault.hpp"

namespace tagpool {
namespace {

[[noreturn]] void fail(const std::string& what) { throw InputFault("bad JSON: " + what); }

void append_utf8(std::string& out, uint32_t point) {
    if (point < 0x80) {
        out.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
        out.push_back(static_cast<char>(0xC0 | point >> 6));
        out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    } else if (point < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | point >> 12));
        out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    } else {
        out.push_back(static_cast<char>(0xF0 | point >> 18));
        out.push_back(static_cast<char>(0x80 | (point >> 12 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (point >> 6 & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    }
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Json whole() {
        Json value = this->value(0);
        blanks();
        if (at_ != text_.size()) fail("something follows the value");
        return value;
    }

private:
    static constexpr int kDeepest = 64;  // a file must not use up the stack

    void blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
    }
    char peek() {
        blanks();
        if (at_ == text_.size()) fail("it ends too early");
        return text_[at_];
    }
    void expect(char c) {
        if (peek() != c) fail(std::string("expected ") + c);
        ++at_;
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool word(std::string_view expected) {
        if (text_.substr(at_, expected.size()) != expected) return false;
        at_ += expected.size();
        return true;
    }

    Json value(int depth) {
        if (depth > kDeepest) fail("it is nested too deeply");
        Json out;
        const char first = peek();
        if (first == '{') {
            out.kind = Json::Kind::object;
            ++at_;
            if (take('}')) return out;
            do {
                if (peek() != '"') fail("expected a name");
                std::string name = string();
                expect(':');
                out.members.emplace_back(std::move(name), value(depth + 1));
            } while (take(','));
            expect('}');
        } else if (first == '[') {
            out.kind = Json::Kind::array;
            ++at_;
            if (take(']')) return out;
            do out.items.push_back(value(depth + 1));
            while (take(','));
            expect(']');
        } else if (first == '"') {
            out.kind = Json::Kind::string;
            out.string = string();
        } else if (word("true")) {
            out.kind = Json::Kind::boolean;
            out.number = 1;
        } else if (word("false")) {
            out.kind = Json::Kind::boolean;
        } else if (!word("null")) {
            out.kind = Json::Kind::number;
            const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out.number);
            if (error != std::errc() || !std::isfinite(out.number)) fail("expected a value");
            at_ = static_cast<size_t>(end - text_.data());
        }
        return out;
    }

    uint32_t hex4() {
        uint32_t point = 0;
        if (at_ + 4 > text_.size()) fail("it ends too early");
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, point, 16);
        if (error != std::errc() || end != text_.data() + at_ + 4) fail("expected four hexadecimal digits");
        at_ += 4;
        return point;
    }

    std::string string() {
        std::string out;
        ++at_;
        for (;;) {
            if (at_ == text_.size()) fail("a string does not end");
            const char c = text_[at_++];
            if (c == '"') return out;
            if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
            if (c != '\\') {
                out.push_back(c);
                continue;
            }
            if (at_ == text_.size()) fail("a string does not end");
            switch (text_[at_++]) {
                case '"': out.push_back('"'); break;
                case '\\': out.push_back('\\'); break;
                case '/': out.push_back('/'); break;
                case 'b': out.push_back('\b'); break;
                case 'f': out.push_back('\f'); break;
                case 'n': out.push_back('\n'); break;
                case 'r': out.push_back('\r'); break;
                case 't': out.push_back('\t'); break;
                case 'u': {
                    uint32_t point = hex4();
                    if (point >= 0xD800 && point < 0xDC00) {
                        if (!word("\\u")) fail("half of a surrogate pair");
                        const uint32_t low = hex4();
                        if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair");
                        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
                    } else if (point >= 0xDC00 && point < 0xE000) {
                        fail("half of a surrogate pair");
                    }
                    append_utf8(out, point);
                    break;
                }
                default: fail("an unknown escape in a string");
            }
        }
    }

    std::string_view text_;
    size_t at_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text) { return Reader(text).whole(); }

const Json* Json::find(std::string_view key) const {
    for (const auto& [name, value] : as_object())
        if (name == key) return &value;
    return nullptr;
}

const Json& Json::at(std::string_view key) const {
    const Json* found = find(key);
    if (!found) fail("there is no \"" + std::string(key) + "\"");
    return *found;
}

const Json& Json::at(size_t index) const {
    if (index >= as_array().size()) fail("a list is too short");
    return items[index];
}

const std::string& Json::as_string() const {
    if (kind != Kind::string) fail("expected text");
    return string;
}

double Json::as_number() const {
    if (kind != Kind::number) fail("expected a number");
    return number;
}

int64_t Json::as_whole(int64_t low, int64_t high) const {
    const double value = as_number();
    if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) || value != std::floor(value))
        fail("expected a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return static_cast<int64_t>(value);
}

bool Json::as_bool() const {
    if (kind != Kind::boolean) fail("expected true or false");
    return number != 0;
}

const std::vector<Json>& Json::as_array() const {
    if (kind != Kind::array) fail("expected a list");
    return items;
}

const std::vector<std::pair<std::string, Json>>& Json::as_object() const {
    if (kind != Kind::object) fail("expected an object");
    return members;
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
