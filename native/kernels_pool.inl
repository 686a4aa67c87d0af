// Kernels of experts that are trained together. Included by kernels.inl only.

typedef double Doubles8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t Bits8 __attribute__((vector_size(64), aligned(8), may_alias));

inline Doubles8 load8(const double* from, size_t count) {
    if (count >= 8) return *reinterpret_cast<const Doubles8*>(from);
    double padded[8] = {};
    for (size_t i = 0; i < count; ++i) padded[i] = from[i];
    return *reinterpret_cast<const Doubles8*>(padded);
}

inline void store8(double* to, size_t count, Doubles8 value) {
    if (count >= 8) {
        *reinterpret_cast<Doubles8*>(to) = value;
        return;
    }
    for (size_t i = 0; i < count; ++i) to[i] = value[i];
}

inline Doubles8 all8(double value) { return Doubles8{} + value; }
inline Doubles8 size8(Doubles8 x) { return reinterpret_cast<Doubles8>(reinterpret_cast<Bits8>(x) & INT64_MAX); }
inline Doubles8 sign8(Doubles8 size, Doubles8 of) {
    return reinterpret_cast<Doubles8>(reinterpret_cast<Bits8>(size) | (reinterpret_cast<Bits8>(of) & INT64_MIN));
}
inline bool any8(Bits8 x) {
    alignas(64) int64_t lanes[8];
    std::memcpy(lanes, &x, sizeof(lanes));
    return ((lanes[0] | lanes[1]) | (lanes[2] | lanes[3]) | (lanes[4] | lanes[5]) | (lanes[6] | lanes[7])) != 0;
}

// factors[k - 1] for each k in `chosen`; 0 for 0.
inline Doubles8 chosen8(const double* factors, size_t size, Doubles8 chosen) {
    Doubles8 out = {};
    for (size_t k = 1; k <= size; ++k) out = chosen == static_cast<double>(k) ? all8(factors[k - 1]) : out;
    return out;
}

// The threshold of one step. From all weights on, those that it takes away are left out until none is: it only rises on the way.
template <size_t kSize>
inline Doubles8 threshold8(const Doubles8* sizes, size_t given, const double* factors, bool exact) {
    const size_t size = kSize ? kSize : given;
    Doubles8 sum = sizes[0];
    for (size_t m = 1; m < size; ++m) sum += sizes[m];
    Doubles8 threshold = sum * factors[size - 1];
    for (size_t round = 1; exact && round < size; ++round) {
        Doubles8 chosen = {};
        sum = Doubles8{};
        for (size_t m = 0; m < size; ++m) {
            const Bits8 larger = sizes[m] > threshold;
            sum += larger ? sizes[m] : all8(0.0);
            chosen += larger ? all8(1.0) : all8(0.0);
        }
        const Doubles8 next = sum * chosen8(factors, size, chosen);
        const Bits8 rises = next > threshold;
        if (size > 3 && !any8(rises)) break;
        threshold = rises ? next : threshold;
    }
    return threshold;
}

template <size_t kSize>
size_t catch_up_sized(const AcrossSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* rest) {
    constexpr double kLarge = std::numeric_limits<double>::max();
    constexpr size_t kRoom = kSize ? kSize : kMostAcross;
    const size_t size = kSize ? kSize : steps.size;
    Doubles8 weights[kRoom], sizes[kRoom];
    size_t rests = 0;
    for (size_t first = 0; first < count; first += 8) {
        const size_t some = count - first;
        const Doubles8 gradient = load8(pooled + first, some);
        for (size_t m = 0; m < size; ++m) {
            weights[m] = load8(members[m] + first, some) - steps.moves[m] * gradient;
            sizes[m] = size8(weights[m]);
        }
        const Doubles8 threshold = steps.factors ? threshold8<kSize>(sizes, size, steps.factors, steps.exact) : all8(steps.threshold);
        Doubles8 sum = {}, least = all8(kLarge), nonzero = {};
        for (size_t m = 0; m < size; ++m) {
            const Doubles8 left = sizes[m] - threshold;
            const Bits8 none = left <= 0.0;  // what is not a number stays so
            sizes[m] = none ? all8(0.0) : left;
            sum += sizes[m];
            nonzero += none ? all8(0.0) : all8(1.0);
            const Doubles8 counted = none ? all8(kLarge) : left;
            least = counted < least ? counted : least;
        }
        Doubles8 lost = {};
        if (steps.shares) {
            lost = sum * chosen8(steps.shares, size, nonzero);
            const Bits8 intact = lost < least;
            lost = intact ? lost : all8(0.0);
            if (any8(~intact))
                for (size_t i = 0; i < std::min<size_t>(some, 8); ++i)
                    if (!intact[i]) rest[rests++] = static_cast<uint32_t>(first + i);
        }
        Doubles8 mixed = {};
        for (size_t m = 0; m < size; ++m) {
            const Doubles8 left = sign8(sizes[m] == 0.0 ? sizes[m] : sizes[m] - lost, weights[m]);
            store8(members[m] + first, some, left);
            mixed += steps.alpha[m] * left;
        }
        store8(pooled + first, some, mixed);
    }
    return rests;
}

size_t catch_up_across(const AcrossSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* rest) {
    switch (steps.size) {
    case 2: return catch_up_sized<2>(steps, members, count, pooled, rest);
    case 3: return catch_up_sized<3>(steps, members, count, pooled, rest);
    case 5: return catch_up_sized<5>(steps, members, count, pooled, rest);
    default: return catch_up_sized<0>(steps, members, count, pooled, rest);
    }
}

void mix_members(const double* alpha, double* const* members, size_t size, size_t count, double* pooled) {
    for (size_t first = 0; first < count; first += 8) {
        const size_t some = count - first;
        Doubles8 sum = alpha[0] * load8(members[0] + first, some);
        for (size_t m = 1; m < size; ++m) sum += alpha[m] * load8(members[m] + first, some);
        store8(pooled + first, some, sum);
    }
}

void add_slopes(double* const* members, size_t size, size_t count, const double* gradient, double* slopes) {
    for (size_t m = 0; m < size; ++m)
        for (size_t i = 0; i < count; ++i) slopes[m] += gradient[i] * members[m][i];
}

void add_nodes(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights) {
    const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
    const WeightView<double> view{weights, 1, 1.0};
    with_stride(set.stride(), [&](auto constant) {
        constexpr size_t kStride = decltype(constant)::value;
        const size_t stride = kStride ? kStride : set.stride();
        for (size_t token = begin; token < end; ++token, nodes += stride) {
            if (token + 1 < end) prefetch_viewed(set, view, stride, token + 1);
            for (uint64_t i = set.items().row_starts[token]; i < set.items().row_starts[token + 1]; ++i) {
                const size_t row = set.items().rows[i];
                const double times = set.items().row_values.empty() ? by : by * static_cast<double>(set.items().row_values[i]);
                if (masks) add_masked_row(weights + row * stride, nodes, times, masks + row * (stride / 8), stride);
                else add_scaled(weights + row * stride, nodes, times, stride);
            }
        }
        nodes -= (end - begin) * stride;
        for (uint64_t i = set.items().single_starts[begin]; i < set.items().single_starts[end]; ++i) {
            const double times = set.items().single_values.empty() ? by : by * static_cast<double>(set.items().single_values[i]);
            weights[set.items().singles[i].place] += times * nodes[set.items().singles[i].score];
        }
    });
}
