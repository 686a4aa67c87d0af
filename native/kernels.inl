// The kernels' one definition, included once per instruction set with TAGPOOL_VARIANT set. Loops over labels run over whole vectors.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "chain_log.hpp"
#include "kernels.hpp"

namespace tagpool::TAGPOOL_VARIANT {
namespace {

// exp(x) = 2^n * exp(r), r in [-ln2/2, ln2/2] by a polynomial. Adding and taking away `magic` rounds to a whole number in its last bits.
inline float fast_exp(float x) {
    const float bounded = std::min(std::max(x, -87.0f), 88.0f);
    const float magic = 12582912.0f;
    const float shifted = bounded * 1.44269504088896341f + magic;
    const float n = shifted - magic;
    float r = bounded - n * 0.693145751953125f;
    r = r - n * 1.428606765330187e-06f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const int32_t exponent = (__builtin_bit_cast(int32_t, shifted) + 127) << 23;
    return x < -87.0f ? 0.0f : p * __builtin_bit_cast(float, exponent);
}

inline double fast_exp(double x) {
    const double bounded = std::min(std::max(x, -708.0), 709.0);
    const double magic = 6755399441055744.0;
    const double shifted = bounded * 1.44269504088896340736 + magic;
    const double n = shifted - magic;
    double r = bounded - n * 6.93147180369123816490e-01;
    r = r - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;  // 1/13!
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    const int64_t exponent = (__builtin_bit_cast(int64_t, shifted) + 1023) << 52;
    return x < -708.0 ? 0.0 : p * __builtin_bit_cast(double, exponent);
}

// Eight partial results, so that the compiler may use vectors without reordering sums on its own.
template <class T>
inline T sum_of(const T* __restrict x, size_t stride) {
    T part[8] = {};
    for (size_t i = 0; i < stride; i += 8)
        for (size_t k = 0; k < 8; ++k) part[k] += x[i + k];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

template <class T>
inline T max_of(const T* x, size_t count) {
    T most = x[0];
    for (size_t i = 1; i < count; ++i) most = std::max(most, x[i]);
    return most;
}

template <class T>
inline void add_row(T* __restrict to, const T* __restrict row, size_t stride) {
    for (size_t y = 0; y < stride; ++y) to[y] += row[y];
}

template <class T>
inline void add_scaled(T* __restrict to, const T* __restrict row, T by, size_t stride) {
    for (size_t y = 0; y < stride; ++y) to[y] += by * row[y];
}

// A row that is summed up: in registers where its length is known when compiling, else in place.
template <class T, size_t kStride>
class Accumulator {
public:
    Accumulator(T* out, size_t) : out_(out) {
        for (size_t y = 0; y < kStride; ++y) row_[y] = 0;
    }
    T* data() { return row_; }
    void store() {
        for (size_t y = 0; y < kStride; ++y) out_[y] = row_[y];
    }

private:
    alignas(32) T row_[kStride];
    T* out_;
};
template <class T>
class Accumulator<T, 0> {
public:
    Accumulator(T* out, size_t stride) : out_(out) {
        for (size_t y = 0; y < stride; ++y) out_[y] = 0;
    }
    T* data() { return out_; }
    void store() {}

private:
    T* out_;
};

// S[t] for one token.
template <class T, size_t kStride>
inline void score_token(const TrainingSet& set, const T* weights, size_t token, T* __restrict out) {
    const size_t stride = kStride ? kStride : set.stride();
    Accumulator<T, kStride> sum(out, stride);
    T* __restrict scores = sum.data();
    const uint64_t begin = set.row_starts_[token], end = set.row_starts_[token + 1];
    if (set.row_values_.empty()) {
        for (uint64_t i = begin; i < end; ++i) add_row(scores, weights + size_t{set.rows_[i]} * stride, stride);
    } else {
        for (uint64_t i = begin; i < end; ++i)
            add_scaled(scores, weights + size_t{set.rows_[i]} * stride, static_cast<T>(set.row_values_[i]), stride);
    }
    const uint64_t first = set.single_starts_[token], last = set.single_starts_[token + 1];
    if (set.single_values_.empty()) {
        for (uint64_t i = first; i < last; ++i) scores[set.single_labels_[i]] += weights[set.singles_[i]];
    } else {
        for (uint64_t i = first; i < last; ++i)
            scores[set.single_labels_[i]] += weights[set.singles_[i]] * static_cast<T>(set.single_values_[i]);
    }
    sum.store();
}

// The rows a token needs are scattered over memory: ask for them a token ahead.
template <class T>
inline void prefetch_token(const TrainingSet& set, const T* weights, size_t token) {
    if (token >= set.token_count()) return;
    const size_t stride = set.stride();
    for (uint64_t i = set.row_starts_[token]; i < set.row_starts_[token + 1]; ++i) {
        const char* row = reinterpret_cast<const char*>(weights + size_t{set.rows_[i]} * stride);
        for (size_t byte = 0; byte < stride * sizeof(T); byte += 64) __builtin_prefetch(row + byte);
    }
    for (uint64_t i = set.single_starts_[token]; i < set.single_starts_[token + 1]; ++i) __builtin_prefetch(weights + set.singles_[i]);
}

template <class T, size_t kStride>
void score_sentence(const TrainingSet& set, const T* weights, T inverse_divisor, size_t begin, size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    scratch.scores.resize(length * stride);
    scratch.shifted.resize(length * stride);
    scratch.shift.resize(length);
    for (size_t t = 0; t < length; ++t) {
        prefetch_token(set, weights, begin + t + 1);
        T* scores = scratch.scores.data() + t * stride;
        score_token<T, kStride>(set, weights, begin + t, scores);
        if (inverse_divisor != 1)
            for (size_t y = 0; y < stride; ++y) scores[y] *= inverse_divisor;
        const T most = max_of(scores, labels);
        for (size_t y = labels; y < stride; ++y) scores[y] = -std::numeric_limits<T>::infinity();
        scratch.shift[t] = static_cast<double>(most);
        T* shifted = scratch.shifted.data() + t * stride;
        for (size_t y = 0; y < stride; ++y) shifted[y] = fast_exp(scores[y] - most);
    }
}

template <class T>
void make_edges_scaled(const TrainingSet& set, const T* weights, T inverse_divisor, EdgeTable<T>& edges) {
    const size_t stride = set.stride(), labels = set.labels();
    const T* from_to = weights + set.transitions_begin();
    const auto shifted = [&](const T* source, size_t rows, std::vector<T>& to) {
        T most = -std::numeric_limits<T>::infinity();
        for (size_t row = 0; row < rows; ++row) most = std::max(most, max_of(source + row * stride, labels));
        to.assign(rows * stride, 0);
        for (size_t row = 0; row < rows; ++row)
            for (size_t y = 0; y < labels; ++y) to[row * stride + y] = fast_exp((source[row * stride + y] - most) * inverse_divisor);
        return static_cast<double>(most * inverse_divisor);
    };
    edges.shift = shifted(from_to, labels, edges.from_to);
    edges.start_shift = shifted(weights + set.start_begin(), 1, edges.start);
    edges.end_shift = shifted(weights + set.end_begin(), 1, edges.end);
    edges.to_from.assign(labels * stride, 0);
    for (size_t a = 0; a < labels; ++a)
        for (size_t b = 0; b < labels; ++b) edges.to_from[b * stride + a] = edges.from_to[a * stride + b];
}

template <class T>
void make_edges(const TrainingSet& set, const T* weights, EdgeTable<T>& edges) {
    make_edges_scaled(set, weights, T{1}, edges);
}

// Scaled forward-backward over `shifted` node values (length x stride). Leaves alpha and beta such that alpha * beta are the node
// marginals, and in `weighted` the rows b_t with pair marginal alpha_{t-1}[a] M[a, b] b_t[b]. Returns log Z less all shifts, or NaN if it
// underflows.
template <class T, size_t kStride>
double forward_backward(const TrainingSet& set, const EdgeTable<T>& edges, const T* shifted, size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    scratch.alpha.resize(length * stride);
    scratch.beta.resize(length * stride);
    scratch.weighted.resize(length * stride);
    scratch.scale.resize(length);
    double log_scale = 0;
    T* alpha = scratch.alpha.data();
    for (size_t t = 0; t < length; ++t) {
        T* __restrict here = alpha + t * stride;
        const T* __restrict node = shifted + t * stride;
        if (t == 0) {
            for (size_t y = 0; y < stride; ++y) here[y] = edges.start[y] * node[y];
        } else {
            const T* before = here - stride;
            Accumulator<T, kStride> sum(here, stride);
            for (size_t a = 0; a < labels; ++a) add_scaled(sum.data(), edges.from_to.data() + a * stride, before[a], stride);
            for (size_t y = 0; y < stride; ++y) here[y] = sum.data()[y] * node[y];
        }
        const T total = sum_of(here, stride);
        if (!(total > std::numeric_limits<T>::min())) return std::numeric_limits<double>::quiet_NaN();
        const T inverse = 1 / total;
        for (size_t y = 0; y < stride; ++y) here[y] *= inverse;
        scratch.scale[t] = static_cast<double>(inverse);
        log_scale += std::log(static_cast<double>(total));
    }
    T last = 0;
    for (size_t y = 0; y < labels; ++y) last += alpha[(length - 1) * stride + y] * edges.end[y];
    if (!(last > std::numeric_limits<T>::min())) return std::numeric_limits<double>::quiet_NaN();
    T* beta = scratch.beta.data();
    for (size_t y = 0; y < stride; ++y) beta[(length - 1) * stride + y] = edges.end[y] / last;
    for (size_t t = length - 1; t > 0; --t) {
        T* __restrict weighted = scratch.weighted.data() + t * stride;
        const T* __restrict node = shifted + t * stride;
        const T* __restrict after = beta + t * stride;
        const T inverse = static_cast<T>(scratch.scale[t]);
        for (size_t y = 0; y < stride; ++y) weighted[y] = node[y] * after[y] * inverse;
        Accumulator<T, kStride> sum(beta + (t - 1) * stride, stride);
        for (size_t b = 0; b < labels; ++b) add_scaled(sum.data(), edges.to_from.data() + b * stride, weighted[b], stride);
        sum.store();
    }
    return log_scale + std::log(static_cast<double>(last));
}

// Adds `sign` times the node marginals, and the expected transitions, start and end.
template <class T, size_t kStride>
void add_expectations(const TrainingSet& set, const EdgeTable<T>& edges, size_t length, T sign, T* node_gradients, T* edge_gradients,
                      ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    const T* alpha = scratch.alpha.data();
    const T* beta = scratch.beta.data();
    for (size_t i = 0; i < length * stride; ++i) node_gradients[i] += sign * alpha[i] * beta[i];
    // sum_t alpha_{t-1}[a] b_t[b] is a product of matrices; M[a, b] comes in once at its end.
    std::vector<T>& row = scratch.row;
    row.resize(stride);
    for (size_t a = 0; a < labels; ++a) {
        Accumulator<T, kStride> sum(row.data(), stride);
        for (size_t t = 1; t < length; ++t)
            add_scaled(sum.data(), scratch.weighted.data() + t * stride, alpha[(t - 1) * stride + a], stride);
        T* __restrict to = edge_gradients + a * stride;
        const T* __restrict table = edges.from_to.data() + a * stride;
        for (size_t y = 0; y < stride; ++y) to[y] += sign * table[y] * sum.data()[y];
    }
    T* start = edge_gradients + labels * stride;
    T* end = start + stride;
    for (size_t y = 0; y < labels; ++y) {
        start[y] += sign * alpha[y] * beta[y];
        end[y] += sign * alpha[(length - 1) * stride + y] * beta[(length - 1) * stride + y];
    }
}

// Loss and gradients of one sentence whose node scores are in the scratch; the gradients are added.
template <class T, size_t kStride>
double chain_sentence(const TrainingSet& set, const T* weights, double divisor, const EdgeTable<T>& edges, size_t begin, size_t length,
                      T weight, T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    const int32_t* gold = set.gold_.data() + begin;
    bool complete = true;
    for (size_t t = 0; t < length; ++t) complete = complete && gold[t] != TrainingSet::kUnknown;
    const double all = forward_backward<T, kStride>(set, edges, scratch.shifted.data(), length, scratch);
    if (std::isnan(all))
        return log_space_sentence(set, weights, divisor, begin, length, weight, scratch.scores.data(), node_gradients, edge_gradients);
    add_expectations<T, kStride>(set, edges, length, weight, node_gradients, edge_gradients, scratch);
    if (complete) {
        const T* transitions = weights + set.transitions_begin();
        double score = static_cast<double>(weights[set.start_begin() + gold[0]]) + static_cast<double>(weights[set.end_begin() + gold[length - 1]]);
        double nodes = 0;
        edge_gradients[labels * stride + gold[0]] -= weight;
        edge_gradients[(labels + 1) * stride + gold[length - 1]] -= weight;
        for (size_t t = 0; t < length; ++t) {
            nodes += static_cast<double>(scratch.scores[t * stride + gold[t]]) - scratch.shift[t];
            node_gradients[t * stride + gold[t]] -= weight;
            if (t == 0) continue;
            score += static_cast<double>(transitions[gold[t - 1] * stride + gold[t]]);
            edge_gradients[gold[t - 1] * stride + gold[t]] -= weight;
        }
        const double shifts = edges.shift * static_cast<double>(length - 1) + edges.start_shift + edges.end_shift;
        return static_cast<double>(weight) * (all + shifts - score / divisor - nodes);
    }
    // Unknown labels are summed out: the same recursion with the known tokens held to their gold labels.
    scratch.clamped.assign(scratch.shifted.begin(), scratch.shifted.begin() + static_cast<std::ptrdiff_t>(length * stride));
    for (size_t t = 0; t < length; ++t)
        if (gold[t] != TrainingSet::kUnknown)
            for (size_t y = 0; y < stride; ++y)
                if (y != static_cast<size_t>(gold[t])) scratch.clamped[t * stride + y] = 0;
    const double known = forward_backward<T, kStride>(set, edges, scratch.clamped.data(), length, scratch);
    if (std::isnan(known)) {
        // Take back what was added, and do the sentence in log space.
        forward_backward<T, kStride>(set, edges, scratch.shifted.data(), length, scratch);
        add_expectations<T, kStride>(set, edges, length, -weight, node_gradients, edge_gradients, scratch);
        return log_space_sentence(set, weights, divisor, begin, length, weight, scratch.scores.data(), node_gradients, edge_gradients);
    }
    add_expectations<T, kStride>(set, edges, length, -weight, node_gradients, edge_gradients, scratch);
    return static_cast<double>(weight) * (all - known);
}

// The same for tokens that stand alone.
template <class T, size_t kStride>
double token_sentence(const TrainingSet& set, size_t begin, size_t length, T weight, T* node_gradients, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride();
    double loss = 0;
    for (size_t t = 0; t < length; ++t) {
        const int32_t gold = set.gold_[begin + t];
        if (gold == TrainingSet::kUnknown) continue;
        const T* shifted = scratch.shifted.data() + t * stride;
        const T total = sum_of(shifted, stride);
        T* to = node_gradients + t * stride;
        for (size_t y = 0; y < stride; ++y) to[y] += weight * shifted[y] / total;
        to[gold] -= weight;
        loss += std::log(static_cast<double>(total)) - (static_cast<double>(scratch.scores[t * stride + static_cast<size_t>(gold)]) - scratch.shift[t]);
    }
    return static_cast<double>(weight) * loss;
}

// Runs `work` with the stride as a constant where it is a usual one.
template <class Work>
auto with_stride(size_t stride, Work&& work) {
    switch (stride) {
        case 8: return work(std::integral_constant<size_t, 8>());
        case 16: return work(std::integral_constant<size_t, 16>());
        case 24: return work(std::integral_constant<size_t, 24>());
        case 32: return work(std::integral_constant<size_t, 32>());
        case 48: return work(std::integral_constant<size_t, 48>());
        default: return work(std::integral_constant<size_t, 0>());
    }
}

template <class T>
double expectations(const TrainingSet& set, const T* weights, const EdgeTable<T>& edges, bool chain, const float* sentence_weights,
                    size_t first, size_t last, T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t stride = set.stride();
    double loss = 0;
    for (size_t sentence = first; sentence < last; ++sentence) {
        const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
        const T weight = sentence_weights ? static_cast<T>(sentence_weights[sentence]) : T{1};
        T* nodes = node_gradients + begin * stride;
        std::memset(nodes, 0, length * stride * sizeof(T));
        loss += with_stride(stride, [&](auto constant) {
            constexpr size_t kStride = decltype(constant)::value;
            score_sentence<T, kStride>(set, weights, T{1}, begin, length, scratch);
            return chain ? chain_sentence<T, kStride>(set, weights, 1.0, edges, begin, length, weight, nodes, edge_gradients, scratch)
                         : token_sentence<T, kStride>(set, begin, length, weight, nodes, scratch);
        });
    }
    return loss;
}

template <class T>
void sum_rows(const TrainingSet& set, const T* node_gradients, size_t first, size_t last, T* gradient) {
    const size_t stride = set.stride();
    for (size_t row = first; row < last; ++row) {
        T* __restrict to = gradient + row * stride;
        for (size_t y = 0; y < stride; ++y) to[y] = 0;
        const uint64_t begin = set.row_token_starts_[row], end = set.row_token_starts_[row + 1];
        for (uint64_t i = begin; i < end; ++i) {
            if (i + 8 < end) __builtin_prefetch(node_gradients + size_t{set.row_tokens_[i + 8]} * stride);
            const T* from = node_gradients + size_t{set.row_tokens_[i]} * stride;
            if (set.row_token_values_.empty()) add_row(to, from, stride);
            else add_scaled(to, from, static_cast<T>(set.row_token_values_[i]), stride);
        }
    }
}

template <class T>
void sum_singles(const TrainingSet& set, const T* node_gradients, size_t first, size_t last, T* gradient) {
    const size_t stride = set.stride();
    T* to = gradient + set.singles_begin();
    for (size_t single = first; single < last; ++single) {
        const T* from = node_gradients + set.label_of_single_[single];
        T total = 0;
        for (uint64_t i = set.single_token_starts_[single]; i < set.single_token_starts_[single + 1]; ++i) {
            const T value = from[size_t{set.single_tokens_[i]} * stride];
            total += set.single_token_values_.empty() ? value : value * static_cast<T>(set.single_token_values_[i]);
        }
        to[single] = total;
    }
}

template <class T>
double descend(const TrainingSet& set, size_t sentence, T* weights, T divisor, bool chain, float sentence_weight, T step, T* averages,
               T average_step, EdgeTable<T>& edges, ChainScratch<T>& scratch, T* edge_gradients) {
    const size_t stride = set.stride(), labels = set.labels();
    const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
    thread_local std::vector<T> nodes;
    nodes.assign(length * stride, 0);
    if (chain) {
        make_edges_scaled(set, weights, 1 / divisor, edges);
        std::memset(edge_gradients, 0, (labels + 2) * stride * sizeof(T));
    }
    const double loss = with_stride(stride, [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        score_sentence<T, kStride>(set, weights, 1 / divisor, begin, length, scratch);
        const T weight = static_cast<T>(sentence_weight);
        return chain ? chain_sentence<T, kStride>(set, weights, static_cast<double>(divisor), edges, begin, length, weight, nodes.data(),
                                                  edge_gradients, scratch)
                     : token_sentence<T, kStride>(set, begin, length, weight, nodes.data(), scratch);
    });
    if (chain) {
        T* to = weights + set.transitions_begin();
        for (size_t i = 0; i < (labels + 2) * stride; ++i) to[i] -= step * edge_gradients[i];
        if (averages)
            for (size_t i = 0; i < (labels + 2) * stride; ++i) averages[set.transitions_begin() + i] -= average_step * edge_gradients[i];
    }
    for (size_t t = 0; t < length; ++t) {
        const T* from = nodes.data() + t * stride;
        for (uint64_t i = set.row_starts_[begin + t]; i < set.row_starts_[begin + t + 1]; ++i) {
            const T value = set.row_values_.empty() ? T{1} : static_cast<T>(set.row_values_[i]);
            add_scaled(weights + size_t{set.rows_[i]} * stride, from, -step * value, stride);
            if (averages) add_scaled(averages + size_t{set.rows_[i]} * stride, from, -average_step * value, stride);
        }
        for (uint64_t i = set.single_starts_[begin + t]; i < set.single_starts_[begin + t + 1]; ++i) {
            const T value = set.single_values_.empty() ? T{1} : static_cast<T>(set.single_values_[i]);
            weights[set.singles_[i]] -= step * value * from[set.single_labels_[i]];
            if (averages) averages[set.singles_[i]] -= average_step * value * from[set.single_labels_[i]];
        }
    }
    return loss;
}

template <size_t kStride>
void score_with_model(const ModelView& model, const Encoding& encoding, size_t token, float* out) {
    const size_t stride = kStride ? kStride : model.stride;
    const uint64_t begin = encoding.starts[token], end = encoding.starts[token + 1];
    const bool valued = !encoding.values.empty();
    Accumulator<float, kStride> sum(out, stride);
    float* __restrict scores = sum.data();
    if (model.rows) {
        for (uint64_t i = begin; i < end; ++i) {
            const float* row = model.rows + size_t{encoding.ids[i]} * stride;
            if (valued) add_scaled(scores, row, encoding.values[i], stride);
            else add_row(scores, row, stride);
        }
    } else {
        for (uint64_t i = begin; i < end; ++i) {
            const float value = valued ? encoding.values[i] : 1.0f;
            const uint32_t feature = encoding.ids[i];
            for (uint32_t p = model.pair_starts[feature]; p < model.pair_starts[feature + 1]; ++p)
                scores[model.pair_labels[p]] += value * model.pair_weights[p];
        }
    }
    sum.store();
}

inline void prefetch_with_model(const ModelView& model, const Encoding& encoding, size_t token) {
    if (token + 1 >= encoding.starts.size()) return;
    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
        if (model.rows) __builtin_prefetch(model.rows + size_t{encoding.ids[i]} * model.stride);
        else __builtin_prefetch(model.pair_starts + encoding.ids[i]);
    }
}

// Viterbi keeps the best scores only; on the way back the best predecessor of the one label that is needed is found again.
template <size_t kStride>
void tag_sentence(const ModelView& model, const Encoding& encoding, size_t begin, size_t length, int32_t* out, TagScratch& scratch) {
    const size_t stride = kStride ? kStride : model.stride, labels = model.labels;
    scratch.scores.resize(length * stride);
    scratch.best.resize(length * stride);
    float* const best = scratch.best.data();
    for (size_t t = 0; t < length; ++t) {
        prefetch_with_model(model, encoding, begin + t + 1);
        float* const scores = scratch.scores.data() + t * stride;
        score_with_model<kStride>(model, encoding, begin + t, scores);
        float* __restrict here = best + t * stride;
        if (t == 0 || !model.chain) {
            for (size_t y = 0; y < stride; ++y) here[y] = scores[y] + (t == 0 ? model.start[y] : 0.0f);
            continue;
        }
        const float* before = here - stride;
        float most[kStride ? kStride : 1];
        float* __restrict maxima = kStride ? most : here;
        for (size_t y = 0; y < stride; ++y) maxima[y] = before[0] + model.transitions[y];
        for (size_t a = 1; a < labels; ++a) {
            const float* __restrict row = model.transitions + a * stride;
            const float from = before[a];
            for (size_t y = 0; y < stride; ++y) maxima[y] = std::max(maxima[y], from + row[y]);
        }
        for (size_t y = 0; y < stride; ++y) here[y] = maxima[y] + scores[y];
    }
    const auto best_of = [&](const float* values, auto&& extra) {
        size_t found = 0;
        for (size_t y = 1; y < labels; ++y)
            if (values[y] + extra(y) > values[found] + extra(found)) found = y;
        return found;
    };
    if (!model.chain) {
        for (size_t t = 0; t < length; ++t)
            out[begin + t] = static_cast<int32_t>(best_of(best + t * stride, [](size_t) { return 0.0f; }));
        return;
    }
    size_t label = best_of(best + (length - 1) * stride, [&](size_t y) { return model.end[y]; });
    out[begin + length - 1] = static_cast<int32_t>(label);
    for (size_t t = length - 1; t > 0; --t) {
        label = best_of(best + (t - 1) * stride, [&](size_t y) { return model.transitions[y * stride + label]; });
        out[begin + t - 1] = static_cast<int32_t>(label);
    }
}

void score_token_with_model(const ModelView& model, const Encoding& encoding, size_t token, float* scores) {
    score_with_model<0>(model, encoding, token, scores);
}

void tag(const ModelView& model, const Encoding& encoding, size_t first, size_t last, int32_t* out, TagScratch& scratch) {
    with_stride(model.stride, [&](auto constant) {
        for (size_t sentence = first; sentence < last; ++sentence) {
            const size_t begin = encoding.sentences[sentence], length = encoding.sentences[sentence + 1] - begin;
            tag_sentence<decltype(constant)::value>(model, encoding, begin, length, out, scratch);
        }
    });
}

template <class T>
constexpr Kernels<T> table(const char* name) {
    return {name, &make_edges<T>, &expectations<T>, &sum_rows<T>, &sum_singles<T>, &descend<T>, &score_token_with_model, &tag};
}

}  // namespace

extern const Kernels<float> kFloat;
extern const Kernels<double> kDouble;
const Kernels<float> kFloat = table<float>(TAGPOOL_VARIANT_NAME);
const Kernels<double> kDouble = table<double>(TAGPOOL_VARIANT_NAME);

}  // namespace tagpool::TAGPOOL_VARIANT
