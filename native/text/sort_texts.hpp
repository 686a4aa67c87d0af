// Radix-like sort of texts by their bytes. Fast for texts with long common prefixes, such as feature names.
#pragma once
#include <string_view>
#include <vector>

namespace tagpool {

void sort_texts(std::vector<std::string_view>& texts);

}  // namespace tagpool
