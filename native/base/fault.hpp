// InputFault: the only error that the core throws for bad input, with its line (0: no line).
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tagpool {

class InputFault : public std::runtime_error {
public:
    explicit InputFault(const std::string& message, size_t line_number = 0) : std::runtime_error(message), line(line_number) {}
    size_t line;
};

// Joins texts and numbers.
template <class... Parts>
std::string concat(const Parts&... parts) {
    std::string out;
    const auto append = [&out](const auto& part) {
        using Part = std::decay_t<decltype(part)>;
        if constexpr (std::is_arithmetic_v<Part> && !std::is_same_v<Part, char>) out += std::to_string(part);
        else out += part;
    };
    (append(parts), ...);
    return out;
}

// A number and the form of a noun for it: 1 token, 2 tokens.
inline std::string counted(size_t count, const char* noun) { return concat(count, " ", noun, count == 1 ? "" : "s"); }

// Throws InputFault if the sizes differ; content names what was counted.
inline void expect_size(size_t size, size_t expected, const char* content) {
    if (size != expected) throw InputFault(concat(content, ": expected ", expected, ", got ", size));
}

}  // namespace tagpool
