#include "text/conll.hpp"

#include <algorithm>
#include <cstring>

#include "base/fault.hpp"
#include "text/unicode.hpp"

namespace tagpool {
namespace {

constexpr std::string_view kDocumentStart = "-DOCSTART-";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Iterates over lines without their ends (\n after any number of \r) and counts them from 1.
class LineReader {
public:
    explicit LineReader(std::string_view text) : rest_(text) {
        if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
    }
    bool next(std::string_view& line) {
        if (rest_.empty()) return false;
        const void* end = std::memchr(rest_.data(), '\n', rest_.size());
        const size_t length = end ? static_cast<size_t>(static_cast<const char*>(end) - rest_.data()) : rest_.size();
        line = rest_.substr(0, length);
        rest_.remove_prefix(end ? length + 1 : length);
        while (!line.empty() && line.back() == '\r') line.remove_suffix(1);  // some files have two
        ++number_;
        return true;
    }
    size_t number() const { return number_; }

private:
    std::string_view rest_;
    size_t number_ = 0;
};

bool all_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

std::string_view without_leading_blanks(std::string_view text) { return text.substr(std::min(text.find_first_not_of(" \t"), text.size())); }

// Splits at every tab, or at runs of blanks. Stores at most `limit` fields and returns the number of all fields.
size_t split(std::string_view line, bool tabs, std::vector<std::string_view>& fields, size_t limit) {
    fields.clear();
    size_t count = 0;
    const auto add = [&](std::string_view field) {
        if (++count <= limit) fields.push_back(field);
    };
    if (tabs) {
        size_t begin = 0;
        for (size_t i = 0; i <= line.size(); ++i) {
            if (i < line.size() && line[i] != '\t') continue;
            add(line.substr(begin, i - begin));
            begin = i + 1;
        }
        return count;
    }
    size_t i = 0;
    while (true) {
        while (i < line.size() && is_blank(line[i])) ++i;
        if (i == line.size()) return count;
        const size_t begin = i;
        while (i < line.size() && !is_blank(line[i])) ++i;
        add(line.substr(begin, i - begin));
    }
}

// Recognizes "# key = value", which is never a token. "#key= O" may be a token.
bool is_key_value_comment(std::string_view line) {
    const std::string_view content = without_leading_blanks(line.substr(1));
    const std::string_view after_key = content.substr(std::min(content.find_first_of(" \t="), content.size()));
    return after_key.size() < content.size() && !after_key.starts_with('=') && without_leading_blanks(after_key).starts_with("= ");
}

// Recognizes the id of a multiword range (1-2) or an empty node (1.1) in CoNLL-U, which are not tokens of the sentence.
bool is_conllu_extra(std::string_view id) {
    const size_t separator = id.find_first_of("-.");
    const auto is_number = [](std::string_view part) { return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos; };
    return separator != std::string_view::npos && is_number(id.substr(0, separator)) && is_number(id.substr(separator + 1));
}

bool is_document_comment(std::string_view line) {
    const std::string_view rest = without_leading_blanks(line.substr(1));
    return rest == "newdoc" || rest.starts_with("newdoc ");
}

// The first 40 characters of a text.
std::string shortened(std::string_view text) {
    const std::string_view beginning = take_characters(text, 40);
    return concat(beginning, beginning.size() < text.size() ? "..." : "");
}

bool is_document_line(std::string_view line) {
    line = without_leading_blanks(line);
    return line.starts_with(kDocumentStart) && (line.size() == kDocumentStart.size() || is_blank(line[kDocumentStart.size()]));
}

class ConllReader {
public:
    ConllReader(std::string_view text, const ConllOptions& options)
        : lines_(text), options_(options), builder_(options.only.empty() ? options.names : options.only),
          expected_(options.names.size() + options.conllu), valid_(is_valid(text)) {
        for (size_t c = 0; c < builder_.column_count(); ++c) sources_.push_back(c + options.conllu);
        for (size_t c = 0; c < options.only.size(); ++c) {
            const auto place = std::find(options.names.begin(), options.names.end(), options.only[c]);
            if (place == options.names.end()) throw InputFault("the file has no column \"" + options.only[c] + "\"");
            sources_[c] = static_cast<size_t>(place - options.names.begin()) + options.conllu;
        }
    }

    Columns read() {
        std::string_view line;
        while (lines_.next(line)) {
            check(line);
            if (all_blank(line)) {
                builder_.end_sentence();
            } else if (line[0] != '#' || !read_comment(line)) {
                read_token(line);
            }
        }
        return builder_.finish();
    }

private:
    [[noreturn]] void fail(const std::string& message) const { throw InputFault(message, lines_.number()); }

    static bool is_valid(std::string_view text) {
        return find_invalid_utf8(text) == std::string_view::npos && (text.empty() || !std::memchr(text.data(), '\0', text.size()));
    }

    void check(std::string_view line) const {
        if (line.size() > options_.longest_line)
            fail(concat("expected a token and its columns, got a line of ", line.size(), " bytes (the limit is ", options_.longest_line,
                        "); is this a column file?"));
        if (valid_) return;
        if (!line.empty() && std::memchr(line.data(), '\0', line.size())) fail("expected text, got a NUL byte; is this a binary or UTF-16 file?");
        const size_t bad = find_invalid_utf8(line);
        if (bad != std::string_view::npos)
            fail("expected UTF-8, got an invalid byte at position " + std::to_string(bad + 1) +
                 "; convert the file, or name its encoding (encoding=\"latin-1\", --encoding latin-1)");
    }

    // Reads a line that begins with "#", unless it is a token ("#" or a hashtag). In plain columns a comment precedes the first token
    // of a sentence, and is "# key = value", "# newdoc", or has a wrong number of columns.
    bool read_comment(std::string_view line) {
        if (!options_.conllu) {
            if (builder_.tokens_in_sentence() > 0) return false;
            const bool is_comment = is_key_value_comment(line) || (is_document_comment(line) && line[1] == ' ');
            if (!is_comment) {
                const bool tabs = separator_known_ ? tabs_ : line.find('\t') != std::string_view::npos;
                if (split(line, tabs, fields_, expected_) == expected_) return false;
                // "#word" with a wrong number of columns is an error; "# ..." is a comment.
                if (line.size() > 1 && !is_blank(line[1])) return false;
            }
        }
        if (is_document_comment(line)) builder_.start_document();
        builder_.add_aside(line);
        return true;
    }

    // A file is tab-separated if its first token line has a tab; words may then contain blanks.
    void detect_separator(std::string_view line) {
        if (separator_known_) return;
        tabs_ = options_.conllu || line.find('\t') != std::string_view::npos;
        separator_known_ = true;
    }

    void read_token(std::string_view line) {
        if (!options_.conllu && is_document_line(line)) {
            builder_.start_document();
            return;
        }
        detect_separator(line);
        const size_t count = split(line, tabs_, fields_, expected_);
        if (count != expected_) {
            const char* const note = tabs_ && count == 1 && expected_ > 1 ? " (the file is read as tab-separated)" : "";
            fail(concat("expected ", counted(expected_, "column"), ", got ", count, ": \"", shortened(line), "\"", note));
        }
        for (size_t c = 0; c < count; ++c)
            if (fields_[c].empty()) fail("column " + std::to_string(c + 1) + " is empty: \"" + shortened(line) + "\"");
        if (options_.conllu) {
            if (is_conllu_extra(fields_[0])) {
                builder_.add_aside(line);
                return;
            }
            check_conllu_id();
        }
        for (size_t c = 0; c < sources_.size(); ++c) builder_.add(c, fields_[sources_[c]]);
    }

    void check_conllu_id() const {
        const std::string expected = std::to_string(builder_.tokens_in_sentence() + 1);
        if (fields_[0] != expected) fail("expected token id " + expected + ", got \"" + shortened(fields_[0]) + "\"; is a blank line missing?");
    }

    LineReader lines_;
    const ConllOptions& options_;
    ColumnsBuilder builder_;
    const size_t expected_;
    const bool valid_;             // the whole text is UTF-8 without NUL: lines need no check
    std::vector<size_t> sources_;  // the field of each stored column
    std::vector<std::string_view> fields_;
    bool tabs_ = false, separator_known_ = false;
};

}  // namespace

bool is_conll_token(std::string_view line) { return !all_blank(line) && !is_document_line(line); }

size_t count_columns(std::string_view text, bool conllu) {
    LineReader lines(text);
    std::string_view line;
    std::vector<std::string_view> fields;
    while (lines.next(line)) {
        if (all_blank(line) || (!conllu && is_document_line(line))) continue;
        if (line[0] == '#' && (conllu || (line.size() > 1 && is_blank(line[1])) || is_key_value_comment(line))) continue;
        return split(line, conllu || line.find('\t') != std::string_view::npos, fields, 0);
    }
    return 0;
}

Columns read_conll(std::string_view text, const ConllOptions& options) { return ConllReader(text, options).read(); }

}  // namespace tagpool
