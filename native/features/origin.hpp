// Origin: the first occurrence of a feature in the fitted corpus, from which its name can be written.
#pragma once
#include <cstdint>

namespace tagpool {

struct Origin {
    static constexpr uint32_t kNowhere = UINT32_MAX;
    uint32_t token;
    uint32_t ordinal;  // number of the combination of the terms' values
    uint16_t template_number;
};

}  // namespace tagpool
