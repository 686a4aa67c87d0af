// InputFault: the only error that the core throws for bad input, with its line (0: no line).
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>

namespace tagpool {

class InputFault : public std::runtime_error {
public:
    explicit InputFault(const std::string& message, size_t line_number = 0) : std::runtime_error(message), line(line_number) {}
    size_t line;
};

}  // namespace tagpool
