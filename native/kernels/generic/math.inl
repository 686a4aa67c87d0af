// exp, sums over labels, and rows in vectors. Included by kernels.inl only.

// exp(x) = 2^n * exp(r), r in [-ln2/2, ln2/2] by a polynomial. Adding and subtracting `magic` rounds to an integer.
inline float fast_exp(float x) {
    const float bounded = std::min(std::max(x, -87.0f), 88.0f);
    const float magic = 12582912.0f;
    const float shifted = bounded * 1.44269504088896341f + magic;
    const float n = shifted - magic;
    float r = bounded - n * 0.693145751953125f;
    r = r - n * 1.428606765330187e-06f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const int32_t exponent = (__builtin_bit_cast(int32_t, shifted) + 127) << 23;
    return x < -87.0f ? 0.0f : p * __builtin_bit_cast(float, exponent);
}

inline double fast_exp(double x) {
    const double bounded = std::min(std::max(x, -708.0), 709.0);
    const double magic = 6755399441055744.0;
    const double shifted = bounded * 1.44269504088896340736 + magic;
    const double n = shifted - magic;
    double r = bounded - n * 6.93147180369123816490e-01;
    r = r - n * 1.90821492927058770002e-10;
    double p = 1.0 / 6227020800.0;  // 1/13!
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r * r + r + 1.0;
    const int64_t exponent = (__builtin_bit_cast(int64_t, shifted) + 1023) << 52;
    return x < -708.0 ? 0.0 : p * __builtin_bit_cast(double, exponent);
}

// The largest of whole vectors.
template <class T>
inline T max_of(const T* x, size_t stride) {
    constexpr size_t kLanes = Lanes<T>::kCount;
    if (stride < kLanes) return std::max(std::max(x[0], x[1]), std::max(x[2], x[3]));
    auto most = load(x);
    for (size_t i = kLanes; i < stride; i += kLanes) {
        const auto here = load(x + i);
        most = choose(here > most, here, most);
    }
    T last = most[0];
    for (size_t k = 1; k < kLanes; ++k) last = std::max(last, most[k]);
    return last;
}

template <class T>
inline void add_row(T* __restrict to, const T* __restrict row, size_t stride) {
    for (size_t y = 0; y < stride; ++y) to[y] += row[y];
}

template <class T>
inline void add_scaled(T* __restrict to, const T* __restrict row, T by, size_t stride) {
    for (size_t y = 0; y < stride; ++y) to[y] += by * row[y];
}

template <class T>
inline void prefetch_row(const T* row, size_t count) {
    const char* bytes = reinterpret_cast<const char*>(row);
    for (size_t byte = 0; byte < count * sizeof(T); byte += 64) prefetch_line(bytes + byte);
}

// A sum of rows: in explicit vectors if the length is a compile-time constant, since compilers do not vectorise these loops well; else in place.
template <class T, size_t kStride>
class Row {
public:
    Row(T* out, size_t) : out_(out) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] = Vector{};
    }
    void add(const T* row) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] += load<kMost>(row + k * kLanes);
    }
    void add_scaled(const T* row, T by) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] += by * load<kMost>(row + k * kLanes);
    }
    void add(const Row& other) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] += other.part_[k];
    }
    void multiply(const T* row) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] *= load<kMost>(row + k * kLanes);
    }
    void scale(T by) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] *= by;
    }
    void add_to(T* row) const {
        for (size_t k = 0; k < kVectors; ++k) store(row + k * kLanes, load<kMost>(row + k * kLanes) + part_[k]);
    }
    void write() {
        for (size_t k = 0; k < kVectors; ++k) store(out_ + k * kLanes, part_[k]);
    }

private:
    static constexpr size_t kMost = kStride == 4 ? 4 : 8;
    static constexpr size_t kLanes = Lanes<T, kMost>::kCount, kVectors = kStride / kLanes;
    using Vector = typename Lanes<T, kMost>::Vector;

    Vector part_[kVectors];
    T* out_;
};
template <class T>
class Row<T, 0> {
public:
    Row(T* out, size_t stride) : out_(out), stride_(stride) {
        for (size_t y = 0; y < stride_; ++y) out_[y] = 0;
    }
    void add(const T* row) { add_row(out_, row, stride_); }
    void add_scaled(const T* row, T by) { tagpool::TAGPOOL_VARIANT::add_scaled(out_, row, by, stride_); }
    void multiply(const T* row) {
        for (size_t y = 0; y < stride_; ++y) out_[y] *= row[y];
    }
    void scale(T by) {
        for (size_t y = 0; y < stride_; ++y) out_[y] *= by;
    }
    void add_to(T* row) const { add_row(row, out_, stride_); }
    void write() {}

private:
    T* out_;
    size_t stride_;
};

// to += row. Explicit vectors: compilers do not vectorise this loop behind a load of `to`.
template <size_t kStride, class T>
inline void add_whole_row(T* to, const T* row, size_t stride) {
    if constexpr (kStride != 0) {
        Row<T, kStride> sum(to, stride);
        sum.add(row);
        sum.add_to(to);
    } else {
        add_row(to, row, stride);
    }
}

// Calls `work` with the stride as a compile-time constant if it is a usual one, else with 0. Every constant costs seconds of compile time:
// the portable fallback has none.
template <class Work>
auto with_stride([[maybe_unused]] size_t stride, Work&& work) {
#ifndef TAGPOOL_VARIANT_IS_FALLBACK
    switch (stride) {
        case 8: return work(std::integral_constant<size_t, 8>());
        case 16: return work(std::integral_constant<size_t, 16>());
        case 24: return work(std::integral_constant<size_t, 24>());
        case 32: return work(std::integral_constant<size_t, 32>());
        case 48: return work(std::integral_constant<size_t, 48>());
        default: break;
    }
#endif
    return work(std::integral_constant<size_t, 0>());
}

// Constants for kernels of transition features: the strides of most chunk and name schemes.
template <size_t kStride>
constexpr size_t kTransitionStride = kStride == 16 || kStride == 24 ? kStride : 0;

// The same with the strides of lean sets: those of few labels, and for vectors of four numbers (kDoubleRowUnit).
template <class Work>
auto with_narrow_stride(size_t stride, Work&& work) {
#if TAGPOOL_VECTOR_BYTES >= 32
    if (stride == 4) return work(std::integral_constant<size_t, 4>());
#endif
#if TAGPOOL_VECTOR_BYTES == 32
    switch (stride) {
        case 12: return work(std::integral_constant<size_t, 12>());
        case 20: return work(std::integral_constant<size_t, 20>());
        default: break;
    }
#endif
    return with_stride(stride, work);
}

// Rows of doubles may be padded to a multiple of this.
constexpr uint32_t kDoubleRowUnit = Lanes<double>::kCount < 8 ? 4 : 8;

// Sums and inner products in vectors, with eight partial sums for every width.
template <class T>
class EightSums {
public:
    EightSums() {
        for (size_t k = 0; k < kVectors; ++k) part_[k] = Vector{};
    }
    void add(const T* x) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] += load(x + k * kLanes);
    }
    void add_product(const T* x, const T* y) {
        for (size_t k = 0; k < kVectors; ++k) part_[k] += load(x + k * kLanes) * load(y + k * kLanes);
    }
    // The same for four numbers, behind others. Vectors of eight have no such rest.
    void add_half(const T* x) {
        for (size_t k = 0; k < kVectors / 2; ++k) part_[k] += load(x + k * kLanes);
    }
    void add_half_product(const T* x, const T* y) {
        for (size_t k = 0; k < kVectors / 2; ++k) part_[k] += load(x + k * kLanes) * load(y + k * kLanes);
    }
    T sum() const {
        T part[8];
        for (size_t k = 0; k < kVectors; ++k) store(part + k * kLanes, part_[k]);
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }

private:
    static constexpr size_t kLanes = Lanes<T>::kCount, kVectors = 8 / kLanes;
    using Vector = typename Lanes<T>::Vector;

    Vector part_[kVectors];
};

template <class T>
inline T sum_of(const T* x, size_t count) {
    if (count == 4) return (x[0] + x[1]) + (x[2] + x[3]);
    EightSums<T> total;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) total.add(x + i);
    if (i < count) total.add_half(x + i);
    return total.sum();
}

template <class T>
inline T dot_of(const T* x, const T* y, size_t stride) {
    if (stride == 4) return (x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]);
    EightSums<T> total;
    size_t i = 0;
    for (; i + 8 <= stride; i += 8) total.add_product(x + i, y + i);
    if (i < stride) total.add_half_product(x + i, y + i);
    return total.sum();
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

// Grows to `count` numbers; never shrinks.
template <class T>
inline T* at_least(AlignedVector<T>& room, size_t count) {
    if (room.size() < count) room.resize(count);
    return room.data();
}
