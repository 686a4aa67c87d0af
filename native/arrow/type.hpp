// ArrowType: the type of a column of a table, as far as a corpus can have it.
#pragma once
#include <string>
#include <string_view>

#include "arrow/abi.hpp"

namespace tagpool {

enum class ArrowKind { text, integer, other };

struct ArrowType {
    ArrowKind kind = ArrowKind::other;
    bool list = false;  // a list of such values per row
    std::string name;   // for messages, such as list<int64>
};

// Throws InputFault if a structure lacks what its type needs.
ArrowType type_of_schema(const ArrowSchema& schema);

// Whether the format of a list has a child with the values of all rows.
inline bool is_list_format(std::string_view format) {
    return format == "+l" || format == "+L" || format == "+vl" || format == "+vL" || format.substr(0, 3) == "+w:";
}

}  // namespace tagpool
