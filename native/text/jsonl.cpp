#include "text/jsonl.hpp"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace tagpool {
namespace {

constexpr std::string_view kWord = "word", kLabel = "label";  // names of columns
constexpr size_t kMaxDepth = 16;

// Thrown for text that is not of the usual form.
struct Unusual {};

void expect(bool usual) {
    if (!usual) throw Unusual();
}

bool is_among(std::string_view key, std::initializer_list<std::string_view> keys) { return std::find(keys.begin(), keys.end(), key) != keys.end(); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); });
}

// Strings of a list: views into the line, or into copies without escapes.
struct Texts {
    std::vector<std::string_view> views;
    std::deque<std::string> copies;

    void clear() {
        views.clear();
        copies.clear();
    }
};

// JsonLineReader: the values of one line, without its end.
class JsonLineReader {
public:
    explicit JsonLineReader(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

    bool is_blank() {
        skip_blanks();
        return at_ == end_;
    }
    bool consume(char c) {
        skip_blanks();
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    void need(char c) { expect(consume(c)); }
    bool is_next(char c) {
        skip_blanks();
        return at_ != end_ && *at_ == c;
    }

    // The text between the quotes of a string without escapes.
    std::string_view plain_string() {
        const std::string_view raw = raw_string();
        expect(raw.find('\\') == std::string_view::npos);
        return raw;
    }
    // A list of strings; false, at the same position, for a list with other items.
    bool strings(Texts& texts) {
        const char* const begin = at_;
        texts.clear();
        need('[');
        if (consume(']')) return true;
        do {
            if (!is_next('"')) {
                at_ = begin;
                return false;
            }
            const std::string_view raw = raw_string();
            if (raw.find('\\') == std::string_view::npos) texts.views.push_back(raw);
            else texts.views.push_back(texts.copies.emplace_back(decoded(raw)));
        } while (consume(','));
        need(']');
        return true;
    }
    // An integer of at most 18 digits, or a string without escapes, with its quotes; empty for null. Equal values have equal texts.
    std::string_view document() {
        skip_blanks();
        const char* const begin = at_;
        if (is_next('"')) {
            plain_string();
        } else if (consume_word("null")) {
            return {};
        } else {
            while (at_ != end_ && is_digit(*at_)) ++at_;
            const auto digits = at_ - begin;
            expect(digits > 0 && digits <= 18 && (digits == 1 || *begin != '0') && (at_ == end_ || is_one_of(*at_, ",} \t\r")));
        }
        return {begin, static_cast<size_t>(at_ - begin)};
    }
    void skip_scalar() {
        skip_blanks();
        expect(at_ != end_ && *at_ != '[' && *at_ != '{');
        skip_value(0);
    }
    void skip_value(size_t depth) {
        expect(depth < kMaxDepth);
        skip_blanks();
        if (is_next('"')) {
            const std::string_view raw = raw_string();
            if (raw.find('\\') != std::string_view::npos) decoded(raw);  // an invalid escape is unusual
        } else if (consume('[')) {
            if (consume(']')) return;
            do skip_value(depth + 1);
            while (consume(','));
            need(']');
        } else if (consume('{')) {
            if (consume('}')) return;
            do {
                expect(is_next('"'));
                plain_string();
                need(':');
                skip_value(depth + 1);
            } while (consume(','));
            need('}');
        } else if (!consume_word("true") && !consume_word("false") && !consume_word("null")) {
            skip_number();
        }
    }

private:
    static bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }
    void skip_blanks() {
        while (at_ != end_ && is_one_of(*at_, " \t\r")) ++at_;
    }
    bool consume_word(std::string_view word) {
        if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }
    void skip_digits() {
        const char* const begin = at_;
        while (at_ != end_ && is_digit(*at_)) ++at_;
        expect(at_ != begin && at_ - begin < 1000);  // Python refuses integers with thousands of digits
    }
    void skip_number() {
        if (at_ != end_ && *at_ == '-') ++at_;
        const bool is_zero = at_ != end_ && *at_ == '0';
        const char* const begin = at_;
        skip_digits();
        expect(!is_zero || at_ - begin == 1);
        if (at_ != end_ && *at_ == '.') {
            ++at_;
            skip_digits();
        }
        if (at_ != end_ && is_one_of(*at_, "eE")) {
            ++at_;
            if (at_ != end_ && is_one_of(*at_, "+-")) ++at_;
            skip_digits();
        }
    }
    // The text between the quotes; escapes are left as they are.
    std::string_view raw_string() {
        need('"');
        const char* const begin = at_;
        while (at_ != end_ && *at_ != '"') {
            expect(static_cast<unsigned char>(*at_) >= 0x20);
            at_ += *at_ == '\\' && at_ + 1 != end_ ? 2 : 1;
        }
        expect(at_ != end_);
        return {begin, static_cast<size_t>(at_++ - begin)};
    }

    static uint32_t hexadecimal(std::string_view raw, size_t at) {
        expect(at + 4 <= raw.size());
        uint32_t number = 0;
        for (size_t i = at; i < at + 4; ++i) {
            const char lower = static_cast<char>(raw[i] | 0x20);
            expect(is_digit(raw[i]) || (lower >= 'a' && lower <= 'f'));
            number = number * 16 + static_cast<uint32_t>(is_digit(raw[i]) ? raw[i] - '0' : lower - 'a' + 10);
        }
        return number;
    }
    // Surrogates in pairs, and no NUL.
    static char32_t code_point(std::string_view raw, size_t& at) {
        const uint32_t point = hexadecimal(raw, at);
        at += 4;
        expect(point != 0 && (point < 0xDC00 || point > 0xDFFF));
        if (point < 0xD800 || point > 0xDBFF) return point;
        expect(raw.substr(at, 2) == "\\u");
        const uint32_t low = hexadecimal(raw, at + 2);
        at += 6;
        expect(low >= 0xDC00 && low <= 0xDFFF);
        return 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
    }
    static std::string decoded(std::string_view raw) {
        constexpr std::string_view kEscapes = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
        std::string out;
        for (size_t at = 0; at < raw.size();) {
            if (raw[at] != '\\') {
                out.push_back(raw[at++]);
                continue;
            }
            expect(at + 1 < raw.size());
            const char c = raw[at + 1];
            at += 2;
            if (c == 'u') {
                append_utf8(out, code_point(raw, at));
                continue;
            }
            const size_t escape = kEscapes.find(c);
            expect(escape != std::string_view::npos);
            out.push_back(kCharacters[escape]);
        }
        return out;
    }

    const char* at_;
    const char* const end_;
};

// RecordReader: appends the sentences of lines to columns.
class RecordReader {
public:
    void add(std::string_view line) {
        JsonLineReader reader(line);
        if (reader.is_blank()) return;
        read_fields(reader);
        expect(reader.is_blank());
        const Field* const tokens = find("tokens");
        expect(tokens != nullptr);
        has_labels_ = find("labels") != nullptr;
        for (size_t i = 0; i < field_count_; ++i) check(fields_[i], tokens->texts.views.size());
        if (!document_.empty() && (sentences_ == 0 || document_ != last_document_)) documents_.push_back(sentences_);
        last_document_ = document_;
        ++sentences_;
        if (tokens->texts.views.empty()) {
            if (builder_) builder_->add_sentence();
            return;
        }
        const size_t column_count = name_columns(tokens->texts.views.size());
        expect(column_count == names_.size());
        for (size_t column = 0; column < names_.size(); ++column) {
            const Field* const field = find(keys_[column]);
            expect(field && is_column(*field, tokens->texts.views.size()));
            for (const std::string_view text : field->texts.views) builder_->add(column, text);
        }
        builder_->add_sentence();
    }

    Columns finish() {
        expect(builder_.has_value());
        Columns out = builder_->finish();
        // Sentences before the first mark form a document.
        if (!documents_.empty() && documents_[0] > 0) documents_.insert(documents_.begin(), 0);
        out.documents = std::move(documents_);
        return out;
    }

private:
    struct Field {
        std::string_view key;
        bool is_list;
        Texts texts;
    };

    void read_fields(JsonLineReader& reader) {
        field_count_ = 0;
        document_ = {};
        reader.need('{');
        if (reader.consume('}')) return;
        do {
            expect(reader.is_next('"'));
            const std::string_view key = reader.plain_string();
            expect(!find(key));
            if (field_count_ == fields_.size()) fields_.emplace_back();
            Field& field = fields_[field_count_++];
            field.key = key;
            reader.need(':');
            if (key == "document") {
                field.is_list = false;
                document_ = reader.document();
                continue;
            }
            field.is_list = reader.is_next('[') && reader.strings(field.texts);
            if (field.is_list) continue;
            if (is_note(key)) reader.skip_value(0);
            else reader.skip_scalar();
        } while (reader.consume(','));
        reader.need('}');
    }
    const Field* find(std::string_view key) const {
        const auto end = fields_.begin() + static_cast<std::ptrdiff_t>(field_count_);
        const auto field = std::find_if(fields_.begin(), end, [&](const Field& candidate) { return candidate.key == key; });
        return field == end ? nullptr : &*field;
    }

    static bool is_note(std::string_view key) { return is_among(key, {"meta", "metadata", "info", "id", "relations"}); }
    static bool is_column(const Field& field, size_t tokens) {
        return field.is_list && !field.texts.views.empty() && field.texts.views.size() == tokens && is_identifier(field.key);
    }
    static void check(const Field& field, size_t tokens) {
        const std::vector<std::string_view>& views = field.texts.views;
        if (is_among(field.key, {"tokens", "labels"})) {
            expect(field.is_list && views.size() == tokens);
        } else {
            if (!field.is_list || views.empty()) return;
            expect(!is_among(field.key, {kWord, kLabel, "entities", "spans", "ents", "text"}));
            if (!is_column(field, tokens)) return expect(is_note(field.key));
        }
        for (const std::string_view text : views) expect(!text.empty());
    }

    // The number of columns of the sentence; the names are those of the first one.
    size_t name_columns(size_t tokens) {
        const bool is_first = !builder_;
        size_t count = 1 + has_labels_;
        if (is_first) {
            names_ = {std::string(kWord)};
            keys_ = {"tokens"};
        }
        for (size_t i = 0; i < field_count_; ++i) {
            const Field& field = fields_[i];
            if (is_among(field.key, {"tokens", "labels"}) || !is_column(field, tokens)) continue;
            ++count;
            if (!is_first) continue;
            names_.emplace_back(field.key);
            keys_.emplace_back(field.key);
        }
        if (!is_first) return count;
        if (has_labels_) {
            names_.emplace_back(kLabel);
            keys_.emplace_back("labels");
        }
        builder_.emplace(names_);
        for (uint32_t i = 1; i < sentences_; ++i) builder_->add_sentence();  // those without tokens before
        return count;
    }

    std::deque<Field> fields_;  // of a line; reused. Fields do not move: their views refer to their copies.
    size_t field_count_ = 0;
    bool has_labels_ = false;
    std::string_view document_, last_document_;  // empty: none
    uint32_t sentences_ = 0;
    std::vector<uint32_t> documents_;
    std::vector<std::string> names_, keys_;  // of the columns, and of their lists
    std::optional<ColumnsBuilder> builder_;
};

}  // namespace

std::optional<Columns> read_token_jsonl(std::string_view text) {
    if (find_invalid_utf8(text) != std::string_view::npos || text.find('\0') != std::string_view::npos) return std::nullopt;
    try {
        RecordReader records;
        while (!text.empty()) {
            const size_t end = std::min(text.find('\n'), text.size());
            records.add(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        return records.finish();
    } catch (const Unusual&) {
        return std::nullopt;
    }
}

}  // namespace tagpool
