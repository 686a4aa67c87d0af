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
    if (part >= weights().parts())
        throw InputFault("part " + std::to_string(part) + " is out of range; there are " + std::to_string(weights().parts()));
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

namespace {

// Chunks that are loaded together, for the parts [first, last).
struct Load {
    std::vector<uint32_t> chunks;
    size_t first, last;
};

// With bundles, which belong to a part, a whole part is loaded; otherwise blocks.
std::vector<Load> plan_loads(const WeightLayout& weights, const Chunks& chunks) {
    const std::vector<size_t>& limits = weights.part_tokens();
    std::vector<Load> loads;
    if (!weights.columns()) {
        for (std::vector<uint32_t>& block : chunks.in_order()) {
            const size_t begin = chunks.first_token(block.front()), end = chunks.first_token(block.back() + 1);
            Load& load = loads.emplace_back(Load{std::move(block), 0, 0});
            while (limits[load.first + 1] <= begin) ++load.first;
            for (load.last = load.first; load.last < weights.parts() && limits[load.last] < end;) ++load.last;
        }
        return loads;
    }
    for (size_t part = 0; part < weights.parts(); ++part) {
        Load& load = loads.emplace_back(Load{{}, part, part + 1});
        for (uint32_t chunk = 0; chunk < chunks.size(); ++chunk)
            if (chunks.first_token(chunk) < limits[part + 1] && chunks.first_token(chunk + 1) > limits[part]) load.chunks.push_back(chunk);
    }
    return loads;
}

}  // namespace

SumParts sum_parts_of_stream(const std::shared_ptr<const TrainingSet>& set, bool chain) {
    const auto gradients = std::make_shared<PartGradients>(set, chain, std::vector<float>());
    return [set, gradients, loads = plan_loads(set->weights(), set->stream()->chunks)](const double* at,
                                                                                       const std::function<void(const PartSum&)>& add) {
        gradients->move_to(at);
        size_t begun = 0;  // parts
        const auto begin_until = [&](size_t last) {
            for (; begun < last; gradients->begin(begun++))
                if (begun > 0) add(gradients->end());
        };
        for (const Load& load : loads) {
            if (load.chunks.empty()) continue;
            const std::shared_ptr<const TrainingSet> block = set->stream()->load(load.chunks);
            for (size_t part = load.first; part < load.last; ++part) {
                begin_until(part + 1);
                gradients->add(*block);
            }
        }
        begin_until(gradients->weights().parts());
        add(gradients->end());
    };
}

}  // namespace tagpool
