// OWL-QN: limited-memory BFGS for f(x) + l1 * sum |x_i| (Andrew and Gao 2007). Many weights stay exactly zero.
#pragma once
#include "trainers/minimiser.hpp"

namespace tagpool {

// `evaluate` is f alone; reported values and gradients include the penalty.
Minimise minimise_owlqn;

}  // namespace tagpool
