// Json: a parsed JSON value as a tree; numbers are doubles.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tagpool {

class Json {
public:
    enum class Kind { null, boolean, number, string, array, object };
    Json() noexcept;  // defined where Json is complete: a default constructor here does not compile with Clang 14

    // Throws InputFault unless the text is one JSON value.
    static Json parse(std::string_view text);

    Kind kind = Kind::null;
    double number = 0;  // a boolean is 0 or 1
    std::string string;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;

    // Access to a value; throws InputFault if it has another kind or lacks the part. `find` returns null for a missing key.
    const Json& at(std::string_view key) const;
    const Json* find(std::string_view key) const;
    const Json& at(size_t index) const;
    const std::string& as_string() const { return expect(Kind::string, "a string").string; }
    double as_number() const { return expect(Kind::number, "a number").number; }
    // An integer from `low` to `high`.
    int64_t as_integer(int64_t low, int64_t high) const;
    bool as_bool() const { return expect(Kind::boolean, "true or false").number != 0; }
    const std::vector<Json>& as_array() const { return expect(Kind::array, "a list").items; }
    const std::vector<std::pair<std::string, Json>>& as_object() const { return expect(Kind::object, "an object").members; }

private:
    const Json& expect(Kind expected, const char* description) const;
};

// Appends text as a JSON string with its quotes; UTF-8 is not escaped.
void append_quoted(std::string& out, std::string_view text);

}  // namespace tagpool
