// What the edges of a state are charged for a token. An expert that abstains shall neither gain nor lose against the others, or whoever is
// silent where it is hard would win: it is charged what the others lose on average. With weights w and discount β that is the average of
// weighted majority, -ln(Σ w β^cost / Σ w) / -ln β, which leaves its share of the state's weights as it was; else the plain mean.
#pragma once
#include <cmath>
#include <vector>

#include "base/exponential.hpp"
#include "pools/paths.hpp"

namespace tagpool {

class PathCosts {
public:
    PathCosts(const Ballots& ballots, size_t most_edges, double rate) : ballots_(ballots), rate_(rate), costs_(most_edges) {}

    // Charges for `count` edges: `expert_of(i)` is whom edge i follows; `weights`, one an edge, may be null.
    template <class ExpertOf>
    const double* charge(size_t token, size_t count, const double* weights, const ExpertOf& expert_of) {
        const int32_t* const votes = ballots_.votes_at(token);
        bool silent = false;
        for (size_t i = 0; i < count; ++i) {
            const int32_t vote = votes[expert_of(i)];
            costs_[i] = ballots_.cost(token, vote);
            silent |= vote < 0;
        }
        if (!silent) return costs_.data();
        double total = 0.0, sum = 0.0;
        for (size_t i = 0; i < count; ++i) {
            if (votes[expert_of(i)] < 0) continue;
            const double weight = weights ? weights[i] : 1.0;
            total += weight;
            sum += weight * (weights ? exponential(-rate_ * costs_[i]) : costs_[i]);
        }
        const double usual = total <= 0.0 || sum <= 0.0 ? 0.0 : weights ? -logarithm(sum / total) / rate_ : sum / total;
        for (size_t i = 0; i < count; ++i)
            if (votes[expert_of(i)] < 0) costs_[i] = usual;
        return costs_.data();
    }

private:
    const Ballots& ballots_;
    double rate_;
    std::vector<double> costs_;
};

}  // namespace tagpool
