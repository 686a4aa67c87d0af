// TableReader: reads a corpus from an Arrow stream. A row is a sentence with lists of strings, or a token.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/abi.hpp"
#include "arrow/type.hpp"
#include "text/columns.hpp"

namespace tagpool {

struct TableColumns {
    std::vector<std::pair<uint32_t, std::string>> texts;  // number of a field and the name of its column; the tokens are first
    std::optional<uint32_t> sentence;                     // number of the field with the id of the sentence, if a row is a token
    std::optional<uint32_t> document;                     // a document begins where the value of this field changes
    std::vector<std::string> required;                    // columns without empty strings
};

class TableReader {
public:
    // Takes the stream over. Throws InputFault for anything but a stream of record batches.
    explicit TableReader(ArrowArrayStream& stream);

    size_t field_count() const { return types_.size(); }
    std::string field_name(size_t field) const;
    const ArrowType& type(size_t field) const { return types_[field]; }

    // Reads all batches. Can be called once. Messages name the row, counted from 1, and the field.
    Columns read(const TableColumns& columns);

private:
    bool next(Owned<ArrowArray>& batch);
    [[noreturn]] void fail(int code);

    Owned<ArrowArrayStream> stream_;
    Owned<ArrowSchema> schema_;
    std::vector<ArrowType> types_;
    bool read_ = false;
};

}  // namespace tagpool
