// The definition of all kernels, included once per instruction set with TAGPOOL_VARIANT set. Loops over labels run over whole vectors.
#include "kernels/generic/includes.hpp"

namespace tagpool::TAGPOOL_VARIANT {
namespace {

// clang-format off: each of these uses those before it
#include "kernels/generic/vectors.inl"
#include "kernels/generic/math.inl"
#include "kernels/generic/gradient.inl"
#include "kernels/generic/objective.inl"
#include "kernels/generic/sgd.inl"
#include "kernels/generic/viterbi.inl"
#include "kernels/generic/elitist.inl"
// clang-format on

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels = {
    .name = TAGPOOL_VARIANT_NAME,
    .double_row_unit = kDoubleRowUnit,
    .floats = {&make_edges<float>, &differentiate<float>},
    .doubles = {&make_edges<double>, &differentiate<double>},
    .objective = {&add_gradient},
    .sgd = {&score_shard, &square_norms, &apply_gradient, &apply_sums},
    .tagging = {&best_labels, &score_tokens_with_model, &tag},
    .elitist = {&update_experts, &mix_members, &add_slopes, &add_nodes},
};

}  // namespace tagpool::TAGPOOL_VARIANT
