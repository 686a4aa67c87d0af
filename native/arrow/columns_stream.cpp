#include "arrow/columns_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <utility>

#include "arrow/owned_array.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<int32_t>::max();

template <class T>
std::pair<const void*, std::shared_ptr<const void>> owned_buffer(std::vector<T> values) {
    // A buffer of length 0 has an address, too: some consumers refuse null.
    values.reserve(std::max<size_t>(values.size(), 1));
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    return {owner->data(), owner};
}

// DictionaryColumn: the strings of a column as a dictionary. Strings that other parts of a larger corpus share are left out if they
// are more than the tokens.
struct DictionaryColumn {
    const Column* column;
    std::shared_ptr<const std::vector<uint32_t>> ids;  // null: those of the corpus
    std::shared_ptr<const StringTable> strings;

    explicit DictionaryColumn(const Column& source) : column(&source), strings(source.strings) {
        if (source.strings->size() <= source.ids.size()) return;
        auto compact = std::make_shared<StringTable>();
        auto numbers = std::make_shared<std::vector<uint32_t>>();
        numbers->reserve(source.ids.size());
        for (size_t token = 0; token < source.ids.size(); ++token) numbers->push_back(compact->intern(source.text(token)));
        ids = std::move(numbers);
        strings = std::move(compact);
    }
    const uint32_t* first_id() const { return ids ? ids->data() : column->ids.data(); }
};

class ColumnsStream {
public:
    ColumnsStream(std::shared_ptr<const Columns> columns, ExportOptions options) : columns_(std::move(columns)), options_(std::move(options)) {
        for (const ExportedColumn& exported : options_.columns) {
            const Column& column = columns_->at(exported.column);
            if (column.strings->size() > kLargest) throw InputFault(concat("column \"", column.name, "\": too many distinct strings for Arrow"));
            dictionaries_.push_back(exported.dictionary ? std::make_shared<const DictionaryColumn>(column) : nullptr);
        }
    }

    ArrowSchema schema() const {
        std::vector<ArrowSchema> fields;
        for (const ExportedColumn& exported : options_.columns) {
            ArrowSchema item;
            if (exported.dictionary) {
                const ArrowSchema values = make_schema("U", "", false);
                item = make_schema("i", "item", false, {}, &values);
            } else {
                item = make_schema("u", "item", false);
            }
            fields.push_back(make_schema("+l", exported.name, false, {item}));
        }
        if (!options_.document.empty()) fields.push_back(make_schema("i", options_.document, false));
        return make_schema("+s", "", false, std::move(fields));
    }

    bool at_end() const { return next_ == columns_->sentence_count(); }

    ArrowArray next_batch() {
        const uint32_t first = next_, last = batch_end();
        std::vector<ArrowArray> fields;
        for (size_t c = 0; c < options_.columns.size(); ++c) fields.push_back(lists(c, first, last));
        if (!options_.document.empty()) fields.push_back(documents(first, last));
        next_ = last;
        return make_array(last - first, {}, {}, std::move(fields));
    }

    std::string error;

private:
    uint64_t bytes_of(uint32_t sentence) const {
        uint64_t most = 0;
        for (size_t c = 0; c < options_.columns.size(); ++c) {
            if (dictionaries_[c]) continue;
            const Column& column = columns_->at(options_.columns[c].column);
            uint64_t bytes = 0;
            for (uint32_t token = columns_->sentences[sentence]; token < columns_->sentences[sentence + 1]; ++token)
                bytes += column.text(token).size();
            most = std::max(most, bytes);
        }
        return most;
    }

    uint32_t batch_end() const {
        const std::vector<uint32_t>& starts = columns_->sentences;
        const auto count = static_cast<uint32_t>(columns_->sentence_count());
        uint32_t last = next_;
        uint64_t bytes = 0;
        do {
            const uint64_t more = bytes_of(last);
            if (starts[last + 1] - starts[last] > kLargest || more > kLargest)
                throw InputFault(concat("sentence ", last + 1, " is too long for Arrow"));
            const bool fits = last - next_ < options_.rows && starts[last + 1] - starts[next_] <= options_.tokens && bytes + more <= options_.bytes;
            if (last > next_ && !fits) break;
            bytes += more;
            ++last;
        } while (last < count);
        return last;
    }

    // Offsets begin at 0 in every batch, so 32 bits are enough for any corpus.
    ArrowArray lists(size_t number, uint32_t first, uint32_t last) const {
        const std::vector<uint32_t>& starts = columns_->sentences;
        std::vector<int32_t> offsets;
        for (uint32_t s = first; s <= last; ++s) offsets.push_back(static_cast<int32_t>(starts[s] - starts[first]));
        const auto [buffer, owner] = owned_buffer(std::move(offsets));
        const ArrowArray items = dictionaries_[number] ? indices(*dictionaries_[number], dictionaries_[number], starts[first], starts[last])
                                                       : strings(columns_->at(options_.columns[number].column), starts[first], starts[last]);
        return make_array(last - first, {buffer}, {owner}, {items});
    }

    ArrowArray indices(const DictionaryColumn& column, std::shared_ptr<const void> owner, uint32_t first, uint32_t last) const {
        const ArrowArray values = make_array(column.strings->size(), {column.strings->ends(), column.strings->bytes()}, {column.strings});
        // Ids are less than 2^31, so their bytes are those of int32.
        return make_array(last - first, {column.first_id() + first}, {columns_, std::move(owner)}, {}, &values);
    }

    static ArrowArray strings(const Column& column, uint32_t first, uint32_t last) {
        std::vector<int32_t> offsets = {0};
        std::vector<char> bytes;
        for (uint32_t token = first; token < last; ++token) {
            const std::string_view text = column.text(token);
            bytes.insert(bytes.end(), text.begin(), text.end());
            offsets.push_back(static_cast<int32_t>(bytes.size()));
        }
        const auto [ends, ends_owner] = owned_buffer(std::move(offsets));
        const auto [data, data_owner] = owned_buffer(std::move(bytes));
        return make_array(last - first, {ends, data}, {ends_owner, data_owner});
    }

    ArrowArray documents(uint32_t first, uint32_t last) const {
        std::vector<int32_t> numbers;
        const std::vector<uint32_t>& starts = columns_->documents;
        for (uint32_t s = first; s < last; ++s)
            numbers.push_back(static_cast<int32_t>(std::upper_bound(starts.begin(), starts.end(), s) - starts.begin()) - 1);
        const auto [buffer, owner] = owned_buffer(std::move(numbers));
        return make_array(last - first, {buffer}, {owner});
    }

    std::shared_ptr<const Columns> columns_;
    ExportOptions options_;
    std::vector<std::shared_ptr<const DictionaryColumn>> dictionaries_;  // null for columns of strings
    uint32_t next_ = 0;
};

ColumnsStream& state_of(ArrowArrayStream* stream) { return *static_cast<ColumnsStream*>(stream->private_data); }

// Runs a step of a stream: an exception becomes an error code, since the consumer may be written in C.
template <class Step>
int run_step(ArrowArrayStream* stream, Step&& step) {
    try {
        step(state_of(stream));
        return 0;
    } catch (const std::bad_alloc&) {
        return ENOMEM;
    } catch (const std::exception& fault) {
        state_of(stream).error = fault.what();
        return EINVAL;
    }
}

}  // namespace

void export_columns(std::shared_ptr<const Columns> columns, ExportOptions options, ArrowArrayStream* out) {
    auto state = std::make_unique<ColumnsStream>(std::move(columns), std::move(options));
    out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
        return run_step(stream, [schema](ColumnsStream& one) { *schema = one.schema(); });
    };
    out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
        return run_step(stream, [array](ColumnsStream& one) { *array = one.at_end() ? ArrowArray{} : one.next_batch(); });
    };
    out->get_last_error = [](ArrowArrayStream* stream) {
        const std::string& error = state_of(stream).error;
        return error.empty() ? nullptr : error.c_str();
    };
    out->release = [](ArrowArrayStream* stream) {
        delete &state_of(stream);
        stream->release = nullptr;
    };
    out->private_data = state.release();
}

}  // namespace tagpool
