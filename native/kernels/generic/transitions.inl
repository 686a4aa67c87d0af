// Kernels of training with transition features. Included by kernels.inl only.
//
// Token t > 0 has a matrix G_t[b, c] = exp(A[b, c] + the weights of its triples + S[t, c]), each part shifted.

// Larger exponents could overflow.
template <class T>
constexpr T kLargestTriple = sizeof(T) == sizeof(float) ? T{30} : T{300};

// Writes the matrices G_t to scratch.pairs. False: a weight is too large.
template <class T, size_t kStride>
bool fill_pairs(const TrainingSet& set, const T* weights, T inverse_divisor, const EdgeTable<T>& edges, const T* shifted, size_t begin,
                size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride;
    T* const pairs = at_least(scratch.pairs, length * grid);
    for (size_t t = 1; t < length; ++t) {
        const T* __restrict node = shifted + t * stride;
        for (size_t b = 0; b < labels; ++b) {
            const T* __restrict from = edges.from_to.data() + b * stride;
            T* __restrict to = pairs + t * grid + b * stride;
            for (size_t c = 0; c < stride; ++c) to[c] = from[c] * node[c];
        }
    }
    // Several features may have weights for one bigram. The first visit takes their sum and leaves zero for the others.
    const Arcs& arcs = set.arcs();
    if (arcs.triple_count() == 0) return true;
    T* const sums = at_least(scratch.cell_sums, length * grid);
    const T* const triples = weights + set.triples_begin();
    size_t count = 0;
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
        sums[t * grid + arcs.triple_cells_[triple]] += triples[triple] * static_cast<T>(value);
        ++count;
    });
    T* const factors = at_least(scratch.factors, (count + 7) / 8 * 8);
    size_t i = 0;
    T largest = 0;
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float) {
        T& sum = sums[t * grid + arcs.triple_cells_[triple]];
        factors[i] = sum * inverse_divisor;
        largest = std::max(largest, factors[i++]);
        sum = 0;
    });
    if (!(largest <= kLargestTriple<T>)) return false;
    for (size_t k = 0; k < (count + 7) / 8 * 8; ++k) factors[k] = fast_exp(factors[k]);
    i = 0;
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float) { pairs[t * grid + arcs.triple_cells_[triple]] *= factors[i++]; });
    return true;
}

// log of a product, one logarithm for many factors.
class LogProduct {
public:
    void multiply(double by) {
        const double more = product_ * by;
        if (more > 1e-200 && more < 1e200) {
            product_ = more;
        } else {
            sum_ += logarithm(product_) + logarithm(by);
            product_ = 1;
        }
    }
    double value() const { return sum_ + logarithm(product_); }

private:
    double sum_ = 0, product_ = 1;
};

// If alpha underflows, beta may overflow; then the marginals of the first token do not sum to one.
template <class T>
inline bool is_one(T sum) {
    return sum > static_cast<T>(0.9) && sum < static_cast<T>(1.1);
}

// alpha_t = alpha_{t-1} G_t / total_{t-1}, beta_{t-1} = G_t beta_t / total_{t-1}. Leaves the pair marginals of t in
// scratch.pairs (those of the first token in scratch.row). Returns log Z less all shifts, or NaN if it underflows.
template <class T, size_t kStride>
double arc_forward_backward(const TrainingSet& set, const EdgeTable<T>& edges, const T* shifted, size_t length, ChainScratch<T>& scratch) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride;
    T* const alpha = at_least(scratch.alpha, length * stride);
    T* const row = at_least(scratch.row, 2 * stride);
    T* const totals = at_least(scratch.scaled, length);
    LogProduct z;
    for (size_t y = 0; y < stride; ++y) alpha[y] = edges.start[y] * shifted[y];
    for (size_t t = 1; t < length; ++t) {
        const T* before = alpha + (t - 1) * stride;
        const T total = total_of(before, stride);
        if (!(total > std::numeric_limits<T>::min())) return kNaN;
        z.multiply(static_cast<double>(total));
        totals[t] = 1 / total;
        T* here = alpha + t * stride;
        product<T, kStride>(before, scratch.pairs.data() + t * grid, labels, stride, here).write();
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
            T* __restrict pair = scratch.pairs.data() + t * grid + b * stride;
            before[b] = dot_of(pair, beta, stride) * totals[t];
            const T by = alpha[(t - 1) * stride + b] * totals[t];
            for (size_t c = 0; c < stride; ++c) pair[c] = pair[c] * beta[c] * by;
        }
        for (size_t y = 0; y < stride; ++y) beta[y] = before[y];
    }
    for (size_t y = 0; y < stride; ++y) beta[y] *= alpha[y];
    return is_one(total_of(beta, stride)) ? z.value() : kNaN;
}

// Adds `sign` times the expectations that the recursions left: nodes, transitions, start, end; those of triples to
// scratch.triple_gradients.
template <class T, size_t kStride>
void add_arc_expectations(const TrainingSet& set, size_t begin, size_t length, T sign, T* node_gradients, T* edge_gradients,
                          ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), grid = labels * stride;
    const T* const marginals = scratch.pairs.data();
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
    const Arcs& arcs = set.arcs();
    size_t i = 0;
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
        scratch.triple_gradients[i++] += sign * static_cast<T>(value) * marginals[t * grid + arcs.triple_cells_[triple]];
    });
}

template <class T, size_t kStride>
double arc_partition(const TrainingSet& set, const T* weights, T inverse_divisor, const EdgeTable<T>& edges, const T* shifted, size_t begin,
                     size_t length, ChainScratch<T>& scratch) {
    if (!fill_pairs<T, kStride>(set, weights, inverse_divisor, edges, shifted, begin, length, scratch))
        return std::numeric_limits<double>::quiet_NaN();
    return arc_forward_backward<T, kStride>(set, edges, shifted, length, scratch);
}

// Subtracts the gold sequence from the gradients; returns its score without the shifts of the nodes.
template <class T>
double subtract_gold(const TrainingSet& set, const T* weights, double divisor, size_t begin, size_t length, T weight, T* node_gradients,
                     T* edge_gradients, ChainScratch<T>& scratch) {
    const Arcs& arcs = set.arcs();
    const size_t stride = set.stride(), base = set.transitions_begin();
    const auto gold = [&](size_t t) { return static_cast<size_t>(set.gold_[begin + t]); };
    double score = 0, nodes = 0;
    const auto step = [&](size_t place) {
        score += static_cast<double>(weights[place]);
        edge_gradients[place - base] -= weight;
    };
    step(set.start_begin() + gold(0));
    step(set.end_begin() + gold(length - 1));
    for (size_t t = 0; t < length; ++t) {
        nodes += static_cast<double>(scratch.scores[t * stride + gold(t)]) - scratch.shift[t];
        node_gradients[t * stride + gold(t)] -= weight;
        if (t == 0) continue;
        step(base + gold(t - 1) * stride + gold(t));
    }
    size_t i = 0;
    arcs.each_triple(begin, length, [&](size_t t, uint32_t triple, float value) {
        if (arcs.triple_cells_[triple] == gold(t - 1) * stride + gold(t)) {
            score += static_cast<double>(weights[set.triples_begin() + triple]) * static_cast<double>(value);
            scratch.triple_gradients[i] -= weight * static_cast<T>(value);
        }
        ++i;
    });
    return score / divisor + nodes;
}

// Returns the loss and adds the gradients of one sentence whose node scores are in the scratch. Writes those of triples to
// scratch.triple_gradients, one for each visit of each_triple.
template <class T, size_t kStride>
double arc_sentence(const TrainingSet& set, const T* weights, double divisor, const EdgeTable<T>& edges, size_t begin, size_t length, T weight,
                    T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride();
    const auto inverse = static_cast<T>(1 / divisor);
    const int32_t* gold = set.gold_.data() + begin;
    bool complete = true;
    for (size_t t = 0; t < length; ++t) complete = complete && gold[t] != TrainingSet::kUnknown;
    size_t triples = 0;
    set.arcs().each_triple(begin, length, [&](size_t, uint32_t, float) { ++triples; });
    scratch.triple_gradients.assign(triples, 0);
    const auto in_log_space = [&] {
        return log_space_sentence(set, weights, divisor, begin, length, weight, scratch.scores.data(), node_gradients, edge_gradients,
                                  scratch.triple_gradients.data());
    };
    const double all = arc_partition<T, kStride>(set, weights, inverse, edges, scratch.shifted.data(), begin, length, scratch);
    if (std::isnan(all)) return in_log_space();
    add_arc_expectations<T, kStride>(set, begin, length, weight, node_gradients, edge_gradients, scratch);
    if (complete) {
        const double score = subtract_gold(set, weights, divisor, begin, length, weight, node_gradients, edge_gradients, scratch);
        const double shifts = edges.shift * static_cast<double>(length - 1) + edges.start_shift + edges.end_shift;
        return static_cast<double>(weight) * (all + shifts - score);
    }
    // Unknown labels are summed out: the same recursion with the known tokens fixed to their gold labels.
    scratch.clamped.assign(scratch.shifted.begin(), scratch.shifted.begin() + static_cast<std::ptrdiff_t>(length * stride));
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; gold[t] != TrainingSet::kUnknown && y < stride; ++y)
            if (y != static_cast<size_t>(gold[t])) scratch.clamped[t * stride + y] = 0;
    const double known = arc_partition<T, kStride>(set, weights, inverse, edges, scratch.clamped.data(), begin, length, scratch);
    if (std::isnan(known)) {
        // Undo the additions, and compute the sentence in log space.
        arc_partition<T, kStride>(set, weights, inverse, edges, scratch.shifted.data(), begin, length, scratch);
        add_arc_expectations<T, kStride>(set, begin, length, -weight, node_gradients, edge_gradients, scratch);
        return in_log_space();
    }
    add_arc_expectations<T, kStride>(set, begin, length, -weight, node_gradients, edge_gradients, scratch);
    return static_cast<double>(weight) * (all - known);
}
