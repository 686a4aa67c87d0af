// Headers of the kernels. Variants include them before they change the instruction set.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/exponential.hpp"
#include "base/portable.hpp"
#include "kernels/chain_log.hpp"
#include "kernels/kernels.hpp"
