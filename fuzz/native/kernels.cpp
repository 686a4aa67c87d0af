// Kernels of tagging for the fuzz targets. The kernels of training take most of the compile time, and no target uses them.
#define TAGPOOL_VARIANT portable
#define TAGPOOL_VECTOR_BYTES 16
#include "kernels/generic/includes.hpp"

namespace tagpool::portable {
namespace {

// clang-format off: each of these uses those before it
#include "kernels/generic/vectors.inl"
#include "kernels/generic/math.inl"
#include "kernels/generic/gradient.inl"
#include "kernels/generic/objective.inl"
#include "kernels/generic/sgd.inl"
#include "kernels/generic/viterbi.inl"
// clang-format on

}  // namespace

extern const Kernels kKernels;
const Kernels kKernels = {.name = "fuzzing", .tagging = {nullptr, &score_tokens_with_model, &tag}};

}  // namespace tagpool::portable
