// Brown clustering (Brown et al. 1992) with a window of clusters (Liang 2005). The most frequent words are the first clusters. Each further
// word is added as a cluster, then the two clusters are merged that lose least mutual information of adjacent clusters.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "clusters/bigrams.hpp"

namespace tagpool {

// Returns all merges in order, down to one cluster. Words are nodes 0 to size - 1, and merge i makes node size + i. The first node of a
// merge contains the more frequent word. The last `clusters` - 1 merges are the hierarchy of the clusters.
// Calls `report` regularly with the number of merges; it may throw.
std::vector<std::pair<uint32_t, uint32_t>> brown_merges(const Bigrams& text, size_t clusters, const std::function<void(size_t)>& report);

}  // namespace tagpool
