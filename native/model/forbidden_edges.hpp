// Forbidden edges: transitions, first and last labels that tagging must not use, because the tag scheme does not allow them.
//
// Only tagging reads them: scores, probabilities and lattices have the learned weights alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/tensors.hpp"

namespace tagpool {

// Adds the array "forbidden": 1 for a forbidden edge, in the order of the array "edges". An empty vector adds nothing.
void write_forbidden(std::vector<uint8_t> forbidden, size_t labels, Tensors& tensors);
// The array; empty if the file has no such array. Throws InputFault if its size does not fit.
std::vector<uint8_t> read_forbidden(const Tensors& tensors, size_t labels);
// `edges` (labels + 2 rows of `stride` numbers; empty: zeros) with a penalty for forbidden ones that no sum of weights outweighs.
std::vector<float> penalised(const std::vector<uint8_t>& forbidden, std::vector<float> edges, size_t labels, size_t stride);

}  // namespace tagpool
