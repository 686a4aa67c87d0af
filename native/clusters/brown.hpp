// Brown clustering (Brown et al. 1992) with a window of clusters (Liang 2005): frequent words begin as clusters of their own, each further
// word joins them, and each time the two clusters are joined that lose least of the mutual information of neighbours.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "clusters/bigrams.hpp"

namespace tagpool {

// What was joined, in order, until everything is one. Words are nodes 0 to size - 1, and the i-th pair makes node size + i; of a pair that
// comes first which has the more frequent word. The last `clusters` - 1 pairs are the hierarchy of the clusters.
// `report` is told from time to time how many pairs there are; it may throw.
std::vector<std::pair<uint32_t, uint32_t>> brown_merges(const Bigrams& text, size_t clusters, const std::function<void(size_t)>& report);

}  // namespace tagpool
