// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6), and its
// variant for l1 penalties (owlqn.hpp).
#pragma once
#include "base/aligned.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {

// Leaves in `x` the best point found, however it ends. With l1, values and gradients reported are those of the whole sum.
LbfgsResult minimise(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report);

}  // namespace tagpool
