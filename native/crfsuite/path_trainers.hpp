// CRFsuite's trainers that compare the best labels with the gold labels: averaged perceptron, passive aggressive and AROW.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "crfsuite/online_trainer.hpp"

namespace tagpool {

class PathTrainer : public OnlineTrainer {
public:
    using OnlineTrainer::OnlineTrainer;
    double epoch(InterruptCheck interrupt) override;

protected:
    // Updates the weights where `path_` is wrong in `wrong` labels; `best` is its score. Returns the loss.
    virtual double update(size_t wrong, double best) = 0;
    // weights_ minus `sums` over the number of sentences so far: the average of the weights over time.
    const std::vector<double>& average(const std::vector<double>& sums);

    std::vector<int32_t> path_;
    size_t seen_ = 1;  // sentences so far, and 1

private:
    bool is_stable_ = false;  // the last epoch changed no weight, so that no other will
    std::vector<double> average_;
};

// Structured perceptron with averaged weights (Collins 2002).
class AveragedPerceptron : public PathTrainer {
public:
    explicit AveragedPerceptron(const CrfsuiteData& data) : PathTrainer(data), sums_(weights_.size()) {}
    const std::vector<double>& result() override { return average(sums_); }
    double norm() override { return norm_of(result()); }

private:
    double update(size_t wrong, double best) override;

    std::vector<double> sums_;
};

// The weights in which two paths differ, in the order of first use.
class PathDifference {
public:
    explicit PathDifference(size_t weights) : values_(weights), is_used_(weights) {}

    void compute(const Scorer& scorer, const int32_t* gold, const int32_t* path);
    size_t size() const { return weights_.size(); }
    size_t weight(size_t i) const { return weights_[i]; }
    double value(size_t i) const { return values_[weights_[i]]; }

private:
    std::vector<size_t> weights_;
    std::vector<double> values_;    // by weight; 0 outside weights_
    std::vector<uint8_t> is_used_;  // by weight
};

struct PassiveAggressiveOptions {
    int type = 1;  // 1: PA-I, 2: PA-II, else without slack
    double aggressiveness = 1;
    bool error_sensitive = true;  // the margin grows with the number of wrong labels
    bool averaging = true;
};

// Passive aggressive algorithm (Crammer et al. 2006).
class PassiveAggressive : public PathTrainer {
public:
    PassiveAggressive(const CrfsuiteData& data, const PassiveAggressiveOptions& options)
        : PathTrainer(data), options_(options), sums_(weights_.size()), difference_(weights_.size()) {}
    const std::vector<double>& result() override { return options_.averaging ? average(sums_) : weights_; }

private:
    double update(size_t wrong, double best) override;

    PassiveAggressiveOptions options_;
    std::vector<double> sums_;
    PathDifference difference_;
};

// Adaptive regularisation of weights with a diagonal covariance (Mejer and Crammer 2010).
class Arow : public PathTrainer {
public:
    Arow(const CrfsuiteData& data, double variance, double gamma)
        : PathTrainer(data), gamma_(gamma), variances_(weights_.size(), variance), difference_(weights_.size()) {}

private:
    double update(size_t wrong, double best) override;

    double gamma_;
    std::vector<double> variances_;
    PathDifference difference_;
};

}  // namespace tagpool
