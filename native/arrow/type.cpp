#include "arrow/type.hpp"

#include <array>
#include <utility>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr std::string_view kIntegers = "cCsSiIlL";
constexpr std::array<const char*, 8> kIntegerNames = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"};
constexpr std::array<std::pair<std::string_view, const char*>, 12> kOtherNames = {{
    {"n", "null"},
    {"b", "bool"},
    {"e", "float16"},
    {"f", "float32"},
    {"g", "float64"},
    {"z", "binary"},
    {"Z", "large_binary"},
    {"vz", "binary_view"},
    {"+s", "struct"},
    {"+m", "map"},
    {"+r", "run_end_encoded"},
    {"tdD", "date32"},
}};

ArrowType value_type(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    if (schema.dictionary) {
        if (!schema.dictionary->format) throw InputFault("Arrow: a dictionary has no type");
        const ArrowType values = value_type(*schema.dictionary);
        const bool integer = format.size() == 1 && kIntegers.find(format) != std::string_view::npos;
        return {integer && values.kind == ArrowKind::text ? ArrowKind::text : ArrowKind::other, false, concat("dictionary<", values.name, ">")};
    }
    if (format == "u") return {ArrowKind::text, false, "utf8"};
    if (format == "U") return {ArrowKind::text, false, "large_utf8"};
    if (format == "vu") return {ArrowKind::text, false, "utf8_view"};
    if (const size_t place = format.size() == 1 ? kIntegers.find(format) : std::string_view::npos; place != std::string_view::npos)
        return {ArrowKind::integer, false, kIntegerNames[place]};
    for (const auto& [other, name] : kOtherNames)
        if (format == other) return {ArrowKind::other, false, name};
    return {ArrowKind::other, false, concat("a type with the format ", format)};
}

}  // namespace

ArrowType type_of_schema(const ArrowSchema& schema) {
    if (!schema.format) throw InputFault("Arrow: a column has no type");
    if (schema.dictionary || !is_list_format(schema.format)) return value_type(schema);
    if (schema.n_children != 1 || !schema.children || !schema.children[0] || !schema.children[0]->format)
        throw InputFault("Arrow: a list has no type of its values");
    const ArrowType item = type_of_schema(*schema.children[0]);
    return {item.list ? ArrowKind::other : item.kind, true, concat("list<", item.name, ">")};
}

}  // namespace tagpool
