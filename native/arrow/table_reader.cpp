#include "arrow/table_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_set>

#include "arrow/arrays.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

// KeyArray: values of a field that tell sentences or documents apart.
class KeyArray {
public:
    KeyArray(const ArrowSchema& schema, const ArrowArray& array) : array_(&array), nulls_(array, 2), format_(schema.format[0]) {
        if (type_of_schema(schema).kind == ArrowKind::text) text_.emplace(schema, array);
        else if (nulls_.length() > 0 && !array.buffers[1]) throw InputFault("Arrow: damaged data: an array has no values");
    }
    bool is_null(int64_t row) const { return text_ ? text_->is_null(row) : nulls_.at(row); }
    std::string at(int64_t row) const { return text_ ? std::string(text_->at(row)) : std::to_string(integer_at(*array_, format_, row)); }

private:
    const ArrowArray* array_;
    Nulls nulls_;
    char format_;
    std::optional<TextArray> text_;
};

// Adds the strings of one field of a batch to a column. A string of a dictionary is looked up once.
class ColumnAdder {
public:
    ColumnAdder(ColumnsBuilder& builder, size_t column, bool required, const ArrowSchema& schema, const ArrowArray& array)
        : builder_(builder), column_(column), required_(required), texts_(schema, array),
          ids_(static_cast<size_t>(texts_.dictionary_size()), StringTable::kNone) {}

    int64_t length() const { return texts_.length(); }

    void add(int64_t begin, int64_t end) {
        if (end > texts_.length()) throw InputFault(concat("Arrow: damaged data: ", end, " of ", texts_.length(), " values"));
        for (int64_t place = begin; place < end; ++place) {
            if (texts_.is_null(place)) throw InputFault(concat("token ", place - begin + 1, " is null; replace it by a string"));
            if (ids_.empty()) {
                builder_.add_id(column_, intern(texts_.at(place), place - begin));
                continue;
            }
            const int64_t index = texts_.index(place);
            uint32_t& id = ids_[static_cast<size_t>(index)];
            if (id == StringTable::kNone) id = intern(texts_.dictionary_text(index), place - begin);
            builder_.add_id(column_, id);
        }
    }

private:
    uint32_t intern(std::string_view text, int64_t token) {
        if (required_ && text.empty()) throw InputFault(concat("token ", token + 1, " is an empty string; expected text"));
        return builder_.intern(column_, text);
    }

    ColumnsBuilder& builder_;
    size_t column_;
    bool required_;
    TextArray texts_;
    std::vector<uint32_t> ids_;  // by index into the dictionary
};

std::vector<std::string> names_of(const TableColumns& columns) {
    std::vector<std::string> names;
    for (const auto& [field, name] : columns.texts) names.push_back(name);
    return names;
}

bool is_required(const TableColumns& columns, const std::string& name) {
    return std::find(columns.required.begin(), columns.required.end(), name) != columns.required.end();
}

// Assembly: the rows of all batches so far.
class Assembly {
public:
    Assembly(const ArrowSchema& schema, const TableColumns& columns) : schema_(schema), columns_(columns), builder_(names_of(columns)) {}

    void add(const ArrowArray& batch) {
        if (batch.n_children != schema_.n_children || batch.offset != 0 || (batch.n_children > 0 && !batch.children))
            throw InputFault("Arrow: damaged data: a batch has other columns than its schema");
        if (batch.null_count > 0) throw InputFault("Arrow: a batch has rows that are null");
        for (int64_t field = 0; field < batch.n_children; ++field)
            if (!batch.children[field] || !batch.children[field]->release || batch.children[field]->length < batch.length)
                throw InputFault("Arrow: damaged data: a column is shorter than its batch");
        if (columns_.sentence) add_tokens(batch);
        else add_sentences(batch);
        rows_ += batch.length;
    }

    Columns finish() {
        if (columns_.sentence && open_) builder_.add_sentence();
        return builder_.finish();
    }

private:
    void add_sentences(const ArrowArray& batch) {
        std::vector<ListArray> lists;
        std::vector<ColumnAdder> adders;
        for (size_t c = 0; c < columns_.texts.size(); ++c) {
            const ArrowSchema& schema = *schema_.children[columns_.texts[c].first];
            lists.emplace_back(schema, *batch.children[columns_.texts[c].first]);
            adders.emplace_back(builder_, c, is_required(columns_, columns_.texts[c].second), *schema.children[0], lists.back().values());
        }
        const std::optional<KeyArray> documents = keys(columns_.document, batch);
        for (int64_t row = 0; row < batch.length; ++row) {
            if (documents) begin_document(*documents, row);
            int64_t tokens = 0;
            for (size_t c = 0; c < lists.size(); ++c) {
                name_place(row, columns_.texts[c].first, [&] {
                    if (lists[c].is_null(row)) throw InputFault("the list is null; replace it by a list of strings, or leave out the row");
                    const auto [begin, end] = lists[c].range(row);
                    if (c > 0 && end - begin != tokens)
                        throw InputFault(concat("expected ", counted(static_cast<size_t>(tokens), "string"), ", one per token, got ", end - begin));
                    tokens = end - begin;
                    check_size(tokens);
                    adders[c].add(begin, end);
                });
            }
            builder_.add_sentence();
        }
    }

    void add_tokens(const ArrowArray& batch) {
        std::vector<ColumnAdder> adders;
        for (size_t c = 0; c < columns_.texts.size(); ++c) {
            const uint32_t field = columns_.texts[c].first;
            adders.emplace_back(builder_, c, is_required(columns_, columns_.texts[c].second), *schema_.children[field], *batch.children[field]);
        }
        const std::optional<KeyArray> sentences = keys(columns_.sentence, batch), documents = keys(columns_.document, batch);
        for (int64_t row = 0; row < batch.length; ++row) {
            name_place(row, *columns_.sentence, [&] {
                if (sentences->is_null(row)) throw InputFault("the sentence id is null; replace it by a number or a string");
                std::string id = sentences->at(row);
                if (documents && !documents->is_null(row)) id = documents->at(row) + '\0' + id;
                if (open_ && id == sentence_) return;
                if (!seen_.insert(id).second)
                    throw InputFault(concat("the sentence id ", sentences->at(row),
                                            " occurs again after another one; sort the rows by sentence, or name a column of documents"));
                if (open_) builder_.add_sentence();
                open_ = true;
                sentence_ = std::move(id);
                if (documents) begin_document(*documents, row);
            });
            check_size(1);
            for (size_t c = 0; c < adders.size(); ++c) name_place(row, columns_.texts[c].first, [&] { adders[c].add(row, row + 1); });
        }
    }

    void check_size(int64_t tokens) const {
        if (builder_.token_count() + static_cast<uint64_t>(tokens) >= std::numeric_limits<uint32_t>::max())
            throw InputFault("more than 4 billion tokens in one corpus");
    }

    std::optional<KeyArray> keys(std::optional<uint32_t> field, const ArrowArray& batch) const {
        if (!field) return std::nullopt;
        return std::optional<KeyArray>(std::in_place, *schema_.children[*field], *batch.children[*field]);
    }

    void begin_document(const KeyArray& documents, int64_t row) {
        std::optional<std::string> document;
        if (!documents.is_null(row)) document = documents.at(row);
        if (document && (builder_.sentence_count() == 0 || document != document_)) builder_.start_document();
        document_ = std::move(document);
    }

    // Adds the row and the field to the message of an error.
    template <class Step>
    void name_place(int64_t row, uint32_t field, Step&& step) const {
        try {
            step();
        } catch (const InputFault& fault) {
            const char* const name = schema_.children[field]->name;
            throw InputFault(concat("row ", rows_ + row + 1, ", column '", name ? name : "", "': ", fault.what()));
        }
    }

    const ArrowSchema& schema_;
    const TableColumns& columns_;
    ColumnsBuilder builder_;
    int64_t rows_ = 0;  // of the batches before
    bool open_ = false;
    std::string sentence_;
    std::optional<std::string> document_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

TableReader::TableReader(ArrowArrayStream& stream) : stream_(stream) {
    if (const int code = stream_->get_schema(stream_.get(), schema_.get())) fail(code);
    const ArrowSchema& schema = *schema_;
    if (!schema.format || std::strcmp(schema.format, "+s") != 0)
        throw InputFault("expected a table with columns, got one column without a name; pass a table or a data frame");
    if (schema.n_children > 0 && !schema.children) throw InputFault("Arrow: damaged data: the columns of the schema are missing");
    for (int64_t field = 0; field < schema.n_children; ++field) {
        if (!schema.children[field]) throw InputFault("Arrow: damaged data: a column of the schema is missing");
        types_.push_back(type_of_schema(*schema.children[field]));
    }
}

std::string TableReader::field_name(size_t field) const {
    const char* const name = (*schema_).children[field]->name;
    return name ? name : "";
}

Columns TableReader::read(const TableColumns& columns) {
    if (read_) throw InputFault("the stream was read already");
    read_ = true;
    const auto expect = [&](uint32_t field, bool fits) {
        if (field >= types_.size() || !fits) throw InputFault(concat("column ", field, " has another type"));
    };
    for (const auto& [field, name] : columns.texts)
        expect(field, field < types_.size() && types_[field].kind == ArrowKind::text && types_[field].list != columns.sentence.has_value());
    for (const std::optional<uint32_t>& field : {columns.sentence, columns.document})
        if (field) expect(*field, *field < types_.size() && types_[*field].kind != ArrowKind::other && !types_[*field].list);
    if (columns.texts.empty()) throw InputFault("expected a column of tokens");
    Assembly assembly(*schema_, columns);
    for (Owned<ArrowArray> batch; next(batch);) assembly.add(*batch);
    return assembly.finish();
}

bool TableReader::next(Owned<ArrowArray>& batch) {
    batch.reset();
    if (const int code = stream_->get_next(stream_.get(), batch.get())) fail(code);
    return batch.valid();
}

void TableReader::fail(int code) {
    const char* const last_error = stream_->get_last_error ? stream_->get_last_error(stream_.get()) : nullptr;
    const std::string_view message = last_error ? last_error : std::strerror(code);
    // pyarrow appends the traceback of an exception.
    throw InputFault(concat("reading the table failed: ", message.substr(0, message.find(". Detail: Python exception"))));
}

}  // namespace tagpool
