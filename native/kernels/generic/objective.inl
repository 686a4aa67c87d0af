// Kernels of batch training: the gradient of a part of the sentences. Included by kernels.inl only.

// Adds the gradient of a token's scores to those of its rows.
template <class T, size_t kStride>
inline void add_rows(const Items& items, const T* __restrict node, size_t token, size_t stride, size_t shared_count, const PartGradient& gradient) {
    if (kStride) stride = kStride;
    const size_t shared_rows = shared_count / stride;
    for (uint64_t i = items.row_starts[token]; i < items.row_starts[token + 1]; ++i) {
        const size_t row = items.rows[i], later = ahead_of(items.rows, i, kRowsAhead);
        prefetch_row((later < shared_rows ? gradient.shared : gradient.unshared) + later * stride, stride);
        T* to = (row < shared_rows ? gradient.shared : gradient.unshared) + row * stride;
        if (items.row_values.empty()) add_whole_row<kStride>(to, node, stride);
        else add_scaled(to, node, static_cast<T>(items.row_values[i]), stride);
    }
}

// The same for the single weights of tokens [begin, end), a sentence.
template <class T>
inline void add_singles(const Items& items, const T* __restrict nodes, size_t begin, size_t end, size_t shared_count, const PartGradient& gradient) {
    const float* const values = items.single_values.empty() ? nullptr : items.single_values.data();
    with_singles(items, [&](const auto& singles) {
        for (uint64_t i = items.single_starts[begin]; i < items.single_starts[end]; ++i) {
            const uint32_t later = ahead_of(singles, i, kSinglesAhead).place;
            prefetch_line((later < shared_count ? gradient.shared : gradient.unshared) + later);
            const auto [place, score] = singles[i];
            T* const to = place < shared_count ? gradient.shared : gradient.unshared;
            to[place] += values ? nodes[score] * static_cast<T>(values[i]) : nodes[score];
        }
    });
}

double add_gradient(const Examples& examples, const double* weights, const EdgeTable<double>& edges, size_t part, const PartGradient& gradient,
                    ChainScratch<double>& scratch) {
    const TrainingSet& set = examples.set;
    return with_narrow_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride(), shared_count = set.shared_count();
        BundleRows<double> bundles{set.bundled()};
        size_t first_bundle = 0, bundle_count = 0;
        if (bundles.bundled) {
            first_bundle = bundles.bundled->part_begins[part];
            bundle_count = bundles.bundled->part_begins[part + 1] - first_bundle;
            double* const scores = at_least(scratch.bundle_scores, bundle_count * stride);
            for (size_t b = 0; b < bundle_count; ++b) {
                Row<double, kStride> sum(scores + b * stride, stride);
                score_rows<double, kStride>(bundles.bundled->bundles, weights, first_bundle + b, stride, sum);
                sum.write();
            }
            score_singles(bundles.bundled->bundles, weights, first_bundle, first_bundle + bundle_count, scores);
            scratch.bundle_gradients.assign(bundle_count * stride, 0);
            bundles.scores = scores;
            bundles.gradients = scratch.bundle_gradients.data();
        }
        const Items& items = bundles.items(set);
        double loss = gradient.loss;
        for (size_t number = set.part_begin(part); number < set.part_begin(part + 1); ++number) {
            const size_t begin = examples.begin(number), length = examples.length(number);
            scratch.nodes.assign(length * stride, 0);
            double* const nodes = scratch.nodes.data();
            const SentenceGradient<double> sentence{begin, length, examples.weight_of_sentence<double>(number), nodes, gradient.edges};
            score_sentence<double, kStride>(set, weights, bundles, begin, length, scratch);
            loss += examples.chain ? chain_sentence<double, kStride>(set, {weights, 1, 1.0}, edges, sentence, scratch)
                                   : token_sentence<double, kStride>(set, begin, length, examples.weights, nodes, scratch);
            for (size_t t = 0; t < length; ++t) {
                const double* const node = nodes + t * stride;
                if (t + 1 < length) bundles.prefetch(bundles.gradients, begin + t + 1, stride);
                for (const uint32_t* bundle = bundles.begin(begin + t); bundle < bundles.end(begin + t); ++bundle)
                    add_whole_row<kStride>(bundles.gradients + size_t{*bundle} * stride, node, stride);
                add_rows<double, kStride>(items, node, begin + t, stride, shared_count, gradient);
            }
            add_singles(items, nodes, begin, begin + length, shared_count, gradient);
            if (!examples.chain) continue;
            const double* cell_gradient = scratch.cell_gradients.data();
            set.transition_features().each_cell(
                begin, length, [&](size_t, uint32_t cell, float) { gradient.edges[set.common_edge_size() + cell] += *cell_gradient++; });
        }
        for (size_t b = 0; b < bundle_count; ++b)
            add_rows<double, kStride>(bundles.bundled->bundles, bundles.gradients + b * stride, first_bundle + b, stride, shared_count, gradient);
        if (bundle_count > 0)
            add_singles(bundles.bundled->bundles, bundles.gradients, first_bundle, first_bundle + bundle_count, shared_count, gradient);
        return loss;
    });
}
