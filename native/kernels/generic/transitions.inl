// Forward-backward with transition features. Included by gradient.inl only.
//
// Token t > 0 has a matrix G_t[b, c] = exp(A[b, c] + the weights of its transition features + S[t, c]), each part shifted.

// Larger exponents could overflow.
template <class T>
constexpr T kMaxExponent = sizeof(T) == sizeof(float) ? T{30} : T{300};

// Writes the matrices G_t to scratch.bigrams. False: a weight is too large.
template <class T, size_t kStride>
bool fill_bigrams(const TrainingSet& set, const WeightView<T>& weights, const EdgeTable<T>& edges, const T* shifted,
                  const SentenceGradient<T>& sentence, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride, length = sentence.length;
    T* const bigrams = at_least(scratch.bigrams, length * grid);
    for (size_t t = 1; t < length; ++t) {
        const T* __restrict node = shifted + t * stride;
        for (size_t b = 0; b < labels; ++b) {
            const T* __restrict from = edges.from_to.data() + b * stride;
            T* __restrict to = bigrams + t * grid + b * stride;
            for (size_t c = 0; c < stride; ++c) to[c] = from[c] * node[c];
        }
    }
    // Several features may have weights for one bigram. The first visit takes their sum and leaves zero for the others.
    const TransitionFeatures& features = set.transition_features();
    T* const sums = at_least(scratch.cell_sums, length * grid);
    const T* const cells = weights.edges(set) + set.transition_cells_begin();
    size_t count = 0;
    features.each_cell(sentence.begin, length, [&](size_t t, uint32_t cell, float value) {
        sums[t * grid + features.bigram(cell)] += cells[cell] * static_cast<T>(value);
        ++count;
    });
    T* const factors = at_least(scratch.factors, (count + 7) / 8 * 8);
    size_t i = 0;
    T largest = 0;
    features.each_cell(sentence.begin, length, [&](size_t t, uint32_t cell, float) {
        T& sum = sums[t * grid + features.bigram(cell)];
        factors[i] = sum * weights.inverse_divisor;
        largest = std::max(largest, factors[i++]);
        sum = 0;
    });
    if (!(largest <= kMaxExponent<T>)) return false;
    for (size_t k = 0; k < (count + 7) / 8 * 8; ++k) factors[k] = fast_exp(factors[k]);
    i = 0;
    features.each_cell(sentence.begin, length, [&](size_t t, uint32_t cell, float) { bigrams[t * grid + features.bigram(cell)] *= factors[i++]; });
    return true;
}

// If alpha underflows, beta may overflow; then the marginals of the first token do not sum to one.
template <class T>
inline bool is_one(T sum) {
    return sum > static_cast<T>(0.9) && sum < static_cast<T>(1.1);
}

// alpha_t = alpha_{t-1} G_t / total_{t-1}, beta_{t-1} = G_t beta_t / total_{t-1}. Leaves the bigram marginals of t in
// scratch.bigrams (those of the first token in scratch.row). Returns log Z less all shifts, or NaN if it underflows.
template <class T, size_t kStride>
double forward_backward_with_features(const TrainingSet& set, const EdgeTable<T>& edges, const T* shifted, size_t length, ChainScratch<T>& scratch) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride;
    T* const alpha = at_least(scratch.alpha, length * stride);
    T* const row = at_least(scratch.row, 2 * stride);
    T* const totals = at_least(scratch.scaled, length);
    LogProduct z;
    for (size_t y = 0; y < stride; ++y) alpha[y] = edges.start[y] * shifted[y];
    for (size_t t = 1; t < length; ++t) {
        const T* before = alpha + (t - 1) * stride;
        const T total = sum_of(before, stride);
        if (!(total > std::numeric_limits<T>::min())) return kNaN;
        z.multiply(static_cast<double>(total));
        totals[t] = 1 / total;
        T* here = alpha + t * stride;
        product<T, kStride>(before, scratch.bigrams.data() + t * grid, labels, stride, here).write();
        for (size_t y = 0; y < stride; ++y) here[y] *= totals[t];
    }
    T last = 0;
    for (size_t y = 0; y < labels; ++y) last += alpha[(length - 1) * stride + y] * edges.end[y];
    if (!(last > std::numeric_limits<T>::min())) return kNaN;
    z.multiply(static_cast<double>(last));
    T* __restrict beta = row;
    T* __restrict before = row + stride;
    for (size_t y = 0; y < stride; ++y) beta[y] = edges.end[y] / last;
    for (size_t t = length - 1; t > 0; --t) {
        for (size_t y = 0; y < stride; ++y) before[y] = 0;
        for (size_t b = 0; b < labels; ++b) {
            T* __restrict bigram = scratch.bigrams.data() + t * grid + b * stride;
            before[b] = dot_of(bigram, beta, stride) * totals[t];
            const T by = alpha[(t - 1) * stride + b] * totals[t];
            for (size_t c = 0; c < stride; ++c) bigram[c] = bigram[c] * beta[c] * by;
        }
        for (size_t y = 0; y < stride; ++y) beta[y] = before[y];
    }
    for (size_t y = 0; y < stride; ++y) beta[y] *= alpha[y];
    return is_one(sum_of(beta, stride)) ? z.value() : kNaN;
}

// Adds `sign` times the expectations that the recursions left: nodes, transitions, start, end; those of transition cells to
// scratch.cell_gradients.
template <class T, size_t kStride>
void add_expectations_with_features(const TrainingSet& set, const SentenceGradient<T>& sentence, T sign, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride, length = sentence.length;
    T* const node_gradients = sentence.nodes;
    T* const edge_gradients = sentence.edges;
    const T* const marginals = scratch.bigrams.data();
    add_scaled(node_gradients, scratch.row.data(), sign, stride);
    for (size_t t = 1; t < length; ++t) {
        add_scaled(edge_gradients, marginals + t * grid, sign, grid);
        Row<T, kStride> sum(at_least(scratch.factors, stride), stride);
        for (size_t b = 0; b < labels; ++b) sum.add_scaled(marginals + t * grid + b * stride, sign);
        sum.add_to(node_gradients + t * stride);
        if (t + 1 == length) sum.add_to(edge_gradients + grid + stride);
    }
    add_scaled(edge_gradients + grid, scratch.row.data(), sign, stride);
    if (length == 1) add_scaled(edge_gradients + grid + stride, scratch.row.data(), sign, stride);
    const TransitionFeatures& features = set.transition_features();
    size_t i = 0;
    features.each_cell(sentence.begin, length, [&](size_t t, uint32_t cell, float value) {
        scratch.cell_gradients[i++] += sign * static_cast<T>(value) * marginals[t * grid + features.bigram(cell)];
    });
}

template <class T, size_t kStride>
double partition_with_features(const TrainingSet& set, const WeightView<T>& weights, const EdgeTable<T>& edges, const T* shifted,
                               const SentenceGradient<T>& sentence, ChainScratch<T>& scratch) {
    if (!fill_bigrams<T, kStride>(set, weights, edges, shifted, sentence, scratch)) return std::numeric_limits<double>::quiet_NaN();
    return forward_backward_with_features<T, kStride>(set, edges, shifted, sentence.length, scratch);
}
