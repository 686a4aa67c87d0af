// One sentence in log space: slow, and right whatever the scores. The kernels fall back on it where probabilities underflow.
#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

struct LogChain {
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    size_t length, labels;
    std::vector<double> nodes, edges, start, end;  // length x labels, labels x labels, labels, labels
    std::vector<double> alpha, beta;

    static double log_sum(const std::vector<double>& x) {
        double most = kNever;
        for (double value : x) most = std::max(most, value);
        if (most == kNever) return kNever;
        double total = 0;
        for (double value : x) total += std::exp(value - most);
        return most + std::log(total);
    }

    // log Z; fills alpha and beta.
    double run() {
        alpha.assign(length * labels, kNever);
        beta.assign(length * labels, kNever);
        std::vector<double> terms(labels);
        for (size_t y = 0; y < labels; ++y) alpha[y] = start[y] + nodes[y];
        for (size_t t = 1; t < length; ++t)
            for (size_t b = 0; b < labels; ++b) {
                for (size_t a = 0; a < labels; ++a) terms[a] = alpha[(t - 1) * labels + a] + edges[a * labels + b];
                alpha[t * labels + b] = log_sum(terms) + nodes[t * labels + b];
            }
        for (size_t y = 0; y < labels; ++y) beta[(length - 1) * labels + y] = end[y];
        for (size_t t = length - 1; t > 0; --t)
            for (size_t a = 0; a < labels; ++a) {
                for (size_t b = 0; b < labels; ++b) terms[b] = edges[a * labels + b] + nodes[t * labels + b] + beta[t * labels + b];
                beta[(t - 1) * labels + a] = log_sum(terms);
            }
        for (size_t y = 0; y < labels; ++y) terms[y] = alpha[(length - 1) * labels + y] + end[y];
        return log_sum(terms);
    }
};

// Adds `weight` times the gradient of -log p(gold | x) to rows of `stride`, and returns the loss. `scores` are the node scores (divided
// already), `weights` the weights that are to be divided by `divisor`.
template <class T>
double log_space_sentence(const TrainingSet& set, const T* weights, double divisor, size_t begin, size_t length, T weight, const T* scores,
                          T* node_gradients, T* edge_gradients) {
    const size_t stride = set.stride(), labels = set.labels();
    LogChain chain{length, labels, {}, {}, {}, {}, {}, {}};
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; y < labels; ++y) chain.nodes.push_back(static_cast<double>(scores[t * stride + y]));
    for (size_t a = 0; a < labels; ++a)
        for (size_t b = 0; b < labels; ++b)
            chain.edges.push_back(static_cast<double>(weights[set.transitions_begin() + a * stride + b]) / divisor);
    for (size_t y = 0; y < labels; ++y) {
        chain.start.push_back(static_cast<double>(weights[set.start_begin() + y]) / divisor);
        chain.end.push_back(static_cast<double>(weights[set.end_begin() + y]) / divisor);
    }
    const auto add = [&](double total, double sign) {
        const double by = sign * static_cast<double>(weight);
        for (size_t t = 0; t < length; ++t)
            for (size_t y = 0; y < labels; ++y) {
                const double marginal = by * std::exp(chain.alpha[t * labels + y] + chain.beta[t * labels + y] - total);
                node_gradients[t * stride + y] += static_cast<T>(marginal);
                if (t == 0) edge_gradients[labels * stride + y] += static_cast<T>(marginal);
                if (t + 1 == length) edge_gradients[(labels + 1) * stride + y] += static_cast<T>(marginal);
                for (size_t a = 0; t > 0 && a < labels; ++a) {
                    const double pair = chain.alpha[(t - 1) * labels + a] + chain.edges[a * labels + y] + chain.nodes[t * labels + y] +
                                        chain.beta[t * labels + y] - total;
                    edge_gradients[a * stride + y] += static_cast<T>(by * std::exp(pair));
                }
            }
    };
    const double all = chain.run();
    add(all, 1);
    for (size_t t = 0; t < length; ++t) {
        const int32_t gold = set.gold_[begin + t];
        for (size_t y = 0; gold != TrainingSet::kUnknown && y < labels; ++y)
            if (y != static_cast<size_t>(gold)) chain.nodes[t * labels + y] = LogChain::kNever;
    }
    const double known = chain.run();
    add(known, -1);
    return static_cast<double>(weight) * (all - known);
}

}  // namespace tagpool
