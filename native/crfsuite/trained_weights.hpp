// TrainedWeights: weights of cells and transitions, as a CRFsuite model file stores them.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fault.hpp"
#include "crfsuite/cells.hpp"
#include "crfsuite/file.hpp"
#include "crfsuite/instances.hpp"
#include "crfsuite/scorer.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

class TrainedWeights {
public:
    // Parameters in the order of the training set: cells, then transitions.
    TrainedWeights(const TrainingSet& set, std::vector<double> parameters)
        : attributes_(set.weights().cell_features()), labels_(set.weights().cell_labels()), weights_(std::move(parameters)),
          transitions_(size_t{set.labels()} * set.labels(), 0.0) {
        if (weights_.size() != labels_.size() + set.weights().edges().size())
            throw InputFault("expected " + std::to_string(labels_.size() + set.weights().edges().size()) +
                             " weights, one per cell and transition, got " + std::to_string(weights_.size()));
        for (size_t i = 0; i < set.weights().edges().size(); ++i) transitions_.at(set.weights().edges()[i]) = weights_[labels_.size() + i];
    }

    // Weights of the cells, then of the [L][L] transitions.
    TrainedWeights(const Cells& cells, const std::vector<double>& weights)
        : weights_(weights.begin(), weights.begin() + static_cast<ptrdiff_t>(cells.size())),
          transitions_(weights.begin() + static_cast<ptrdiff_t>(cells.size()), weights.end()) {
        for (size_t a = 0; a < cells.attribute_count(); ++a)
            attributes_.insert(attributes_.end(), cells.begin(a + 1) - cells.begin(a), static_cast<uint32_t>(a));
        for (size_t cell = 0; cell < cells.size(); ++cell) labels_.push_back(static_cast<uint16_t>(cells.label(cell)));
        for (size_t i = 0; i < transitions_.size(); ++i)
            if (cells.has_transition(i / cells.label_count(), i % cells.label_count())) weights_.push_back(transitions_[i]);
    }

    size_t size() const { return weights_.size(); }
    size_t active() const {
        return static_cast<size_t>(std::count_if(weights_.begin(), weights_.end(), [](double weight) { return weight != 0; }));
    }
    bool finite() const {
        return std::all_of(weights_.begin(), weights_.end(), [](double weight) { return std::isfinite(weight); });
    }

    // Number of attributes with a weight other than 0.
    size_t active_attributes() const {
        size_t count = 0;
        uint32_t last = UINT32_MAX;
        for (size_t cell = 0; cell < attributes_.size(); ++cell) {
            if (weights_[cell] == 0 || attributes_[cell] == last) continue;
            last = attributes_[cell];
            ++count;
        }
        return count;
    }
    // Best labels of the sentences of a group, one sentence after the other.
    std::vector<int32_t> label(const Instances& instances, int32_t group) const {
        const Cells cells(instances, attributes_, labels_);
        std::vector<double> weights(weights_.begin(), weights_.begin() + static_cast<ptrdiff_t>(labels_.size()));
        weights.insert(weights.end(), transitions_.begin(), transitions_.end());
        Scorer scorer(instances, cells);
        std::vector<int32_t> out, path;
        for (size_t sentence = 0; sentence < instances.groups().size(); ++sentence) {
            if (instances.groups()[sentence] != group) continue;
            scorer.set(static_cast<uint32_t>(sentence), weights.data(), 1);
            scorer.decode(path);
            out.insert(out.end(), path.begin(), path.end());
        }
        return out;
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
