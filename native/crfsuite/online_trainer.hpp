// OnlineTrainer: the base of CRFsuite's trainers that update the weights after each sentence.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt_check.hpp"
#include "crfsuite/cells.hpp"
#include "crfsuite/instances.hpp"
#include "crfsuite/libc_random.hpp"
#include "crfsuite/scorer.hpp"

namespace tagpool {

// Sentences to train on, and the shape of the weights.
struct CrfsuiteData {
    const Instances& instances;
    std::optional<int32_t> holdout;  // a group without which the trainer learns
    CellOptions cells;
    uint32_t seed = 1;  // of the order of sentences
};

class OnlineTrainer {
public:
    explicit OnlineTrainer(const CrfsuiteData& data)
        : instances_(data.instances), order_(data.instances.training_sentences(data.holdout)), cells_(data.instances, order_, data.cells),
          random_(data.seed), scorer_(data.instances, cells_), weights_(cells_.weight_count()) {}
    OnlineTrainer(const OnlineTrainer&) = delete;
    OnlineTrainer& operator=(const OnlineTrainer&) = delete;
    virtual ~OnlineTrainer() = default;

    const Cells& cells() const { return cells_; }
    size_t sentence_count() const { return order_.size(); }

    // One pass over the sentences in a new order; returns the loss.
    virtual double epoch(InterruptCheck interrupt) = 0;
    // Weights of the model.
    virtual const std::vector<double>& result() { return weights_; }
    // Norm that CRFsuite reports after an epoch.
    virtual double norm() { return norm_of(weights_); }

protected:
    void shuffle() {
        for (uint32_t& sentence : order_) std::swap(order_[random_.next() % order_.size()], sentence);
    }
    static double norm_of(std::span<const double> weights) { return std::sqrt(square(weights)); }
    static double square(std::span<const double> weights) {
        double sum = 0;
        for (const double weight : weights) sum += weight * weight;
        return sum;
    }

    const Instances& instances_;
    std::vector<uint32_t> order_;  // sentences
    Cells cells_;
    LibcRandom random_;
    Scorer scorer_;
    std::vector<double> weights_;  // the cells, then the [L][L] transitions
};

}  // namespace tagpool
