// PartGradients: the losses and gradients of single parts of a training set, which may have only a slice of the sentences. The sums over all
// parts in their order are the same bits wherever each part was computed.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "dataset/free_weights.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

// Loss of a part and its gradient: of shared weights, of the weights that only this part has (WeightLayout::own_places), and of edges.
struct PartSum {
    double loss;
    const double* shared;
    const double* own;
    const double* edges;
};

// Calls add(sum) for all parts in their order, at these numbers of the free weights in memory (FreeWeights).
using SumParts = std::function<void(const double* weights, const std::function<void(const PartSum&)>& add)>;

class PartGradients final : public Trainer {
public:
    PartGradients(const std::shared_ptr<const TrainingSet>& set, bool chain, std::vector<float> example_weights);

    const WeightLayout& weights() const { return set_->weights(); }
    size_t free_count() const { return free_.size(); }
    // Sets the point: free weights in the order of memory (FreeWeights).
    void move_to(const double* weights);
    // The result is valid until the next call.
    PartSum operator()(size_t part);
    // Begins a part whose sentences follow in several sets with the same layout, adds them, and returns the sum.
    void begin(size_t part);
    void add(const TrainingSet& set, const float* example_weights = nullptr);
    PartSum end();

private:
    FreeWeights free_;
    AlignedVector<double> by_place_, gradient_, shared_, edge_gradient_;
    std::vector<double> own_;
    EdgeTable<double> edges_;
    ChainScratch<double> scratch_;
    size_t part_ = 0;
    double loss_ = 0;
};

// Sums the parts of a training set whose sentences are not in memory, a block at a time.
SumParts sum_parts_of_stream(const std::shared_ptr<const TrainingSet>& set, bool chain);

}  // namespace tagpool
