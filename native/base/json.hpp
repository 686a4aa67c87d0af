// JSON: the little of it that model files need. A value is read whole into a tree; numbers are doubles.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tagpool {

class Json {
public:
    enum class Kind { null, boolean, number, string, array, object };

    // Throws InputFault for anything that is not one JSON value.
    static Json parse(std::string_view text);

    Kind kind = Kind::null;
    double number = 0;  // also of a boolean: 0 or 1
    std::string string;
    std::vector<Json> items;
    std::vector<std::pair<std::string, Json>> members;

    // The parts of a value; throw InputFault where the value is of another kind or has no such part.
    const Json& at(std::string_view key) const;
    const Json* find(std::string_view key) const;
    const Json& at(size_t index) const;
    const std::string& as_string() const;
    double as_number() const;
    // A whole number in these bounds.
    int64_t as_whole(int64_t low, int64_t high) const;
    bool as_bool() const;
    const std::vector<Json>& as_array() const;
    const std::vector<std::pair<std::string, Json>>& as_object() const;
};

// Text as a JSON string, quotes included; UTF-8 stays as it is.
void append_quoted(std::string& out, std::string_view text);

}  // namespace tagpool
