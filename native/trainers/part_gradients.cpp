#include "trainers/part_gradients.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

PartGradients::PartGradients(const std::shared_ptr<const TrainingSet>& set, bool chain, std::vector<float> example_weights)
    : Trainer(set, chain, std::move(example_weights)), free_(*set, chain) {
    set_->require_items(true);
    by_place_.assign(set_->weight_count(), 0);
    gradient_.assign(set_->weight_count(), 0);
    shared_.assign(set_->shared_count(), 0);
    edge_gradient_.assign(set_->edge_size(), 0);
}

void PartGradients::move_to(const double* weights) {
    free_.each(0, free_.size(), [&](size_t i, size_t place) { by_place_[place] = weights[i]; });
    if (chain_) kernels().doubles.make_edges(*set_, {by_place_.data(), 1, 1.0}, edges_);
}

void PartGradients::begin(size_t part) {
    if (part >= weights().parts()) throw InputFault("part " + std::to_string(part) + " is out of range; there are " + std::to_string(weights().parts()));
    part_ = part;
    loss_ = 0;
    std::fill(shared_.begin(), shared_.end(), 0.0);
    std::fill(edge_gradient_.begin(), edge_gradient_.end(), 0.0);
    for (const auto& [first, last] : weights().own_places(part)) std::fill(gradient_.data() + first, gradient_.data() + last, 0.0);
}

void PartGradients::add(const TrainingSet& set, const float* example_weights) {
    loss_ = kernels().objective.add_gradient({set, chain_, example_weights}, by_place_.data(), edges_, part_,
                                             {shared_.data(), gradient_.data(), edge_gradient_.data(), loss_}, scratch_);
}

PartSum PartGradients::end() {
    own_.clear();
    for (const auto& [first, last] : weights().own_places(part_)) own_.insert(own_.end(), gradient_.data() + first, gradient_.data() + last);
    return {loss_, shared_.data(), own_.data(), edge_gradient_.data()};
}

PartSum PartGradients::operator()(size_t part) {
    begin(part);
    add(*set_, examples().weights);
    return end();
}

}  // namespace tagpool
