#include "objective.hpp"

#include <algorithm>

#include "fault.hpp"
#include "parallel.hpp"

namespace tagpool {

Objective::Objective(std::shared_ptr<const TrainingSet> set, bool chain, double l2, std::vector<float> example_weights, unsigned threads)
    : set_(std::move(set)), chain_(chain), l2_(l2), example_weights_(std::move(example_weights)), threads_(std::max(threads, 1u)),
      count_(chain ? set_->places().size() : set_->pair_count()), scratch_(threads_) {
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "expected one weight a sentence" : "expected one weight a token");
    const size_t edges = (size_t{set_->labels()} + 2) * set_->stride();
    weights_.assign(set_->weight_count(), 0);
    gradient_.assign(set_->weight_count(), 0);
    node_gradients_.assign(set_->token_count() * set_->stride(), 0);
    edge_gradients_.assign(kShards * edges, 0);
    losses_.assign(kShards, 0);
}

double Objective::operator()(const double* parameters, double* gradient) {
    const TrainingSet& set = *set_;
    const Kernels<double>& run = kernels<double>();
    const std::vector<uint32_t>& places = set.places();
    for (size_t i = 0; i < count_; ++i) weights_[places[i]] = parameters[i];
    run.make_edges(set, weights_.data(), edges_);

    const size_t edges = (size_t{set.labels()} + 2) * set.stride();
    std::fill(edge_gradients_.begin(), edge_gradients_.end(), 0.0);
    const float* const weights = example_weights_.empty() ? nullptr : example_weights_.data();
    parallel_for(kShards, threads_, [&](size_t shard, unsigned worker) {
        const size_t first = set.sentence_count() * shard / kShards, last = set.sentence_count() * (shard + 1) / kShards;
        losses_[shard] = run.expectations(set, weights_.data(), edges_, chain_, weights, first, last, node_gradients_.data(),
                                          edge_gradients_.data() + shard * edges, scratch_[worker]);
    });
    parallel_for(kShards, threads_, [&](size_t shard, unsigned) {
        const size_t rows = set.dense_rows(), singles = set.label_of_single_.size();
        run.sum_rows(set, node_gradients_.data(), rows * shard / kShards, rows * (shard + 1) / kShards, gradient_.data());
        run.sum_singles(set, node_gradients_.data(), singles * shard / kShards, singles * (shard + 1) / kShards, gradient_.data());
    });

    // Shards are summed in their order, so that nothing depends on which thread had which.
    double value = 0;
    double* const edge_gradient = gradient_.data() + set.transitions_begin();
    std::fill(edge_gradient, edge_gradient + edges, 0.0);
    for (size_t shard = 0; shard < kShards; ++shard) {
        value += losses_[shard];
        for (size_t i = 0; i < edges; ++i) edge_gradient[i] += edge_gradients_[shard * edges + i];
    }
    double squares = 0;
    for (size_t i = 0; i < count_; ++i) {
        squares += parameters[i] * parameters[i];
        gradient[i] = gradient_[places[i]] + l2_ * parameters[i];
    }
    return value + 0.5 * l2_ * squares;
}

}  // namespace tagpool
