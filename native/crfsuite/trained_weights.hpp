// TrainedWeights: weights of cells and transitions, as a CRFsuite model file stores them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fault.hpp"
#include "crfsuite/file.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class TrainedWeights {
public:
    // Parameters in the order of the training set: cells, then transitions.
    TrainedWeights(const TrainingSet& set, std::vector<double> parameters)
        : attributes_(set.cell_features()), labels_(set.cell_labels()), weights_(std::move(parameters)),
          transitions_(size_t{set.labels()} * set.labels(), 0.0) {
        if (weights_.size() != labels_.size() + set.edges().size())
            throw InputFault("expected " + std::to_string(labels_.size() + set.edges().size()) + " weights, one per cell and transition, got " +
                             std::to_string(weights_.size()));
        for (size_t i = 0; i < set.edges().size(); ++i) transitions_.at(set.edges()[i]) = weights_[labels_.size() + i];
    }

    size_t size() const { return weights_.size(); }
    size_t active() const {
        return static_cast<size_t>(std::count_if(weights_.begin(), weights_.end(), [](double weight) { return weight != 0; }));
    }
    bool finite() const {
        return std::all_of(weights_.begin(), weights_.end(), [](double weight) { return std::isfinite(weight); });
    }

    CrfsuiteWeights named(std::span<const std::string_view> labels, std::span<const std::string_view> attributes) const {
        return {labels, attributes, attributes_, labels_, {weights_.data(), labels_.size()}, transitions_};
    }

private:
    std::vector<uint32_t> attributes_;
    std::vector<uint16_t> labels_;  // [cell], as attributes_
    std::vector<double> weights_, transitions_;
};

}  // namespace tagpool
