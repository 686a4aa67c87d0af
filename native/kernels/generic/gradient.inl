// Kernels of training: scores, forward-backward, gradients. Included by kernels.inl only.

// Prefetch distances in lists of weights, which are scattered over memory.
constexpr size_t kRowsAhead = 8, kSinglesAhead = 24;

// The place at this distance ahead in a list, or its last one.
template <class Places>
inline auto ahead_of(const Places& list, uint64_t i, size_t distance) {
    return list[std::min<size_t>(i + distance, list.size() - 1)];
}

// Calls work(singles) with the packed or the plain singles.
template <class Work>
inline void with_singles(const Items& items, Work&& work) {
    if (items.packed.size() > 0) work(items.packed);
    else work(items.singles);
}

// Adds the rows of one token to a sum.
template <class T, size_t kStride>
[[gnu::always_inline]] inline void score_rows(const Items& items, const T* weights, size_t token, size_t stride, Row<T, kStride>& sum) {
    const uint64_t begin = items.row_starts[token], end = items.row_starts[token + 1];
    if (items.row_values.empty()) {
        for (uint64_t i = begin; i < end; ++i) {
            prefetch_row(weights + size_t{ahead_of(items.rows, i, kRowsAhead)} * stride, stride);
            sum.add(weights + size_t{items.rows[i]} * stride);
        }
    } else {
        for (uint64_t i = begin; i < end; ++i) sum.add_scaled(weights + size_t{items.rows[i]} * stride, static_cast<T>(items.row_values[i]));
    }
}

// Adds the single weights of tokens [begin, end), a sentence. One loop for all tokens: ends of short loops would be mispredicted.
template <class T>
inline void score_singles(const Items& items, const T* weights, size_t begin, size_t end, T* __restrict scores) {
    const uint64_t first = items.single_starts[begin], last = items.single_starts[end];
    with_singles(items, [&](const auto& singles) {
        if (items.single_values.empty()) {
            for (uint64_t i = first; i < last; ++i) {
                prefetch_line(weights + ahead_of(singles, i, kSinglesAhead).place);
                const auto [place, score] = singles[i];
                scores[score] += weights[place];
            }
        } else {
            const float* const values = items.single_values.data();
            for (uint64_t i = first; i < last; ++i) {
                const auto [place, score] = singles[i];
                scores[score] += weights[place] * static_cast<T>(values[i]);
            }
        }
    });
}

// Rows of the bundles of a part.
template <class T>
struct BundleRows {
    const TrainingSet::Bundled* bundled;  // null: none
    const T* scores = nullptr;
    T* gradients = nullptr;

    const Items& items(const TrainingSet& set) const { return bundled ? bundled->tokens : set.items(); }
    const uint32_t* begin(size_t token) const { return bundled ? bundled->uses.data() + bundled->starts[token] : nullptr; }
    const uint32_t* end(size_t token) const { return begin(token + 1); }
    // Prefetches the rows of a token, of `scores` or of `gradients`.
    void prefetch(const T* rows, size_t token, size_t stride) const {
        for (const uint32_t* bundle = begin(token); bundle < end(token); ++bundle) prefetch_row(rows + size_t{*bundle} * stride, stride);
    }
};

// Writes exp of the node scores, shifted by their maximum, to the scratch. A separate loop over all tokens: it has no cache misses, so that
// tokens overlap.
template <class T, size_t kStride>
void shift_scores(const TrainingSet& set, size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride();
    T* const all_shifted = at_least(scratch.shifted, length * stride);
    double* const shift = at_least(scratch.shift, length);
    for (size_t t = 0; t < length; ++t) {
        const T* const __restrict scores = scratch.scores.data() + t * stride;
        const T most = max_of(scores, stride);
        shift[t] = static_cast<double>(most);
        T* const __restrict shifted = all_shifted + t * stride;
        for (size_t y = 0; y < stride; ++y) shifted[y] = fast_exp(scores[y] - most);
    }
}

template <class T, size_t kStride>
void score_sentence(const TrainingSet& set, const T* weights, const BundleRows<T>& bundles, size_t begin, size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    T* const scores = at_least(scratch.scores, length * stride);
    const Items& items = bundles.items(set);
    // Padding has the score -inf. (Writing it later would stall reads of whole vectors.)
    T* const floor = at_least(scratch.row, 2 * stride);
    for (size_t y = 0; y < stride; ++y) floor[y] = y < labels ? T{0} : -std::numeric_limits<T>::infinity();
    bundles.prefetch(bundles.scores, begin, stride);
    for (size_t t = 0; t < length; ++t) {
        if (t + 1 < length) bundles.prefetch(bundles.scores, begin + t + 1, stride);
        Row<T, kStride> sum(scores + t * stride, stride);
        sum.add(floor);
        for (const uint32_t* bundle = bundles.begin(begin + t); bundle < bundles.end(begin + t); ++bundle)
            sum.add(bundles.scores + size_t{*bundle} * stride);
        score_rows<T, kStride>(items, weights, begin + t, stride, sum);
        sum.write();
    }
    score_singles(items, weights, begin, begin + length, scores);
    shift_scores<T, kStride>(set, length, scratch);
}

template <class T>
void make_edges(const TrainingSet& set, const WeightView<T>& view, EdgeTable<T>& edges) {
    const T* const weights = view.edges(set);
    const T inverse_divisor = view.inverse_divisor;
    const size_t stride = set.stride(), labels = set.labels();
    const T* from_to = weights + set.transitions_begin();
    const auto shifted = [&](const T* source, size_t rows, AlignedVector<T>& to) {
        T most = -std::numeric_limits<T>::infinity();
        for (size_t row = 0; row < rows; ++row) most = std::max(most, *std::max_element(source + row * stride, source + row * stride + labels));
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

// sum_a by[a] * matrix[a], not stored yet. Short rows have two independent sums.
template <class T, size_t kStride>
inline Row<T, kStride> product(const T* by, const T* matrix, size_t labels, size_t stride, T* out) {
    Row<T, kStride> sum(out, stride);
    if constexpr (kStride != 0 && kStride <= 24) {
        Row<T, kStride> odd(out, stride);
        size_t a = 0;
        for (; a + 1 < labels; a += 2) {
            sum.add_scaled(matrix + a * stride, by[a]);
            odd.add_scaled(matrix + (a + 1) * stride, by[a + 1]);
        }
        if (a < labels) sum.add_scaled(matrix + a * stride, by[a]);
        sum.add(odd);
    } else {
        for (size_t a = 0; a < labels; ++a) sum.add_scaled(matrix + a * stride, by[a]);
    }
    return sum;
}

// Below this a sum of products of forward and backward values has lost digits to underflow.
template <class T>
constexpr T kLeastSum = sizeof(T) == 4 ? static_cast<T>(1e-30) : static_cast<T>(1e-200);

// Forward-backward over `shifted` node values (length x stride). Leaves alpha and beta such that alpha * beta are the node marginals, and
// in `weighted` the rows b_t with bigram marginal alpha_{t-1}[a] M[a, b] b_t[b]. Returns log Z less all shifts, or NaN if it underflows.
//     alpha_t = (alpha_{t-1} M) * node_t / sum alpha_{t-1},   beta_{t-1} = M (node_t * beta_t) / sum beta_t
// The two recursions are scaled separately and interleaved: each depends only on its last step. A step is divided by the sum of the
// previous one, which is ready by then. The sum z_t of alpha * beta is divided out at the end; for bigrams it is z_{t-1} sum beta_t.
template <class T, size_t kStride>
double forward_backward(const TrainingSet& set, const EdgeTable<T>& edges, const T* shifted, size_t length, ChainScratch<T>& scratch) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    T* const alpha = at_least(scratch.alpha, length * stride);
    T* const beta = at_least(scratch.beta, length * stride);
    T* const weighted = at_least(scratch.weighted, length * stride);
    T* const inverses = at_least(scratch.scaled, length);  // of the sums of beta
    for (size_t y = 0; y < stride; ++y) {
        alpha[y] = edges.start[y] * shifted[y];
        beta[(length - 1) * stride + y] = edges.end[y];
    }
    LogProduct totals;
    for (size_t t = 1; t < length; ++t) {
        const T* const before = alpha + (t - 1) * stride;
        const T total = sum_of(before, stride);
        if (!(total > std::numeric_limits<T>::min())) return kNone;
        auto forward = product<T, kStride>(before, edges.from_to.data(), labels, stride, alpha + t * stride);

        const size_t u = length - t;
        const T* const __restrict node = shifted + u * stride;
        const T* const __restrict after = beta + u * stride;
        T* const __restrict both = weighted + u * stride;
        for (size_t y = 0; y < stride; ++y) both[y] = node[y] * after[y];
        inverses[u] = 1 / sum_of(after, stride);
        auto backward = product<T, kStride>(both, edges.to_from.data(), labels, stride, beta + (u - 1) * stride);

        forward.multiply(shifted + t * stride);
        forward.scale(1 / total);
        forward.write();
        backward.scale(inverses[u]);
        backward.write();
        totals.multiply(static_cast<double>(total));
    }
    const T last = dot_of(alpha + (length - 1) * stride, edges.end.data(), stride);
    for (size_t t = 0; t < length; ++t) {
        const T sum = dot_of(alpha + t * stride, beta + t * stride, stride);
        if (!(sum > kLeastSum<T>)) return kNone;
        const T inverse = 1 / sum;
        for (size_t y = 0; y < stride; ++y) beta[t * stride + y] *= inverse;
        if (t + 1 == length) break;
        const T of_bigrams = inverse * inverses[t + 1];
        for (size_t y = 0; y < stride; ++y) weighted[(t + 1) * stride + y] *= of_bigrams;
    }
    return totals.value() + logarithm(static_cast<double>(last));
}

// Adds `sign` times the node marginals, and the expected transitions, start and end.
template <class T, size_t kStride>
void add_expectations(const TrainingSet& set, const EdgeTable<T>& edges, const SentenceGradient<T>& sentence, T sign, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels(), length = sentence.length;
    T* const node_gradients = sentence.nodes;
    T* const edge_gradients = sentence.edges;
    const T* alpha = scratch.alpha.data();
    const T* beta = scratch.beta.data();
    for (size_t i = 0; i < length * stride; ++i) node_gradients[i] += sign * alpha[i] * beta[i];
    // sum_t alpha_{t-1}[a] b_t[b] is a product of matrices; M[a, b] is multiplied in at the end.
    T* const sums = at_least(scratch.row, 2 * stride);
    const T* const weighted = scratch.weighted.data();
    for (size_t a = 0; a < labels; a += 2) {  // two rows at a time: each row of b is read half as often
        const size_t other = std::min(a + 1, labels - 1);
        Row<T, kStride> sum(sums, stride), next(sums + stride, stride);
        for (size_t t = 1; t < length; ++t) {
            sum.add_scaled(weighted + t * stride, alpha[(t - 1) * stride + a]);
            next.add_scaled(weighted + t * stride, alpha[(t - 1) * stride + other]);
        }
        sum.multiply(edges.from_to.data() + a * stride);
        sum.write();
        add_scaled(edge_gradients + a * stride, sums, sign, stride);
        if (other == a) break;
        next.multiply(edges.from_to.data() + other * stride);
        next.write();
        add_scaled(edge_gradients + other * stride, sums + stride, sign, stride);
    }
    T* start = edge_gradients + labels * stride;
    T* end = start + stride;
    for (size_t y = 0; y < labels; ++y) {
        start[y] += sign * alpha[y] * beta[y];
        end[y] += sign * alpha[(length - 1) * stride + y] * beta[(length - 1) * stride + y];
    }
}

#include "kernels/generic/transitions.inl"

// Subtracts the gold sequence from the gradients. Returns the score of its edges, times the divisor, and of its nodes, less their shifts.
template <class T>
std::pair<double, double> subtract_gold(const TrainingSet& set, const T* weights, const SentenceGradient<T>& sentence, ChainScratch<T>& scratch) {
    const TransitionFeatures& features = set.transition_features();
    const size_t stride = set.stride(), base = set.transitions_begin(), length = sentence.length;
    const T weight = sentence.weight;
    const auto gold = [&](size_t t) { return static_cast<size_t>(set.gold_[sentence.begin + t]); };
    double score = 0, nodes = 0;
    const auto step = [&](size_t place) {
        score += static_cast<double>(weights[place]);
        sentence.edges[place - base] -= weight;
    };
    step(set.start_begin() + gold(0));
    step(set.end_begin() + gold(length - 1));
    for (size_t t = 0; t < length; ++t) {
        nodes += static_cast<double>(scratch.scores[t * stride + gold(t)]) - scratch.shift[t];
        sentence.nodes[t * stride + gold(t)] -= weight;
        if (t > 0) step(base + gold(t - 1) * stride + gold(t));
    }
    size_t i = 0;
    features.each_cell(sentence.begin, length, [&](size_t t, uint32_t cell, float value) {
        if (features.bigram(cell) == gold(t - 1) * stride + gold(t)) {
            score += static_cast<double>(weights[set.transition_cells_begin() + cell]) * static_cast<double>(value);
            scratch.cell_gradients[i] -= weight * static_cast<T>(value);
        }
        ++i;
    });
    return {score, nodes};
}

// Returns the loss and adds the gradients of a sentence whose node scores are in the scratch. Those of transition cells are written to
// scratch.cell_gradients, one for each visit of each_cell.
template <class T, size_t kStride>
double chain_sentence_unmasked(const TrainingSet& set, const WeightView<T>& weights, const EdgeTable<T>& edges, const SentenceGradient<T>& sentence,
                               ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), length = sentence.length;
    const int32_t* gold = set.gold_.data() + sentence.begin;
    const bool complete = std::find(gold, gold + length, TrainingSet::kUnknown) == gold + length, plain = set.transition_features().empty();
    const auto weight = static_cast<double>(sentence.weight);
    size_t cells = 0;
    set.transition_features().each_cell(sentence.begin, length, [&](size_t, uint32_t, float) { ++cells; });
    scratch.cell_gradients.assign(cells, 0);
    const auto partition = [&](const AlignedVector<T>& nodes) {
        return plain ? forward_backward<T, kStride>(set, edges, nodes.data(), length, scratch)
                     : partition_with_features<T, kTransitionStride<kStride>>(set, weights, edges, nodes.data(), sentence, scratch);
    };
    const auto add = [&](T sign) {
        if (plain) add_expectations<T, kStride>(set, edges, sentence, sign, scratch);
        else add_expectations_with_features<T, kTransitionStride<kStride>>(set, sentence, sign, scratch);
    };
    const double all = partition(scratch.shifted);
    if (std::isnan(all)) return log_space_sentence(set, weights, sentence, scratch);
    add(sentence.weight);
    if (complete) {
        auto [score, nodes] = subtract_gold(set, weights.edges(set), sentence, scratch);
        score /= 1.0 / static_cast<double>(weights.inverse_divisor);
        const double shifts = edges.shift * static_cast<double>(length - 1) + edges.start_shift + edges.end_shift;
        // The two orders of subtraction round differently; models of earlier versions depend on both.
        return weight * (plain ? all + shifts - score - nodes : all + shifts - (score + nodes));
    }
    // Unknown labels are summed out: the same recursion with the known tokens fixed to their gold labels.
    scratch.clamped.assign(scratch.shifted.begin(), scratch.shifted.begin() + static_cast<std::ptrdiff_t>(length * stride));
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; gold[t] != TrainingSet::kUnknown && y < stride; ++y)
            if (y != static_cast<size_t>(gold[t])) scratch.clamped[t * stride + y] = 0;
    const double known = partition(scratch.clamped);
    if (std::isnan(known)) {
        // Undo the additions, and compute the sentence in log space.
        partition(scratch.shifted);
        add(-sentence.weight);
        return log_space_sentence(set, weights, sentence, scratch);
    }
    add(-sentence.weight);
    return weight * (all - known);
}

// The same, with gradients of fixed edges set to zero.
template <class T, size_t kStride>
double chain_sentence(const TrainingSet& set, const WeightView<T>& weights, const EdgeTable<T>& edges, const SentenceGradient<T>& sentence,
                      ChainScratch<T>& scratch) {
    const double loss = chain_sentence_unmasked<T, kStride>(set, weights, edges, sentence, scratch);
    for (size_t i = 0; i < set.edge_mask().size(); ++i)
        if (!set.edge_mask()[i]) sentence.edges[i] = 0;
    return loss;
}

// The same for independent tokens; `token_weights` may be null.
template <class T, size_t kStride>
double token_sentence(const TrainingSet& set, size_t begin, size_t length, const float* token_weights, T* node_gradients, ChainScratch<T>& scratch) {
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
        loss += static_cast<double>(weight) * (logarithm(static_cast<double>(total)) - score);
    }
    return loss;
}
