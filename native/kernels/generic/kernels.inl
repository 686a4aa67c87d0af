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
#include "kernels/generic/train.inl"
#include "kernels/generic/transitions.inl"
#include "kernels/generic/step.inl"
#include "kernels/generic/transitions_viterbi.inl"
#include "kernels/generic/best.inl"
#include "kernels/generic/elitist.inl"
#include "kernels/generic/tag.inl"

template <class T>
constexpr Kernels<T> table(const char* name) {
    return {name, &make_edges<T>, &add_gradient<T>, step_table<T>(), &score_tokens_with_model, &tag,
            {&catch_up_across, &mix_members, &add_slopes, &add_nodes}};
}

}  // namespace

extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
const Kernels<float> kFloat = table<float>(TAGPOOL_VARIANT_NAME);
const Kernels<double> kDouble = table<double>(TAGPOOL_VARIANT_NAME);

}  // namespace tagpool::TAGPOOL_VARIANT
