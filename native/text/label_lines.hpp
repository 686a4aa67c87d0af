// Appends labels to the lines of a CoNLL file.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tagpool {

struct LabelledLines {
    std::string text;
    bool tabs = false;  // whether the line of the first token has a tab
};

// Appends a tab or a blank and a label to each line of a token: not to blank lines and those of -DOCSTART-. `tabs` tells which; without it, the first
// token decides. Returns nothing if the lines are not one for each token, as in a file with comments, or if they have carriage returns: then the caller
// must look closer.
std::optional<LabelledLines> append_labels(std::string_view text, const std::vector<int32_t>& numbers, const std::vector<std::string>& labels,
                                           std::optional<bool> tabs);

}  // namespace tagpool
