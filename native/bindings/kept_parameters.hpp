// KeptParameters: what a learner has found, handed on to another without becoming an array of Python's.
#pragma once
#include <vector>

namespace tagpool {

struct KeptParameters {
    std::vector<float> values;
};

}  // namespace tagpool
