// FeatureNamer: writes the names of features from their origins.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "features/atoms.hpp"
#include "features/encoding.hpp"
#include "features/program.hpp"
#include "text/columns.hpp"

namespace tagpool {

class FeatureNamer {
public:
    FeatureNamer(const Program& program, const Columns& columns);

    // Fastest for origins sorted by token, then template: the values are then computed once for both.
    std::string name(const Origin& origin);

private:
    const Program& program_;
    const std::vector<uint32_t>& sentences_;
    AtomValues values_;
    std::vector<bool> escapes_;  // a [templates] array: true if a conjunction has the same key
    uint32_t sentence_ = UINT32_MAX, token_ = Origin::kNowhere;
    const Template* template_ = nullptr;
    std::vector<std::vector<std::string>> texts_;  // the values of each term of template_ at token_
    std::vector<size_t> indices_;                  // the value of each term in the combination
};

// The names of features [first, origins.size()) by their origins in these columns, whose first token has the number `first_token`. Those of
// other origins are empty.
std::vector<std::string> write_names(const Program& program, const Columns& columns, const std::vector<Origin>& origins, uint32_t first,
                                     uint32_t first_token = 0);

}  // namespace tagpool
