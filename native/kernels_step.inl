// Kernels of stochastic training: one step on one sentence. Included by kernels.inl only.

template <class T>
double descend(const TrainingSet& set, size_t sentence, T* weights, T divisor, bool chain, const float* example_weights, T step, T* averages,
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
        const T weight = chain && example_weights ? static_cast<T>(example_weights[sentence]) : T{1};
        return chain ? chain_sentence<T, kStride>(set, weights, static_cast<double>(divisor), edges, begin, length, weight, nodes.data(),
                                                  edge_gradients, scratch)
                     : token_sentence<T, kStride>(set, begin, length, example_weights, nodes.data(), scratch);
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
