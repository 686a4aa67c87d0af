// The kernels' one definition, included once per instruction set with TAGPOOL_VARIANT set. Loops over labels run over whole vectors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "arcs_log.hpp"
#include "chain_log.hpp"
#include "exponential.hpp"
#include "kernels.hpp"

namespace tagpool::TAGPOOL_VARIANT {
namespace {

#include "kernels_math.inl"
#include "kernels_train.inl"
#include "kernels_arcs.inl"
#include "kernels_step.inl"
#include "kernels_arcs_best.inl"
#include "kernels_best.inl"
#include "kernels_pool.inl"
#include "kernels_tag.inl"

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
