#include "chain/chain.hpp"

#include <algorithm>

#include "base/exponential.hpp"

namespace tagpool {
namespace {

// A wider range of edge scores requires logarithms. e^-200 is 1e-87, which leaves room for products.
constexpr double kMaxRange = 200.0;

}  // namespace

Edges::Edges(const double* scores, size_t labels_, bool vary_)
    : labels(labels_), width(padded(labels_)), vary(vary_), space(Space::logarithmic), scores_(scores) {
    // Weights for a single step would need as many exponentials as logarithms do.
    if (vary) return;
    transposed_.resize(labels * width);
    transpose(scores, transposed_.data());
    double highest = kForbidden, lowest = -kForbidden;
    bool forbids = false;
    for (size_t i = 0; i < labels * labels; ++i) {
        forbids |= scores[i] == kForbidden;
        if (scores[i] == kForbidden) continue;
        highest = std::max(highest, scores[i]);
        lowest = std::min(lowest, scores[i]);
    }
    if (highest - lowest > kMaxRange || highest == kForbidden) return;
    space = forbids ? Space::checked : Space::steady;
    shift = highest;
    weights.resize(labels * width);
    transposed_weights.resize(labels * width);
    for (size_t i = 0; i < labels; ++i)
        for (size_t j = 0; j < labels; ++j) weights[i * width + j] = transposed_weights[j * width + i] = exponential(scores[i * labels + j] - shift);
}

const double* Edges::transposed(size_t t, double* scratch) const {
    if (!vary) return transposed_.data();
    transpose(row(t, 0), scratch);
    return scratch;
}

void Edges::transpose(const double* scores, double* out) const {
    for (size_t j = 0; j < labels; ++j) {
        for (size_t i = 0; i < labels; ++i) out[j * width + i] = scores[i * labels + j];
        std::fill(out + j * width + labels, out + (j + 1) * width, kForbidden);
    }
}

void Chain::row(size_t t, double* out) const {
    const size_t L = labels();
    std::copy_n(nodes + t * L, L, out);
    if (t == 0 && start)
        for (size_t i = 0; i < L; ++i) out[i] += start[i];
    if (t + 1 == tokens && end)
        for (size_t i = 0; i < L; ++i) out[i] += end[i];
    std::fill(out + L, out + width(), kForbidden);
}

double Chain::score(const int32_t* sequence) const {
    if (tokens == 0) return 0.0;
    const auto label = [&](size_t t) { return static_cast<size_t>(sequence[t]); };
    double sum = node(tokens - 1, label(tokens - 1));
    for (size_t t = tokens - 1; t > 0; --t) sum = node(t - 1, label(t - 1)) + (edges->row(t, label(t - 1))[label(t)] + sum);
    return sum;
}

}  // namespace tagpool
