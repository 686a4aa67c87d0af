#include "text/label_lines.hpp"

#include <algorithm>
#include <cstring>

#include "text/conll.hpp"

namespace tagpool {

std::optional<LabelledLines> append_labels(std::string_view text, const std::vector<int32_t>& numbers, const std::vector<std::string>& labels,
                                           std::optional<bool> tabs) {
    if (text.find('\r') != std::string_view::npos) return std::nullopt;
    LabelledLines out;
    size_t longest = 0, token = 0;
    for (const std::string& label : labels) longest = std::max(longest, label.size());
    out.text.resize(text.size() + numbers.size() * (longest + 1));
    char* to = out.text.data();
    const auto copy = [&](std::string_view part) {
        std::memcpy(to, part.data(), part.size());
        to += part.size();
    };
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = text.substr(begin, end - begin);
        copy(line);
        if (is_conll_token(begin == 0 && line.starts_with(kByteOrderMark) ? line.substr(kByteOrderMark.size()) : line)) {
            if (token == numbers.size()) return std::nullopt;
            if (token == 0) {
                out.tabs = line.find('\t') != std::string_view::npos;
                if (!tabs) tabs = out.tabs;
            }
            *to++ = *tabs ? '\t' : ' ';
            copy(labels[static_cast<size_t>(numbers[token++])]);
        }
        if (end < text.size()) *to++ = '\n';
        begin = end + 1;
    }
    if (token != numbers.size()) return std::nullopt;
    out.text.resize(static_cast<size_t>(to - out.text.data()));
    return out;
}

}  // namespace tagpool
