#include "crfsuite/path_trainers.hpp"

#include <algorithm>
#include <cmath>

namespace tagpool {

double PathTrainer::epoch(InterruptCheck interrupt) {
    shuffle();
    if (is_stable_) {
        seen_ += order_.size();
        return 0;
    }
    double loss = 0;
    is_stable_ = true;
    for (const uint32_t sentence : order_) {
        scorer_.set(sentence, weights_.data(), 1);
        const double best = scorer_.decode(path_);
        size_t wrong = 0;
        for (size_t t = 0; t < path_.size(); ++t) wrong += path_[t] != scorer_.gold()[t];
        if (wrong > 0) {
            loss += update(wrong, best);
            is_stable_ = false;
        }
        ++seen_;
        interrupt.poll();
    }
    return loss;
}

const std::vector<double>& PathTrainer::average(const std::vector<double>& sums) {
    average_ = weights_;
    const double share = 1 / static_cast<double>(seen_);
    for (size_t i = 0; i < average_.size(); ++i) average_[i] -= share * sums[i];
    return average_;
}

double AveragedPerceptron::update(size_t wrong, double) {
    const auto add = [&](double sign) {
        return [this, sign](size_t weight, double value) {
            weights_[weight] += sign * value;
            sums_[weight] += sign * static_cast<double>(seen_) * value;
        };
    };
    scorer_.each_on_path(scorer_.gold(), add(1));
    scorer_.each_on_path(path_.data(), add(-1));
    return static_cast<double>(wrong) / static_cast<double>(path_.size());
}

void PathDifference::compute(const Scorer& scorer, const int32_t* gold, const int32_t* path) {
    for (const size_t weight : weights_) {
        values_[weight] = 0;
        is_used_[weight] = 0;
    }
    weights_.clear();
    const auto add = [&](double sign) {
        return [this, sign](size_t weight, double value) {
            values_[weight] += sign * value;
            if (is_used_[weight]) return;
            is_used_[weight] = 1;
            weights_.push_back(weight);
        };
    };
    scorer.each_on_path(gold, add(1));
    scorer.each_on_path(path, add(-1));
}

double PassiveAggressive::update(size_t wrong, double best) {
    const double margin = options_.error_sensitive ? std::sqrt(static_cast<double>(wrong)) : 1;
    const double cost = best - scorer_.score(scorer_.gold()) + margin;
    difference_.compute(scorer_, scorer_.gold(), path_.data());
    double square = 0;
    for (size_t i = 0; i < difference_.size(); ++i) square += difference_.value(i) * difference_.value(i);
    double step = cost / square;
    if (options_.type == 1) step = std::min(options_.aggressiveness, step);
    if (options_.type == 2) step = cost / (square + 0.5 / options_.aggressiveness);
    const double sum_step = step * static_cast<double>(seen_);
    for (size_t i = 0; i < difference_.size(); ++i) {
        weights_[difference_.weight(i)] += step * difference_.value(i);
        sums_[difference_.weight(i)] += sum_step * difference_.value(i);
    }
    return cost;
}

double Arow::update(size_t wrong, double best) {
    const double cost = best - scorer_.score(scorer_.gold()) + static_cast<double>(wrong);
    difference_.compute(scorer_, scorer_.gold(), path_.data());
    double uncertainty = gamma_;
    for (size_t i = 0; i < difference_.size(); ++i) uncertainty += difference_.value(i) * difference_.value(i) * variances_[difference_.weight(i)];
    const double step = cost / uncertainty;
    for (size_t i = 0; i < difference_.size(); ++i) {
        double& variance = variances_[difference_.weight(i)];
        weights_[difference_.weight(i)] += step * variance * difference_.value(i);
        variance = 1 / (1 / variance + difference_.value(i) * difference_.value(i) / gamma_);
    }
    return cost;
}

}  // namespace tagpool
