// Kernels of stochastic training: the gradient of one sentence, and steps of SGD. Included by kernels.inl only.

template <class T, size_t kStride>
inline void score_viewed(const TrainingSet& set, const WeightView<T>& weights, size_t token, T* out) {
    const size_t stride = kStride ? kStride : set.stride(), pitch = stride * weights.copies;
    const Items& items = set.items();
    Row<T, kStride> sum(out, stride);
    for (uint64_t i = items.row_starts[token]; i < items.row_starts[token + 1]; ++i) {
        const T* const row = weights.data + size_t{items.rows[i]} * pitch;
        if (items.row_values.empty()) sum.add(row);
        else sum.add_scaled(row, static_cast<T>(items.row_values[i]));
    }
    sum.write();
    for (uint64_t i = items.single_starts[token]; i < items.single_starts[token + 1]; ++i) {
        const T value = items.single_values.empty() ? T{1} : static_cast<T>(items.single_values[i]);
        const auto [place, score] = items.singles[i];
        out[score % static_cast<uint32_t>(stride)] += value * weights.data[size_t{place} * weights.copies];
    }
}

// Prefetches the weights of a token: they are scattered over memory.
template <class T>
inline void prefetch_viewed(const TrainingSet& set, const WeightView<T>& weights, size_t ahead, size_t token) {
    const size_t pitch = set.stride() * weights.copies;
    for (uint64_t i = set.items().row_starts[token]; i < set.items().row_starts[token + 1]; ++i)
        prefetch_row(weights.data + size_t{set.items().rows[i]} * pitch, ahead);
    for (uint64_t i = set.items().single_starts[token]; i < set.items().single_starts[token + 1]; ++i)
        prefetch_line(weights.data + size_t{set.items().singles[i].place} * weights.copies);
}

// Prefetch distance in lists, and the number of items whose rows are prefetched together.
constexpr size_t kItemsAhead = 16, kBlock = 64;

void score_shard(const TrainingSet& set, const WeightView<float>& weights, size_t ahead, const Shards::List& rows, const Shards::List& singles,
                 size_t length, float* part) {
    std::memset(part, 0, length * set.stride() * sizeof(float));
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride(), pitch = stride * weights.copies;
        const auto row_of = [&](size_t i) { return weights.data + rows.items[i].place * pitch; };
        const auto prefetch_for = [&](size_t i) {
            if (i + kItemsAhead < rows.count) prefetch_row(row_of(i + kItemsAhead), ahead);
        };
        for (size_t i = 0; i < rows.count;) {
            const uint32_t token = rows.items[i].to;
            float* const to = part + token * stride;
            if (rows.values) {
                prefetch_for(i);
                add_scaled(to, row_of(i), static_cast<float>(rows.values[i]), stride);
                ++i;
                continue;
            }
            Row<float, kStride> sum(to, stride);  // in registers: a sum in memory would wait for its last store
            for (; i < rows.count && rows.items[i].to == token; ++i) {
                prefetch_for(i);
                sum.add(row_of(i));
            }
            sum.write();
        }
    });
    for (size_t i = 0; i < singles.count; ++i) {
        if (i + kItemsAhead < singles.count) prefetch_line(weights.data + singles.items[i + kItemsAhead].place * weights.copies);
        const float weight = weights.data[singles.items[i].place * weights.copies];
        part[singles.items[i].to] += singles.values ? static_cast<float>(singles.values[i]) * weight : weight;
    }
}

// Writes the node scores of a sentence to the scratch, from the parts of the shards if there are any.
template <class T, size_t kStride>
void score_viewed_sentence(const TrainingSet& set, const WeightView<T>& weights, const T* const* parts, size_t begin, size_t length,
                           ChainScratch<T>& scratch) {
    const size_t stride = kStride ? kStride : set.stride(), labels = set.labels();
    T* const all_scores = at_least(scratch.scores, length * stride);
    static_assert(Shards::kCount == 2);
    for (size_t i = 0; parts && i < length * stride; ++i) all_scores[i] = parts[0][i] + parts[1][i];
    constexpr size_t kAhead = 2;
    for (size_t t = 0; !parts && t < std::min(kAhead, length); ++t) prefetch_viewed(set, weights, stride, begin + t);
    for (size_t t = 0; t < length; ++t) {
        T* scores = all_scores + t * stride;
        if (!parts) {
            if (t + kAhead < length) prefetch_viewed(set, weights, stride, begin + t + kAhead);
            score_viewed<T, kStride>(set, weights, begin + t, scores);
        }
        for (size_t y = 0; y < stride; ++y) scores[y] *= weights.inverse_divisor;
        for (size_t y = labels; y < stride; ++y) scores[y] = -std::numeric_limits<T>::infinity();
    }
}

template <class T>
double differentiate(const Examples& examples, const WeightView<T>& weights, const T* const* parts, size_t sentence, const EdgeTable<T>& edges,
                     T* nodes, T* edge_gradients, ChainScratch<T>& scratch) {
    const TrainingSet& set = examples.set;
    const size_t begin = examples.begin(sentence), length = examples.length(sentence);
    std::memset(nodes, 0, length * set.stride() * sizeof(T));
    if (examples.chain) std::memset(edge_gradients, 0, set.common_edge_size() * sizeof(T));
    return with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        score_viewed_sentence<T, kStride>(set, weights, parts, begin, length, scratch);
        shift_scores<T, kStride>(set, length, scratch);
        const SentenceGradient<T> gradient{begin, length, examples.weight_of_sentence<T>(sentence), nodes, edge_gradients};
        return examples.chain ? chain_sentence<T, kStride>(set, weights, edges, gradient, scratch)
                              : token_sentence<T, kStride>(set, begin, length, examples.weights, nodes, scratch);
    });
}

inline float square_norm(const float* row, size_t stride) {
    auto sums = load(row) * load(row);
    for (size_t i = Lanes<float>::kCount; i < stride; i += Lanes<float>::kCount) sums += load(row + i) * load(row + i);
    float sum = 0;
    for (size_t k = 0; k < Lanes<float>::kCount; ++k) sum += sums[k];
    return sum;
}

// Smaller gradients are what rounding leaves of p(gold) = 1.
constexpr float kNegligible = 1e-7f;

void square_norms(const TrainingSet& set, float* nodes, size_t length, TokenGradient* tokens) {
    const size_t stride = set.stride();
    for (size_t t = 0; t < length; ++t) {
        float* const node = nodes + t * stride;
        int some = 0;
        for (size_t y = 0; y < stride; ++y) some |= !(std::abs(node[y]) < kNegligible);
        tokens[t] = {0, 1};
        if (some) tokens[t].square = square_norm(node, stride);
        else std::fill_n(node, stride, float{0});
    }
}

// Eight factors, 0 or 1, for each byte of a mask.
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

// to += value * from for the free weights. Explicit vectors here and below: GCC does not vectorise these loops.
template <class T>
inline void add_masked_row(T* to, const T* from, T value, const uint8_t* mask, size_t count) {
    for (size_t i = 0; i < count; i += Lanes<T>::kCount) {
        const auto factors = value * load(kMasks<T>.factors[mask[i / 8]] + i % 8);
        store(to + i, load(to + i) + factors * load(from + i));
    }
}

// A bound on the growth in one step, for steps that a user chose too large.
constexpr float kMaxGrowth = 0.5f;

// Returns the scale 1 / sqrt(squares) of a step, and the share by which the weight grows at `times` occurrences (StepTarget).
inline std::pair<float, float> adapt_step(const StepTarget& target, StepState& state, float square, float times) {
    state.squares += square;
    const float scale = 1 / std::sqrt(state.squares);
    return {scale, std::min(kMaxGrowth, times * target.shrinkage * state.share * (1 - scale))};
}

template <size_t kStride>
inline void update_row(const StepTarget& target, size_t row, float by, float growth, const float* node, size_t stride_if_unusual) {
    const size_t stride = kStride ? kStride : stride_if_unusual;
    float* const to = target.data + row * (2 * stride);
    for (size_t i = 0; i < stride; i += Lanes<float>::kCount) {
        auto change = by * load(node + i);
        if (target.masks) change *= load(kMasks<float>.factors[target.masks[(row * stride + i) / 8]] + i % 8);
        change -= growth * load(to + i);
        store(to + i, load(to + i) - change);
        if (target.both) store(to + stride + i, load(to + stride + i) + target.fraction * change);
    }
}

void apply_gradient(const TrainingSet& set, const StepTarget& target, const Shards::List& rows, const Shards::List& singles, const float* nodes,
                    const TokenGradient* tokens) {
    const SummedRows& summed = target.summed;
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride(), ahead = target.both ? 2 * stride : stride;
        size_t active[kBlock];  // items of tokens with updates
        for (size_t begin = 0; begin < rows.count; begin += kBlock) {
            size_t count = 0;
            for (size_t i = begin; i < std::min(begin + kBlock, rows.count); ++i) {
                active[count] = i;
                count += tokens[rows.items[i].to].times != 0;
            }
            for (size_t k = 0; k < count; ++k) {
                const size_t row = rows.items[active[k]].place;
                prefetch_row(target.data + row * 2 * stride, ahead);
                prefetch_line(target.rows + row);
            }
            for (size_t k = 0; k < count; ++k) {
                const auto [row, token] = rows.items[active[k]];
                const auto [square, times] = tokens[token];
                const float value = rows.values ? static_cast<float>(rows.values[active[k]]) : float{1};
                const float* const node = nodes + token * stride;
                if (row < summed.count) {
                    if (summed.times[row] == 0) summed.present->push_back(row);
                    summed.times[row] += times;
                    add_scaled(summed.sums + row * stride, node, value, stride);
                } else {
                    const auto [scale, growth] = adapt_step(target, target.rows[row], value * value * square, times);
                    update_row<kStride>(target, row, value * scale * target.step, growth, node, stride);
                }
            }
        }
    });
    for (size_t i = 0; i < singles.count; ++i) {
        if (i + kItemsAhead < singles.count) {
            prefetch_line(target.data + singles.items[i + kItemsAhead].place * 2);
            prefetch_line(target.singles + singles.items[i + kItemsAhead].place);
        }
        float* const to = target.data + singles.items[i].place * 2;
        const float gradient = nodes[singles.items[i].to] * (singles.values ? static_cast<float>(singles.values[i]) : float{1});
        if (gradient == 0) continue;
        const float times = tokens[singles.items[i].to / set.stride()].times;
        const auto [scale, growth] = adapt_step(target, target.singles[singles.items[i].place], gradient * gradient / times, times);
        const float change = scale * target.step * gradient - growth * to[0];
        to[0] -= change;
        if (target.both) to[1] += target.fraction * change;
    }
}

void apply_sums(const TrainingSet& set, const StepTarget& target) {
    const SummedRows& summed = target.summed;
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        for (const uint32_t row : *summed.present) {
            float* const sum = summed.sums + row * stride;
            const auto [scale, growth] = adapt_step(target, target.rows[row], square_norm(sum, stride), summed.times[row]);
            update_row<kStride>(target, row, scale * target.step, growth, sum, stride);
            std::fill_n(sum, stride, 0.0f);
            summed.times[row] = 0;
        }
    });
    summed.present->clear();
}
