// Sorting of many texts with common beginnings, such as names of features.
#pragma once
#include <string_view>
#include <vector>

namespace tagpool {

// Sorts texts by their bytes. Comparisons read eight bytes of each text from an array, instead of the texts, which are scattered over memory.
void sort_texts(std::vector<std::string_view>& texts);

}  // namespace tagpool
