// Kernels of training: scores, forward-backward, gradients. Included by kernels.inl only.

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

// The same for tokens that stand alone, each with a weight of its own where `token_weights` is not null.
template <class T, size_t kStride>
double token_sentence(const TrainingSet& set, size_t begin, size_t length, const float* token_weights, T* node_gradients,
                      ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride();
    double loss = 0;
    for (size_t t = 0; t < length; ++t) {
        const int32_t gold = set.gold_[begin + t];
        if (gold == TrainingSet::kUnknown) continue;
        const T weight = token_weights ? static_cast<T>(token_weights[begin + t]) : T{1};
        const T* shifted = scratch.shifted.data() + t * stride;
        const T total = sum_of(shifted, stride);
        T* to = node_gradients + t * stride;
        for (size_t y = 0; y < stride; ++y) to[y] += weight * shifted[y] / total;
        to[gold] -= weight;
        const double score = static_cast<double>(scratch.scores[t * stride + static_cast<size_t>(gold)]) - scratch.shift[t];
        loss += static_cast<double>(weight) * (std::log(static_cast<double>(total)) - score);
    }
    return loss;
}

template <class T>
double expectations(const TrainingSet& set, const T* weights, const EdgeTable<T>& edges, bool chain, const float* example_weights,
                    size_t first, size_t last, T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t stride = set.stride();
    double loss = 0;
    for (size_t sentence = first; sentence < last; ++sentence) {
        const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
        const T weight = chain && example_weights ? static_cast<T>(example_weights[sentence]) : T{1};
        T* nodes = node_gradients + begin * stride;
        std::memset(nodes, 0, length * stride * sizeof(T));
        loss += with_stride(stride, [&](auto constant) {
            constexpr size_t kStride = decltype(constant)::value;
            score_sentence<T, kStride>(set, weights, T{1}, begin, length, scratch);
            return chain ? chain_sentence<T, kStride>(set, weights, 1.0, edges, begin, length, weight, nodes, edge_gradients, scratch)
                         : token_sentence<T, kStride>(set, begin, length, example_weights, nodes, scratch);
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
