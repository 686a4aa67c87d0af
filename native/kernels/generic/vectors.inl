// Vectors of this instruction set. Included by kernels.inl only.

#ifdef TAGPOOL_GNU

// Vectors of at most kMost numbers: rows are padded to multiples of eight, or to four.
template <class T, size_t kMost = 8>
struct Lanes {
    static constexpr size_t kCount = std::min(TAGPOOL_VECTOR_BYTES / sizeof(T), kMost);
    using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    typedef T Vector __attribute__((vector_size(kCount * sizeof(T))));
    typedef Bits Mask __attribute__((vector_size(kCount * sizeof(T))));
};

// The numbers of `yes` where the mask is set, else those of `no`.
template <class Mask, class Vector>
inline Vector choose(Mask mask, Vector yes, Vector no) {
    return mask ? yes : no;
}

inline Lanes<double>::Vector size_of(Lanes<double>::Vector x) {
    using Bits = Lanes<double>::Mask;
    return reinterpret_cast<Lanes<double>::Vector>(reinterpret_cast<Bits>(x) & INT64_MAX);
}
inline Lanes<double>::Vector with_sign(Lanes<double>::Vector size, Lanes<double>::Vector of) {
    using Bits = Lanes<double>::Mask;
    return reinterpret_cast<Lanes<double>::Vector>(reinterpret_cast<Bits>(size) | (reinterpret_cast<Bits>(of) & INT64_MIN));
}

#else

// The same in standard C++: arrays with the operators that the kernels use.
template <class T, size_t kCount>
struct Array {
    T numbers[kCount] = {};

    T operator[](size_t i) const { return numbers[i]; }
    friend Array operator+(Array a, const Array& b) { return a += b; }
    friend Array operator-(Array a, const Array& b) { return a -= b; }
    friend Array operator*(Array a, const Array& b) { return a *= b; }
    friend Array operator+(Array a, T b) { return a += of(b); }
    friend Array operator+(T a, Array b) { return b += of(a); }
    friend Array operator*(Array a, T b) { return a *= of(b); }
    friend Array operator*(T a, Array b) { return b *= of(a); }
    Array& operator+=(const Array& other) {
        for (size_t i = 0; i < kCount; ++i) numbers[i] += other.numbers[i];
        return *this;
    }
    Array& operator-=(const Array& other) {
        for (size_t i = 0; i < kCount; ++i) numbers[i] -= other.numbers[i];
        return *this;
    }
    Array& operator*=(const Array& other) {
        for (size_t i = 0; i < kCount; ++i) numbers[i] *= other.numbers[i];
        return *this;
    }
    Array& operator*=(T by) { return *this *= of(by); }

    // Masks are 0 or 1.
    using Mask = Array<int64_t, kCount>;
    friend Mask operator>(const Array& a, const Array& b) { return b < a; }
    friend Mask operator<(const Array& a, const Array& b) {
        return compare(a, b, [](T x, T y) { return x < y; });
    }
    friend Mask operator<=(const Array& a, const Array& b) {
        return compare(a, b, [](T x, T y) { return x <= y; });
    }
    friend Mask operator==(const Array& a, const Array& b) {
        return compare(a, b, [](T x, T y) { return x == y; });
    }
    friend Array operator~(Array mask) {
        for (T& number : mask.numbers) number = number == 0;
        return mask;
    }

private:
    static Array of(T number) {
        Array out;
        for (T& place : out.numbers) place = number;
        return out;
    }
    template <class Compare>
    static Mask compare(const Array& a, const Array& b, Compare holds) {
        Mask mask;
        for (size_t i = 0; i < kCount; ++i) mask.numbers[i] = holds(a.numbers[i], b.numbers[i]);
        return mask;
    }
};

template <class T, size_t kMost = 8>
struct Lanes {
    static constexpr size_t kCount = std::min(TAGPOOL_VECTOR_BYTES / sizeof(T), kMost);
    using Vector = Array<T, kCount>;
    using Mask = typename Vector::Mask;
};

template <class Mask, class Vector>
inline Vector choose(const Mask& mask, Vector yes, const Vector& no) {
    for (size_t i = 0; i < std::size(yes.numbers); ++i) yes.numbers[i] = mask[i] ? yes[i] : no[i];
    return yes;
}

inline Lanes<double>::Vector size_of(Lanes<double>::Vector x) {
    for (double& number : x.numbers) number = std::fabs(number);
    return x;
}
inline Lanes<double>::Vector with_sign(Lanes<double>::Vector size, const Lanes<double>::Vector& of) {
    for (size_t i = 0; i < Lanes<double>::kCount; ++i)
        if (std::signbit(of[i])) size.numbers[i] = -std::fabs(size[i]);
    return size;
}

#endif

template <size_t kMost = 8, class T>
inline typename Lanes<T, kMost>::Vector load(const T* from) {
    typename Lanes<T, kMost>::Vector out;
    std::memcpy(static_cast<void*>(&out), from, sizeof(out));
    return out;
}

template <class T, class Vector>
inline void store(T* to, Vector value) {
    std::memcpy(to, &value, sizeof(value));
}
