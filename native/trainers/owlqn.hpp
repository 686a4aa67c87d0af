// OWL-QN: limited-memory BFGS for f(x) + l1 * sum |x_i| (Andrew and Gao 2007). Many weights stay exactly zero.
#pragma once
#include "base/aligned.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {

// `evaluate` is f alone.
LbfgsResult minimise_sparsely(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report);

}  // namespace tagpool
