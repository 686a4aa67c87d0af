// Kernels of training: scores, forward-backward, gradients. Included by kernels.inl only.

// Chains with transition features (transitions.inl).
template <class T, size_t kStride>
double arc_sentence(const TrainingSet& set, const T* weights, double divisor, const EdgeTable<T>& edges, size_t begin, size_t length, T weight,
                    T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch);

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

// Sums the rows of one token and of its bundles, starting from `floor` if that is not null.
template <class T, size_t kStride>
inline void score_rows(const Items& items, const T* weights, size_t token, size_t stride, const T* floor, const uint32_t* bundle,
                       const uint32_t* last_bundle, const T* bundle_scores, T* __restrict scores) {
    if (kStride) stride = kStride;
    const uint64_t begin = items.row_starts[token], end = items.row_starts[token + 1];
    Row<T, kStride> sum(scores, stride);
    if (floor) sum.add(floor);
    for (; bundle < last_bundle; ++bundle) sum.add(bundle_scores + size_t{*bundle} * stride);
    if (items.row_values.empty()) {
        for (uint64_t i = begin; i < end; ++i) {
            prefetch_row(weights + size_t{ahead_of(items.rows, i, kRowsAhead)} * stride, stride);
            sum.add(weights + size_t{items.rows[i]} * stride);
        }
    } else {
        for (uint64_t i = begin; i < end; ++i) sum.add_scaled(weights + size_t{items.rows[i]} * stride, static_cast<T>(items.row_values[i]));
    }
    sum.write();
}

// Adds the single weights of tokens [begin, end), a sentence. One loop for all tokens: ends of short loops would be mispredicted.
template <class T>
inline void score_singles(const Items& items, const T* weights, size_t begin, size_t end, T* __restrict scores) {
    const uint64_t first = items.single_starts[begin], last = items.single_starts[end];
    with_singles(items, [&](const auto& singles) {
        if (items.single_values.empty()) {
            for (uint64_t i = first; i < last; ++i) {
                __builtin_prefetch(weights + ahead_of(singles, i, kSinglesAhead).place);
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

// Grows to `count` numbers; never shrinks.
template <class T>
inline T* at_least(AlignedVector<T>& room, size_t count) {
    if (room.size() < count) room.resize(count);
    return room.data();
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

template <class T, size_t kStride>
void score_sentence(const TrainingSet& set, const T* weights, const BundleRows<T>& bundles, size_t begin, size_t length, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    T* const all_scores = at_least(scratch.scores, length * stride);
    T* const all_shifted = at_least(scratch.shifted, length * stride);
    double* const shift = at_least(scratch.shift, length);
    const Items& items = bundles.items(set);
    // Padding has the score -inf. (Writing it later would stall reads of whole vectors.)
    T* const floor = at_least(scratch.row, 2 * stride);
    for (size_t y = 0; y < stride; ++y) floor[y] = y < labels ? T{0} : -std::numeric_limits<T>::infinity();
    bundles.prefetch(bundles.scores, begin, stride);
    for (size_t t = 0; t < length; ++t) {
        if (t + 1 < length) bundles.prefetch(bundles.scores, begin + t + 1, stride);
        score_rows<T, kStride>(items, weights, begin + t, stride, floor, bundles.begin(begin + t), bundles.end(begin + t), bundles.scores,
                               all_scores + t * stride);
    }
    score_singles(items, weights, begin, begin + length, all_scores);
    for (size_t t = 0; t < length; ++t) {  // a separate loop: no cache misses, so that tokens overlap
        const T* const __restrict scores = all_scores + t * stride;
        const T most = max_of(scores, stride);
        shift[t] = static_cast<double>(most);
        T* const __restrict shifted = all_shifted + t * stride;
        for (size_t y = 0; y < stride; ++y) shifted[y] = fast_exp(scores[y] - most);
    }
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
// in `weighted` the rows b_t with pair marginal alpha_{t-1}[a] M[a, b] b_t[b]. Returns log Z less all shifts, or NaN if it underflows.
//     alpha_t = (alpha_{t-1} M) * node_t / sum alpha_{t-1},   beta_{t-1} = M (node_t * beta_t) / sum beta_t
// The two recursions are scaled separately and interleaved: each depends only on its own last step. A step is divided by the sum of the
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
    // log Z is a sum of logarithms; one logarithm of a product replaces many.
    double log_scale = 0, totals = 1;
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
        const double more = totals * static_cast<double>(total);
        if (more > 1e-200 && more < 1e200) {
            totals = more;
        } else {
            log_scale += logarithm(totals) + logarithm(static_cast<double>(total));
            totals = 1;
        }
    }
    const T last = dot_of(alpha + (length - 1) * stride, edges.end.data(), stride);
    for (size_t t = 0; t < length; ++t) {
        const T sum = dot_of(alpha + t * stride, beta + t * stride, stride);
        if (!(sum > kLeastSum<T>)) return kNone;
        const T inverse = 1 / sum;
        for (size_t y = 0; y < stride; ++y) beta[t * stride + y] *= inverse;
        if (t + 1 == length) break;
        const T of_pairs = inverse * inverses[t + 1];
        for (size_t y = 0; y < stride; ++y) weighted[(t + 1) * stride + y] *= of_pairs;
    }
    return log_scale + logarithm(totals) + logarithm(static_cast<double>(last));
}

// Adds `sign` times the node marginals, and the expected transitions, start and end.
template <class T, size_t kStride>
void add_expectations(const TrainingSet& set, const EdgeTable<T>& edges, size_t length, T sign, T* node_gradients, T* edge_gradients,
                      ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
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

template <class T, size_t kStride>
double chain_sentence_unmasked(const TrainingSet& set, const T* weights, double divisor, const EdgeTable<T>& edges, size_t begin, size_t length,
                      T weight, T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    const int32_t* gold = set.gold_.data() + begin;
    bool complete = true;
    for (size_t t = 0; t < length; ++t) complete = complete && gold[t] != TrainingSet::kUnknown;
    const double all = forward_backward<T, kStride>(set, edges, scratch.shifted.data(), length, scratch);
    if (std::isnan(all))
        return log_space_sentence(set, weights, divisor, begin, length, weight, scratch.scores.data(), node_gradients, edge_gradients,
                                  scratch.triple_gradients.data());
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
        return log_space_sentence(set, weights, divisor, begin, length, weight, scratch.scores.data(), node_gradients, edge_gradients,
                                  scratch.triple_gradients.data());
    }
    add_expectations<T, kStride>(set, edges, length, -weight, node_gradients, edge_gradients, scratch);
    return static_cast<double>(weight) * (all - known);
}

// Returns the loss and adds the gradients of one sentence whose node scores are in the scratch. Gradients of fixed edges are zero.
template <class T, size_t kStride>
double chain_sentence(const TrainingSet& set, const T* weights, double divisor, const EdgeTable<T>& edges, size_t begin, size_t length,
                      T weight, T* node_gradients, T* edge_gradients, ChainScratch<T>& scratch) {
    const double loss =
        set.arcs().empty()
            ? chain_sentence_unmasked<T, kStride>(set, weights, divisor, edges, begin, length, weight, node_gradients, edge_gradients, scratch)
            : arc_sentence<T, kArcStride<kStride>>(set, weights, divisor, edges, begin, length, weight, node_gradients, edge_gradients, scratch);
    for (size_t i = 0; i < set.edge_mask_.size(); ++i)
        if (!set.edge_mask_[i]) edge_gradients[i] = 0;
    return loss;
}

// The same for independent tokens; `token_weights` may be null.
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
        loss += static_cast<double>(weight) * (logarithm(static_cast<double>(total)) - score);
    }
    return loss;
}

// Adds the gradient of a token's scores to those of its rows.
template <class T, size_t kStride>
inline void add_rows(const Items& items, const T* __restrict node, size_t token, size_t stride, size_t shared_count, T* shared, T* own) {
    if (kStride) stride = kStride;
    const size_t shared_rows = shared_count / stride;
    for (uint64_t i = items.row_starts[token]; i < items.row_starts[token + 1]; ++i) {
        const size_t row = items.rows[i], later = ahead_of(items.rows, i, kRowsAhead);
        prefetch_row((later < shared_rows ? shared : own) + later * stride, stride);
        T* to = (row < shared_rows ? shared : own) + row * stride;
        if (items.row_values.empty()) add_row(to, node, stride);
        else add_scaled(to, node, static_cast<T>(items.row_values[i]), stride);
    }
}

// The same for the single weights of tokens [begin, end), a sentence.
template <class T>
inline void add_singles(const Items& items, const T* __restrict nodes, size_t begin, size_t end, size_t shared_count, T* shared, T* own) {
    const float* const values = items.single_values.empty() ? nullptr : items.single_values.data();
    with_singles(items, [&](const auto& singles) {
        for (uint64_t i = items.single_starts[begin]; i < items.single_starts[end]; ++i) {
            const uint32_t later = ahead_of(singles, i, kSinglesAhead).place;
            __builtin_prefetch((later < shared_count ? shared : own) + later);
            const auto [place, score] = singles[i];
            T* const to = place < shared_count ? shared : own;
            to[place] += values ? nodes[score] * static_cast<T>(values[i]) : nodes[score];
        }
    });
}

template <class T>
void add_triples(const TrainingSet& set, size_t begin, size_t length, const T* triple_gradients, T* edge_gradients) {
    T* const to = edge_gradients + set.common_edge_size();
    set.arcs().each_triple(begin, length, [&](size_t, uint32_t triple, float) { to[triple] += *triple_gradients++; });
}

double add_gradient(const TrainingSet& set, const double* weights, const EdgeTable<double>& edges, bool chain, const float* example_weights,
                    size_t part, double* shared, double* own, double* edge_gradients, ChainScratch<double>& scratch) {
    return with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = set.stride(), shared_count = set.shared_count();
        BundleRows<double> bundles{set.bundled()};
        size_t first_bundle = 0, bundle_count = 0;
        if (bundles.bundled) {
            first_bundle = bundles.bundled->part_begins[part];
            bundle_count = bundles.bundled->part_begins[part + 1] - first_bundle;
            double* const scores = at_least(scratch.bundle_scores, bundle_count * stride);
            for (size_t b = 0; b < bundle_count; ++b)
                score_rows<double, kStride>(bundles.bundled->bundles, weights, first_bundle + b, stride, nullptr, nullptr, nullptr, nullptr, scores + b * stride);
            score_singles(bundles.bundled->bundles, weights, first_bundle, first_bundle + bundle_count, scores);
            scratch.bundle_gradients.assign(bundle_count * stride, 0);
            bundles.scores = scores;
            bundles.gradients = scratch.bundle_gradients.data();
        }
        const Items& items = bundles.items(set);
        double loss = 0;
        for (size_t sentence = set.part_begin(part); sentence < set.part_begin(part + 1); ++sentence) {
            const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
            const double weight = chain && example_weights ? static_cast<double>(example_weights[sentence]) : 1.0;
            scratch.nodes.assign(length * stride, 0);
            double* const nodes = scratch.nodes.data();
            score_sentence<double, kStride>(set, weights, bundles, begin, length, scratch);
            loss += chain ? chain_sentence<double, kStride>(set, weights, 1.0, edges, begin, length, weight, nodes, edge_gradients, scratch)
                          : token_sentence<double, kStride>(set, begin, length, example_weights, nodes, scratch);
            for (size_t t = 0; t < length; ++t) {
                const double* const node = nodes + t * stride;
                if (t + 1 < length) bundles.prefetch(bundles.gradients, begin + t + 1, stride);
                for (const uint32_t* bundle = bundles.begin(begin + t); bundle < bundles.end(begin + t); ++bundle)
                    add_row(bundles.gradients + size_t{*bundle} * stride, node, stride);
                add_rows<double, kStride>(items, node, begin + t, stride, shared_count, shared, own);
            }
            add_singles(items, nodes, begin, begin + length, shared_count, shared, own);
            if (chain) add_triples(set, begin, length, scratch.triple_gradients.data(), edge_gradients);
        }
        for (size_t b = 0; b < bundle_count; ++b)
            add_rows<double, kStride>(bundles.bundled->bundles, bundles.gradients + b * stride, first_bundle + b, stride, shared_count, shared, own);
        if (bundle_count > 0)
            add_singles(bundles.bundled->bundles, bundles.gradients, first_bundle, first_bundle + bundle_count, shared_count, shared, own);
        return loss;
    });
}
