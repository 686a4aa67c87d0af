// Kernels of stochastic training: gradients of one sentence, and steps. Included by kernels.inl only.

template <class T, size_t kStride>
inline void score_viewed(const TrainingSet& set, const WeightView<T>& weights, size_t token, T* out) {
    const size_t stride = kStride ? kStride : set.stride(), pitch = stride * weights.copies;
    Accumulator<T, kStride> sum(out, stride);
    T* __restrict scores = sum.data();
    const uint64_t begin = set.row_starts_[token], end = set.row_starts_[token + 1];
    if (set.row_values_.empty()) {
        for (uint64_t i = begin; i < end; ++i) add_row(scores, weights.data + size_t{set.rows_[i]} * pitch, stride);
    } else {
        for (uint64_t i = begin; i < end; ++i)
            add_scaled(scores, weights.data + size_t{set.rows_[i]} * pitch, static_cast<T>(set.row_values_[i]), stride);
    }
    for (uint64_t i = set.single_starts_[token]; i < set.single_starts_[token + 1]; ++i) {
        const T value = set.single_values_.empty() ? T{1} : static_cast<T>(set.single_values_[i]);
        scores[set.single_labels_[i]] += value * weights.data[size_t{set.singles_[i]} * weights.copies];
    }
    sum.store();
}

template <class T>
inline void prefetch_row(const T* row, size_t count) {
    const char* bytes = reinterpret_cast<const char*>(row);
    for (size_t byte = 0; byte < count * sizeof(T); byte += 64) __builtin_prefetch(bytes + byte);
}

// What a token needs is scattered over memory: ask for it early.
template <class T>
inline void prefetch_viewed(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, size_t token) {
    const size_t pitch = set.stride() * weights.copies;
    for (uint64_t i = set.row_starts_[token]; i < set.row_starts_[token + 1]; ++i)
        prefetch_row(weights.data + size_t{set.rows_[i]} * pitch, ahead);
    for (uint64_t i = set.single_starts_[token]; i < set.single_starts_[token + 1]; ++i)
        __builtin_prefetch(weights.data + size_t{set.singles_[i]} * weights.copies);
}

// Node scores of a sentence into the scratch.
template <class T, size_t kStride>
void score_viewed_sentence(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, size_t begin, size_t length,
                           ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    if (scratch.scores.size() < length * stride) scratch.scores.resize(length * stride);
    constexpr size_t kAhead = 2;
    for (size_t t = 0; t < std::min(kAhead, length); ++t) prefetch_viewed(set, weights, ahead, begin + t);
    for (size_t t = 0; t < length; ++t) {
        if (t + kAhead < length) prefetch_viewed(set, weights, ahead, begin + t + kAhead);
        T* scores = scratch.scores.data() + t * stride;
        score_viewed<T, kStride>(set, weights, begin + t, scores);
        for (size_t y = 0; y < stride; ++y) scores[y] *= weights.inverse_divisor;
        for (size_t y = labels; y < stride; ++y) scores[y] = -std::numeric_limits<T>::infinity();
    }
}

template <class T>
void make_viewed_edges(const TrainingSet& set, const WeightView<T>& weights, EdgeTable<T>& edges) {
    make_edges_scaled(set, weights.edges(set), weights.inverse_divisor, edges);
}

template <class T>
double differentiate(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, size_t sentence, bool chain,
                     const float* example_weights, const EdgeTable<T>& edges, T* nodes, T* edge_gradients, ChainScratch<T>& scratch) {
    const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
    std::memset(nodes, 0, length * set.stride() * sizeof(T));
    if (chain) std::memset(edge_gradients, 0, set.common_edge_size() * sizeof(T));
    return with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        score_viewed_sentence<T, kStride>(set, weights, ahead, begin, length, scratch);
        if (scratch.shifted.size() < length * stride) scratch.shifted.resize(length * stride);
        if (scratch.shift.size() < length) scratch.shift.resize(length);
        for (size_t t = 0; t < length; ++t) {
            const T* scores = scratch.scores.data() + t * stride;
            const T most = max_of(scores, set.labels());
            scratch.shift[t] = static_cast<double>(most);
            T* shifted = scratch.shifted.data() + t * stride;
            for (size_t y = 0; y < stride; ++y) shifted[y] = fast_exp(scores[y] - most);
        }
        const T weight = chain && example_weights ? static_cast<T>(example_weights[sentence]) : T{1};
        return chain ? chain_sentence<T, kStride>(set, weights.edges(set), 1.0 / static_cast<double>(weights.inverse_divisor), edges, begin,
                                                  length, weight, nodes, edge_gradients, scratch)
                     : token_sentence<T, kStride>(set, begin, length, example_weights, nodes, scratch);
    });
}

// Gradients so small are what is left of p(gold) = 1 after rounding.
template <class T>
constexpr T kNothing = static_cast<T>(1e-7);

template <class T>
void scale_steps(const TrainingSet& set, const T* nodes, size_t length, T step, T second, T* steps, uint8_t* moves) {
    const size_t stride = set.stride();
    for (size_t t = 0; t < length; ++t) {
        const T* __restrict from = nodes + t * stride;
        T* __restrict to = steps + t * 2 * stride;
        int some = 0;
        for (size_t y = 0; y < stride; ++y) {
            to[y] = -step * from[y];
            to[stride + y] = second * from[y];
            some |= !(std::abs(from[y]) < kNothing<T>);
        }
        moves[t] = some != 0;
    }
}

// Eight factors, 0 or 1, for every byte of a mask.
template <class T>
struct MaskTable {
    alignas(64) T factors[256][8];
    constexpr MaskTable() : factors() {
        for (size_t byte = 0; byte < 256; ++byte)
            for (size_t bit = 0; bit < 8; ++bit) factors[byte][bit] = static_cast<T>(byte >> bit & 1);
    }
};
template <class T>
constexpr MaskTable<T> kMasks;

// Eight numbers at a time, said outright: GCC does not find the vectors in this loop on its own.
template <class T>
struct Eight {
    typedef T Lanes __attribute__((vector_size(8 * sizeof(T)), aligned(alignof(T)), may_alias));
};

template <class T>
inline void add_masked_row(T* to, const T* steps, T value, const uint8_t* mask, size_t count, bool both) {
    using Lanes = typename Eight<T>::Lanes;
    for (size_t i = 0; i < count; i += 8) {
        const Lanes factors = value * *reinterpret_cast<const Lanes*>(kMasks<T>.factors[mask[i / 8]]);
        *reinterpret_cast<Lanes*>(to + i) += factors * *reinterpret_cast<const Lanes*>(steps + i);
        if (both) *reinterpret_cast<Lanes*>(to + count + i) += factors * *reinterpret_cast<const Lanes*>(steps + count + i);
    }
}

template <class T, size_t kStride>
inline void add_paired_row(const PairedTarget<T>& target, size_t row, T value, bool valued, const T* steps, size_t stride) {
    T* to = target.data + row * (2 * stride);
    if (target.masks) {
        add_masked_row(to, steps, value, target.masks + row * (stride / 8), kStride ? kStride : stride, target.both);
    } else if (valued) {
        add_scaled(to, steps, value, target.both ? 2 * stride : stride);
    } else if (target.both) {
        add_row(to, steps, 2 * (kStride ? kStride : stride));
    } else {
        add_row(to, steps, kStride ? kStride : stride);
    }
}

template <class T>
inline void add_paired_single(const PairedTarget<T>& target, size_t place, T value, const T* step, size_t stride) {
    target.data[2 * place] += value * step[0];
    if (target.both) target.data[2 * place + 1] += value * step[stride];
}

template <class T>
void add_tokens(const TrainingSet& set, const PairedTarget<T>& target, size_t sentence, const T* steps, const uint8_t* moves) {
    const size_t begin = set.sentences_[sentence], length = set.sentences_[sentence + 1] - begin;
    const bool valued = !set.row_values_.empty();
    const WeightView<T> view{target.data, 2, T{1}};
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        for (size_t t = 0; t < length; ++t) {
            if (t + 1 < length && moves[t + 1]) prefetch_viewed(set, view, target.both ? 2 * stride : stride, begin + t + 1);
            if (!moves[t]) continue;
            const T* from = steps + t * 2 * stride;
            for (uint64_t i = set.row_starts_[begin + t]; i < set.row_starts_[begin + t + 1]; ++i)
                add_paired_row<T, kStride>(target, set.rows_[i], valued ? static_cast<T>(set.row_values_[i]) : T{1}, valued, from, stride);
            for (uint64_t i = set.single_starts_[begin + t]; i < set.single_starts_[begin + t + 1]; ++i)
                add_paired_single(target, set.singles_[i], set.single_values_.empty() ? T{1} : static_cast<T>(set.single_values_[i]),
                                  from + set.single_labels_[i], stride);
        }
    });
}

template <class T>
void add_rows(const TrainingSet& set, const PairedTarget<T>& target, const Addition* additions, const float* values, size_t count,
              const T* steps) {
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        for (size_t i = 0; i < count; ++i) {
            if (i + 16 < count) prefetch_row(target.data + size_t{additions[i + 16].place} * 2 * stride, target.both ? 2 * stride : stride);
            add_paired_row<T, kStride>(target, additions[i].place, values ? static_cast<T>(values[i]) : T{1}, values != nullptr,
                                       steps + size_t{additions[i].from} * 2 * stride, stride);
        }
    });
}

template <class T>
void add_singles(const TrainingSet& set, const PairedTarget<T>& target, const Addition* additions, const float* values, size_t count,
                 const T* steps) {
    for (size_t i = 0; i < count; ++i)
        add_paired_single(target, additions[i].place, values ? static_cast<T>(values[i]) : T{1}, steps + additions[i].from, set.stride());
}
