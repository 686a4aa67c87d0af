// Bundles: sets of features that tokens have together again and again, such as all that is derived from one word at one offset. The
// scores of a bundle are summed once, and its gradient is handed to its features once, however many tokens have it: over a whole corpus
// that is several times less work than feature by feature, and the same sums.
//
// Features are sorted into columns, by their positions in the tokens' lists (a column is about a template); columns are joined as long as
// that promises less work on a sample. What a token has in a joined column is a bundle if enough tokens of the same part have the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "features/encoding.hpp"

namespace tagpool {

class Bundles {
public:
    // `costs` are what scoring each feature costs, zero for those that are not scored; `row_cost` is that of a bundle. Bundles serve one
    // part each: part p has the tokens [part_tokens[p], part_tokens[p + 1]).
    Bundles(const Encoding& encoding, const std::vector<float>& costs, float row_cost, const std::vector<size_t>& part_tokens);

    // Whether there is so much less to do that they are worth it; else the rest is empty.
    bool worthwhile() const { return worthwhile_; }

    Encoding left;                     // what tokens have beside their bundles
    Encoding members;                  // one row a bundle, part by part
    std::vector<size_t> part_begins;   // part p has the bundles [part_begins[p], part_begins[p + 1])
    Buffer<uint64_t> starts;           // by token, one more than tokens
    Buffer<uint32_t> uses;             // numbers of bundles within the part

private:
    bool worthwhile_ = false;
};

}  // namespace tagpool
