// Collapsing a logarithmic opinion pool: the weighted sum of log-linear models is a log-linear model, with the features of all of them and
// the weights Σ_j α_j W_j.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace tagpool {

struct Collapsing {
    const Model* model;
    double share;
    std::vector<uint64_t> keys;      // the hashes of its features
    std::vector<uint16_t> label_of;  // the number that each of its labels has in the new model
};

// Throws InputFault where no single model can do what all of them do.
std::unique_ptr<Model> collapsed(const std::vector<std::string>& labels, const std::vector<Collapsing>& members);

}  // namespace tagpool
