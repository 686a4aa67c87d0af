// Probabilities from the messages, from the first token to the last. The chain is a Markov chain with
//   P(y_{t+1} = j | y_t = i) = e^edge(i, j) · ahead_{t+1}(j) / after_t(i).
// Probabilities are multiplied and added but never subtracted, so that small ones keep their precision.
#include <algorithm>

#include "base/random.hpp"
#include "base/sum.hpp"
#include "chain/chain.hpp"
#include "chain/recursions.hpp"

namespace tagpool {
namespace {

// out(i) ∝ P(y_0 = i)
void first_weights(const Messages& messages, size_t L, double* out) {
    for (size_t i = 0; i < L; ++i) out[i] = messages.logarithmic ? exponential(messages.ahead[i]) : messages.ahead[i];
}

// out(j) ∝ P(y_t = j | y_{t-1} = from), for t > 0 and a possible label `from`.
TAGPOOL_KERNEL void next_weights(const Chain& chain, const Messages& messages, size_t t, size_t from, double* out) {
    const size_t L = chain.labels(), P = chain.width();
    const double* const ahead = messages.ahead.data() + t * P;
    if (messages.logarithmic) {
        const double* const edge = chain.edges->row(t, from);
        const double after = messages.after[(t - 1) * P + from];
        for (size_t j = 0; j < L; ++j) out[j] = exponential((edge[j] + ahead[j]) - after);
    } else {
        const double* const weight = chain.edges->weights.data() + from * P;
        for (size_t j = 0; j < L; ++j) out[j] = weight[j] * ahead[j];
    }
}

TAGPOOL_KERNEL void normalize(double* values, size_t L) {
    double sum = 0.0;
    for (size_t i = 0; i < L; ++i) sum += values[i];
    for (size_t i = 0; i < L; ++i) values[i] /= sum;
}

size_t draw(const double* weights, size_t L, Random& random) {
    double total = 0.0;
    for (size_t i = 0; i < L; ++i) total += weights[i];
    const double threshold = random.uniform() * total;
    double sum = 0.0;
    size_t last = 0;
    for (size_t i = 0; i < L; ++i) {
        if (weights[i] == 0.0) continue;
        last = i;
        sum += weights[i];
        if (sum > threshold) break;
    }
    return last;
}

// The entropy of a row of conditional probabilities is ln Σ w - Σ w ln w / Σ w for weights w = e^edge · ahead. So the sums over j are
// matrix products, with g = ahead: Σ_j W(i, j)·g(j) is `after`, and
//   Σ_j w ln w = Σ_j W(i, j)·ln W(i, j)·g(j) + Σ_j W(i, j)·g(j)·ln g(j).
//
// `scratch` has room for labels + 3 rows.
TAGPOOL_KERNEL double entropy_of_weights(const Chain& chain, const Messages& messages, const double* marginals, double* scratch) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    const std::vector<double>& weights = chain.edges->transposed_weights;
    double *const weight_logs = scratch, *const logs = scratch + L * P, *const first = logs + P, *const second = first + P;
    for (size_t i = 0; i < L * P; ++i) weight_logs[i] = weights[i] == 0.0 ? 0.0 : weights[i] * logarithm(weights[i]);
    double total = 0.0;
    for (size_t t = 0; t + 1 < T; ++t) {
        const double* const ahead = messages.ahead.data() + (t + 1) * P;
        const double* const after = messages.after.data() + t * P;
        for (size_t j = 0; j < L; ++j) {
            const double log = logarithm(ahead[j]);
            logs[j] = log == kForbidden ? 0.0 : ahead[j] * log;
        }
        product(weight_logs, ahead, L, P, first);
        product(weights.data(), logs, L, P, second);
        for (size_t i = 0; i < L; ++i) {
            const double p = marginals[t * L + i];
            if (p > 0.0) total += p * (logarithm(after[i]) - (first[i] + second[i]) / after[i]);
        }
    }
    return total;
}

TAGPOOL_KERNEL double entropy_of_logarithms(const Chain& chain, const Messages& messages, const double* marginals) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    double total = 0.0;
    for (size_t t = 0; t + 1 < T; ++t) {
        const double* const ahead = messages.ahead.data() + (t + 1) * P;
        for (size_t i = 0; i < L; ++i) {
            const double p = marginals[t * L + i];
            if (p == 0.0) continue;
            const double* const edge = chain.edges->row(t + 1, i);
            const double after = messages.after[t * P + i];
            double sum = 0.0;
            for (size_t j = 0; j < L; ++j) {
                const double log = (edge[j] + ahead[j]) - after;
                const double term = exponential(log) * log;
                sum += log == kForbidden ? 0.0 : term;
            }
            total -= p * sum;
        }
    }
    return total;
}

}  // namespace

// ln P(y) = Σ_t (node_t(y_t) + edge(y_{t-1}, y_t) - level_t) - log_total, summed step by step.
double log_probability(const Chain& chain, const Messages& messages, const int32_t* sequence) {
    Sum sum(-messages.log_total);
    for (size_t t = 0; t < chain.tokens; ++t) {
        const size_t label = static_cast<size_t>(sequence[t]);
        const double node = chain.node(t, label);
        const double edge = t == 0 ? 0.0 : chain.edges->row(t, static_cast<size_t>(sequence[t - 1]))[label];
        if (node == kForbidden || edge == kForbidden) return kForbidden;
        sum.add(node);
        sum.add(edge);
        sum.add(-messages.level[t]);
    }
    return std::min(sum.value(), 0.0);
}

// `scratch` has room for three rows.
TAGPOOL_CLONES void find_marginals(const Chain& chain, const Messages& messages, double* scratch, double* out) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    double *const factors = scratch, *const sums = scratch + P, *const next = sums + P;
    first_weights(messages, L, out);
    normalize(out, L);
    for (size_t t = 1; t < T; ++t) {
        const double* const previous = out + (t - 1) * L;
        double* const current = out + t * L;
        if (messages.logarithmic) {
            std::fill(current, current + L, 0.0);
            for (size_t i = 0; i < L; ++i) {
                if (previous[i] == 0.0) continue;
                next_weights(chain, messages, t, i, next);
                for (size_t j = 0; j < L; ++j) current[j] += previous[i] * next[j];
            }
        } else {
            const double* const after = messages.after.data() + (t - 1) * P;
            for (size_t i = 0; i < L; ++i) factors[i] = previous[i] == 0.0 ? 0.0 : previous[i] / after[i];
            product(chain.edges->weights.data(), factors, L, P, sums);
            for (size_t j = 0; j < L; ++j) current[j] = sums[j] * messages.ahead[t * P + j];
        }
        normalize(current, L);  // avoids accumulated rounding errors in long sentences
    }
}

void marginals(const Chain& chain, const Messages& messages, double* out) {
    if (chain.tokens == 0) return;
    std::vector<double> scratch(3 * chain.width());
    find_marginals(chain, messages, scratch.data(), out);
}

TAGPOOL_CLONES void bigram_marginals(const Chain& chain, const Messages& messages, const double* marginals, double* out) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width();
    for (size_t t = 0; t + 1 < T; ++t) {
        for (size_t i = 0; i < L; ++i, out += L) {
            const double p = marginals[t * L + i];
            if (p == 0.0) {
                std::fill(out, out + L, 0.0);
                continue;
            }
            next_weights(chain, messages, t + 1, i, out);
            const double factor = messages.logarithmic ? p : p / messages.after[t * P + i];
            for (size_t j = 0; j < L; ++j) out[j] *= factor;
        }
    }
}

// H(y) = H(y_0) + Σ_t Σ_i P(y_t = i)·H(y_{t+1} | y_t = i)
TAGPOOL_CLONES double find_entropy(const Chain& chain, const Messages& messages, const double* marginals, double* scratch) {
    double total = messages.logarithmic ? entropy_of_logarithms(chain, messages, marginals) : entropy_of_weights(chain, messages, marginals, scratch);
    for (size_t i = 0; i < chain.labels(); ++i)
        if (marginals[i] > 0.0) total -= marginals[i] * logarithm(marginals[i]);
    return std::max(total, 0.0);
}

double entropy(const Chain& chain, const Messages& messages, const double* marginals) {
    if (chain.tokens == 0) return 0.0;
    std::vector<double> scratch((chain.labels() + 3) * chain.width());
    return find_entropy(chain, messages, marginals, scratch.data());
}

// `scratch` has room for two rows.
TAGPOOL_CLONES void draw_sequences(const Chain& chain, const Messages& messages, size_t count, uint64_t seed, double* scratch, int32_t* out) {
    const size_t T = chain.tokens, L = chain.labels();
    Random random(seed);
    double *const first = scratch, *const weights = scratch + L;
    first_weights(messages, L, first);
    for (size_t n = 0; n < count; ++n) {
        size_t label = draw(first, L, random);
        *out++ = static_cast<int32_t>(label);
        for (size_t t = 1; t < T; ++t) {
            next_weights(chain, messages, t, label, weights);
            label = draw(weights, L, random);
            *out++ = static_cast<int32_t>(label);
        }
    }
}

void sample(const Chain& chain, const Messages& messages, size_t count, uint64_t seed, int32_t* out) {
    if (chain.tokens == 0) return;
    std::vector<double> scratch(2 * chain.labels());
    draw_sequences(chain, messages, count, seed, scratch.data(), out);
}

}  // namespace tagpool
