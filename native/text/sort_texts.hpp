// Texts put in the order of their bytes, quickly where many begin alike (the names of features do).
#pragma once
#include <string_view>
#include <vector>

namespace tagpool {

void sort_texts(std::vector<std::string_view>& texts);

}  // namespace tagpool
