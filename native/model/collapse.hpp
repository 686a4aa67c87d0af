// Merges a logarithmic opinion pool: the weighted sum of log-linear models is a log-linear model with the features of all of them and the
// weights Σ_j α_j W_j.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/model.hpp"

namespace tagpool {

struct MergedMember {
    const Model* model;
    double weight;
    std::vector<uint64_t> keys;      // hashes of its features
    std::vector<uint16_t> label_of;  // number of each label in the merged model
};

// Throws InputFault for members that do not merge into one model.
std::unique_ptr<Model> merge_models(const std::vector<std::string>& labels, const std::vector<MergedMember>& members);

}  // namespace tagpool
