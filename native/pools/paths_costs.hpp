// PathCosts: costs of a state's edges at a token. An expert that abstains is charged the average cost of the others; if abstaining were
// free, experts that abstain at difficult tokens would win. With weights w and discount β the average is that of weighted majority,
// -ln(Σ w β^cost / Σ w) / -ln β, which keeps the expert's fraction of the state's weight. Without weights it is the mean.
#pragma once
#include <cmath>
#include <vector>

#include "base/exponential.hpp"
#include "pools/paths.hpp"

namespace tagpool {

class PathCosts {
public:
    PathCosts(const Ballots& ballots, size_t most_edges, double rate) : ballots_(ballots), rate_(rate), costs_(most_edges) {}

    // Costs of `count` edges; edge i carries expert_of(i). `weights`, one per edge, may be null.
    template <class ExpertOf>
    const double* charge(size_t token, size_t count, const double* weights, const ExpertOf& expert_of) {
        const int32_t* const votes = ballots_.votes_at(token);
        bool abstains = false;
        for (size_t i = 0; i < count; ++i) {
            const int32_t vote = votes[expert_of(i)];
            costs_[i] = ballots_.cost(token, vote);
            abstains |= vote < 0;
        }
        if (!abstains) return costs_.data();
        double total = 0.0, sum = 0.0;
        for (size_t i = 0; i < count; ++i) {
            if (votes[expert_of(i)] < 0) continue;
            const double weight = weights ? weights[i] : 1.0;
            total += weight;
            sum += weight * (weights ? exponential(-rate_ * costs_[i]) : costs_[i]);
        }
        const double average = total <= 0.0 || sum <= 0.0 ? 0.0 : weights ? -logarithm(sum / total) / rate_ : sum / total;
        for (size_t i = 0; i < count; ++i)
            if (votes[expert_of(i)] < 0) costs_[i] = average;
        return costs_.data();
    }

private:
    const Ballots& ballots_;
    double rate_;
    std::vector<double> costs_;
};

}  // namespace tagpool
