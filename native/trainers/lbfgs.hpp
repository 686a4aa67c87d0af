// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6), and its
// variant for l1 penalties (owlqn.hpp).
#pragma once
#include "base/aligned.hpp"
#include "trainers/minimiser.hpp"

namespace tagpool {

// Minimises from `x` and leaves the best point there, also after a stop. With l1, reported values and gradients include the penalty.
LbfgsResult minimise(const Evaluate& evaluate, AlignedVector<double>& x, const LbfgsOptions& options, const Report& report);

}  // namespace tagpool
