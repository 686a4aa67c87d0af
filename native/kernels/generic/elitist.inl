// Kernels of jointly trained experts. Included by kernels.inl only.

// Vectors of this instruction set: wider ones would be split in memory.
using Doubles = Lanes<double>::Vector;
using Bits = Lanes<double>::Mask;
constexpr size_t kDoubles = Lanes<double>::kCount;

inline Doubles load_some(const double* from, size_t count) {
    if (count >= kDoubles) return load(from);
    double padded[kDoubles] = {};
    for (size_t i = 0; i < count; ++i) padded[i] = from[i];
    return load(padded);
}

inline void store_some(double* to, size_t count, Doubles value) {
    if (count >= kDoubles) return store(to, value);
    for (size_t i = 0; i < count; ++i) to[i] = value[i];
}

inline Doubles all_of(double value) { return Doubles{} + value; }
inline bool any_of(Bits x) {
    int64_t some = 0;
    for (size_t i = 0; i < kDoubles; ++i) some |= x[i];
    return some != 0;
}

// factors[k - 1] for each k in `chosen`; 0 for 0.
inline Doubles chosen_from(const double* factors, size_t size, Doubles chosen) {
    Doubles out = {};
    for (size_t k = 1; k <= size; ++k) out = choose(chosen == all_of(static_cast<double>(k)), all_of(factors[k - 1]), out);
    return out;
}

// The threshold of one step. Starts with all weights and removes those below the threshold until it no longer rises.
template <size_t kSize>
inline Doubles threshold_of(const Doubles* sizes, size_t runtime_size, const double* factors, bool exact) {
    const size_t size = kSize ? kSize : runtime_size;
    Doubles sum = sizes[0];
    for (size_t m = 1; m < size; ++m) sum += sizes[m];
    Doubles threshold = sum * factors[size - 1];
    for (size_t round = 1; exact && round < size; ++round) {
        Doubles chosen = {};
        sum = Doubles{};
        for (size_t m = 0; m < size; ++m) {
            const Bits larger = sizes[m] > threshold;
            sum += choose(larger, sizes[m], all_of(0.0));
            chosen += choose(larger, all_of(1.0), all_of(0.0));
        }
        const Doubles next = sum * chosen_from(factors, size, chosen);
        const Bits rises = next > threshold;
        if (size > 3 && !any_of(rises)) break;
        threshold = choose(rises, next, threshold);
    }
    return threshold;
}

template <size_t kSize>
size_t update_sized(const ExpertSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* unfinished) {
    constexpr double kLarge = std::numeric_limits<double>::max();
    constexpr size_t kRoom = kSize ? kSize : kMaxExperts;
    const size_t size = kSize ? kSize : steps.size;
    Doubles weights[kRoom], sizes[kRoom];
    size_t unfinished_count = 0;
    for (size_t first = 0; first < count; first += kDoubles) {
        const size_t some = count - first;
        const Doubles gradient = load_some(pooled + first, some);
        for (size_t m = 0; m < size; ++m) {
            weights[m] = load_some(members[m] + first, some) - steps.step_sizes[m] * gradient;
            sizes[m] = size_of(weights[m]);
        }
        const Doubles threshold = steps.factors ? threshold_of<kSize>(sizes, size, steps.factors, steps.exact) : all_of(steps.threshold);
        Doubles sum = {}, least = all_of(kLarge), nonzero = {};
        for (size_t m = 0; m < size; ++m) {
            const Doubles left = sizes[m] - threshold;
            const Bits none = left <= all_of(0.0);  // NaN stays NaN
            sizes[m] = choose(none, all_of(0.0), left);
            sum += sizes[m];
            nonzero += choose(none, all_of(0.0), all_of(1.0));
            const Doubles counted = choose(none, all_of(kLarge), left);
            least = choose(counted < least, counted, least);
        }
        Doubles lost = {};
        if (steps.shares) {
            lost = sum * chosen_from(steps.shares, size, nonzero);
            const Bits intact = lost < least;
            lost = choose(intact, lost, all_of(0.0));
            if (any_of(~intact))
                for (size_t i = 0; i < std::min(some, kDoubles); ++i)
                    if (!intact[i]) unfinished[unfinished_count++] = static_cast<uint32_t>(first + i);
        }
        Doubles mixed = {};
        for (size_t m = 0; m < size; ++m) {
            const Doubles left = with_sign(choose(sizes[m] == all_of(0.0), sizes[m], sizes[m] - lost), weights[m]);
            store_some(members[m] + first, some, left);
            mixed += steps.alpha[m] * left;
        }
        store_some(pooled + first, some, mixed);
    }
    return unfinished_count;
}

size_t update_experts(const ExpertSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* unfinished) {
    switch (steps.size) {
        case 2: return update_sized<2>(steps, members, count, pooled, unfinished);
        case 3: return update_sized<3>(steps, members, count, pooled, unfinished);
        case 5: return update_sized<5>(steps, members, count, pooled, unfinished);
        default: return update_sized<0>(steps, members, count, pooled, unfinished);
    }
}

void mix_members(const double* alpha, double* const* members, size_t size, size_t count, double* pooled) {
    for (size_t first = 0; first < count; first += kDoubles) {
        const size_t some = count - first;
        Doubles sum = alpha[0] * load_some(members[0] + first, some);
        for (size_t m = 1; m < size; ++m) sum += alpha[m] * load_some(members[m] + first, some);
        store_some(pooled + first, some, sum);
    }
}

void add_slopes(double* const* members, size_t size, size_t count, const double* gradient, double* slopes) {
    for (size_t m = 0; m < size; ++m)
        for (size_t i = 0; i < count; ++i) slopes[m] += gradient[i] * members[m][i];
}

void add_nodes(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights) {
    const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
    const Items& items = set.items();
    const WeightView<double> view{weights, 1, 1.0};
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        for (size_t token = begin; token < end; ++token, nodes += stride) {
            if (token + 1 < end) prefetch_viewed(set, view, stride, token + 1);
            for (uint64_t i = items.row_starts[token]; i < items.row_starts[token + 1]; ++i) {
                const size_t row = items.rows[i];
                const double times = items.row_values.empty() ? by : by * static_cast<double>(items.row_values[i]);
                if (masks) add_masked_row(weights + row * stride, nodes, times, masks + row * (stride / 8), stride);
                else add_scaled(weights + row * stride, nodes, times, stride);
            }
        }
        nodes -= (end - begin) * stride;
        for (uint64_t i = items.single_starts[begin]; i < items.single_starts[end]; ++i) {
            const double times = items.single_values.empty() ? by : by * static_cast<double>(items.single_values[i]);
            weights[items.singles[i].place] += times * nodes[items.singles[i].to];
        }
    });
}
