// The kernels' one definition, included once per instruction set with TAGPOOL_VARIANT set. Loops over labels run over whole vectors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/chain_log.hpp"
#include "base/exponential.hpp"
#include "kernels/kernels.hpp"

namespace tagpool::TAGPOOL_VARIANT {
namespace {

#include "kernels/generic/math.inl"
#include "kernels/generic/gradient.inl"
#include "kernels/generic/transitions.inl"
#include "kernels/generic/sgd.inl"
#include "kernels/generic/viterbi.inl"
#include "kernels/generic/elitist.inl"

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels = {
    .name = TAGPOOL_VARIANT_NAME,
    .floats = {&make_edges<float>, &differentiate<float>},
    .doubles = {&make_edges<double>, &differentiate<double>},
    .objective = {&add_gradient},
    .sgd = {&score_shard, &find_moves, &descend},
    .tagging = {&best_labels, &score_tokens_with_model, &tag},
    .elitist = {&catch_up_across, &mix_members, &add_slopes, &add_nodes},
};

}  // namespace tagpool::TAGPOOL_VARIANT
