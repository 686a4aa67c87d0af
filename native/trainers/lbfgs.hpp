// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 7.4, 3.5 and 3.6).
#pragma once
#include "trainers/minimiser.hpp"

namespace tagpool {

Minimise minimise_lbfgs;

}  // namespace tagpool
