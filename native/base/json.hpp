// Json: a parsed JSON value as a tree; numbers are doubles.
//
// The text may be hostile: depth and number of values are limited, so that the tree takes at most 64 MB beside the texts of its strings.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tagpool {

class Json {
public:
    using Items = std::vector<Json>;
    struct Member;
    using Members = std::vector<Member>;
    static constexpr size_t kMaxDepth = 64, kMaxValues = size_t{1} << 19;

    // Throws InputFault unless the text is one JSON value within the limits.
    static Json parse(std::string_view text);

    std::variant<std::nullptr_t, bool, double, std::string, Items, Members> value;

    // Access to a value; throws InputFault if it has another type or lacks the part. `find` returns null for a missing key.
    const Json& at(std::string_view key) const;
    const Json* find(std::string_view key) const;
    const Json& at(size_t index) const;
    const std::string& as_string() const { return expect<std::string>("a string"); }
    double as_number() const { return expect<double>("a number"); }
    // An integer from `low` to `high`.
    int64_t as_integer(int64_t low, int64_t high) const;
    bool as_bool() const { return expect<bool>("true or false"); }
    const Items& as_array() const { return expect<Items>("a list"); }
    const Members& as_object() const { return expect<Members>("an object"); }

private:
    template <class Type>
    const Type& expect(const char* description) const {
        const Type* const typed = std::get_if<Type>(&value);
        if (!typed) fail_type(description);
        return *typed;
    }
    [[noreturn]] static void fail_type(const char* description);
};

struct Json::Member {
    std::string name;
    Json value;
};

// Appends text as a JSON string with its quotes; UTF-8 is not escaped.
void append_quoted(std::string& out, std::string_view text);

}  // namespace tagpool
