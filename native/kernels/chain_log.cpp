#include "kernels/chain_log.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tagpool {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_sum(const std::vector<double>& x) {
    const double most = *std::max_element(x.begin(), x.end());
    if (most == kNever) return kNever;
    double total = 0;
    for (double value : x) total += std::exp(value - most);
    return most + std::log(total);
}

struct LogChain {
    size_t length, labels;
    bool vary;                        // a matrix of edges for every token; else one for all
    std::vector<double> nodes;        // [T][L]
    std::vector<double> edges;        // [L][L], or [T][L][L]; the first token's is not used
    std::vector<double> start, end;   // [L]
    std::vector<double> alpha, beta;  // [T][L]

    double& edge(size_t t, size_t a, size_t b) { return edges[((vary ? t : 0) * labels + a) * labels + b]; }

    // Fills alpha and beta; returns log Z.
    double run() {
        alpha.assign(length * labels, kNever);
        beta.assign(length * labels, kNever);
        std::vector<double> terms(labels);
        for (size_t y = 0; y < labels; ++y) alpha[y] = start[y] + nodes[y];
        for (size_t t = 1; t < length; ++t)
            for (size_t b = 0; b < labels; ++b) {
                for (size_t a = 0; a < labels; ++a) terms[a] = alpha[(t - 1) * labels + a] + edge(t, a, b);
                alpha[t * labels + b] = log_sum(terms) + nodes[t * labels + b];
            }
        for (size_t y = 0; y < labels; ++y) beta[(length - 1) * labels + y] = end[y];
        for (size_t t = length - 1; t > 0; --t)
            for (size_t a = 0; a < labels; ++a) {
                for (size_t b = 0; b < labels; ++b) terms[b] = edge(t, a, b) + nodes[t * labels + b] + beta[t * labels + b];
                beta[(t - 1) * labels + a] = log_sum(terms);
            }
        for (size_t y = 0; y < labels; ++y) terms[y] = alpha[(length - 1) * labels + y] + end[y];
        return log_sum(terms);
    }

    double marginal(size_t t, size_t y, double total) const { return std::exp(alpha[t * labels + y] + beta[t * labels + y] - total); }
    double bigram_marginal(size_t t, size_t a, size_t b, double total) {
        return std::exp(alpha[(t - 1) * labels + a] + edge(t, a, b) + nodes[t * labels + b] + beta[t * labels + b] - total);
    }
};

template <class T>
LogChain make_chain(const TrainingSet& set, const WeightView<T>& weights, size_t begin, size_t length, const T* scores) {
    const size_t stride = set.stride(), labels = set.labels();
    const T* const edges = weights.edges(set);
    const double divisor = 1.0 / static_cast<double>(weights.inverse_divisor);
    const auto at = [&](size_t place) { return static_cast<double>(edges[place]) / divisor; };
    LogChain chain{length, labels, !set.transition_features().empty(), {}, {}, {}, {}, {}, {}};
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; y < labels; ++y) chain.nodes.push_back(static_cast<double>(scores[t * stride + y]));
    for (size_t t = 0; t < (chain.vary ? length : 1); ++t)
        for (size_t a = 0; a < labels; ++a)
            for (size_t b = 0; b < labels; ++b) chain.edges.push_back(at(set.transitions_begin() + a * stride + b));
    for (size_t y = 0; y < labels; ++y) {
        chain.start.push_back(at(set.start_begin() + y));
        chain.end.push_back(at(set.end_begin() + y));
    }
    set.transition_features().each_cell(begin, length, [&](size_t t, uint32_t cell, float value) {
        const size_t bigram = set.transition_features().bigram(cell);
        chain.edge(t, bigram / stride, bigram % stride) += at(set.transition_cells_begin() + cell) * static_cast<double>(value);
    });
    return chain;
}

}  // namespace

template <class T>
double log_space_sentence(const TrainingSet& set, const WeightView<T>& weights, const SentenceGradient<T>& sentence, ChainScratch<T>& scratch) {
    const size_t stride = set.stride(), labels = set.labels(), begin = sentence.begin, length = sentence.length;
    const auto weight = static_cast<double>(sentence.weight);
    LogChain chain = make_chain(set, weights, begin, length, scratch.scores.data());
    const auto add = [&](double total, double by) {
        for (size_t t = 0; t < length; ++t)
            for (size_t y = 0; y < labels; ++y) {
                const auto marginal = static_cast<T>(by * chain.marginal(t, y, total));
                sentence.nodes[t * stride + y] += marginal;
                if (t == 0) sentence.edges[labels * stride + y] += marginal;
                if (t + 1 == length) sentence.edges[(labels + 1) * stride + y] += marginal;
                for (size_t a = 0; t > 0 && a < labels; ++a)
                    sentence.edges[a * stride + y] += static_cast<T>(by * chain.bigram_marginal(t, a, y, total));
            }
        size_t i = 0;
        set.transition_features().each_cell(begin, length, [&](size_t t, uint32_t cell, float value) {
            const size_t bigram = set.transition_features().bigram(cell);
            scratch.cell_gradients[i++] +=
                static_cast<T>(by * static_cast<double>(value) * chain.bigram_marginal(t, bigram / stride, bigram % stride, total));
        });
    };
    const double all = chain.run();
    add(all, weight);
    for (size_t t = 0; t < length; ++t) {
        const int32_t gold = set.gold_[begin + t];
        for (size_t y = 0; gold != TrainingSet::kUnknown && y < labels; ++y)
            if (y != static_cast<size_t>(gold)) chain.nodes[t * labels + y] = kNever;
    }
    const double known = chain.run();
    add(known, -weight);
    return weight * (all - known);
}

template double log_space_sentence(const TrainingSet&, const WeightView<float>&, const SentenceGradient<float>&, ChainScratch<float>&);
template double log_space_sentence(const TrainingSet&, const WeightView<double>&, const SentenceGradient<double>&, ChainScratch<double>&);

}  // namespace tagpool
