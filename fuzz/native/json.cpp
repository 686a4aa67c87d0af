// JSON of file headers and metadata.
#include "base/json.hpp"

#include "base/fault.hpp"
#include "harness.hpp"

namespace {

using namespace tagpool;

// Calls a function that throws InputFault for values of another kind.
template <class Access>
void try_access(Access&& access) {
    try {
        access();
    } catch (const InputFault&) {
    }
}

void check(std::string_view input) {
    const Json value = Json::parse(input);
    try_access([&] { value.as_integer(-5, 1000); });
    try_access([&] { value.as_bool(); });
    try_access([&] {
        std::string quoted;
        append_quoted(quoted, value.as_string());
        fuzz::require(Json::parse(quoted).as_string() == value.as_string(), "a quoted string is read back");
    });
    try_access([&] {
        for (size_t i = 0; i < value.as_array().size(); ++i) value.at(i);
    });
    try_access([&] {
        for (const auto& [name, member] : value.as_object()) fuzz::require(value.find(name) != nullptr, "a member is found by its name");
    });
}

}  // namespace

TAGPOOL_FUZZ_TARGET(check)
