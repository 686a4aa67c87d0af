// Viterbi with transition features, for training and tagging. Included by kernels.inl only.

// The scores of steps.
template <class T>
struct StepScores {
    size_t labels, stride;
    const T* pairs;  // labels rows: A
    const T* start;
    const T* end;
};

//     best_t[b, c] = S[t, c] + A[b, c] + E_t[b, c] + max_a best_{t-1}[a, b]
// `add_triples(t, row)` adds E_t to a grid. Only maxima are kept; on the way back the best predecessor of the one pair that is needed is
// found again. Of equal scores the smaller label, from the last token on.
template <class T, size_t kStride, class AddTriples>
void arc_viterbi(const StepScores<T>& steps, const T* scores, size_t length, AddTriples&& add_triples, int32_t* out, AlignedVector<T>& room) {
    const size_t stride = kStride ? kStride : steps.stride, labels = steps.labels, grid = labels * stride;
    T* const best = at_least(room, length * grid + stride);
    T* const most = best + length * grid;
    for (size_t y = 0; y < labels; ++y) best[y] = scores[y] + steps.start[y];
    for (size_t t = 1; t < length; ++t) {
        const T* __restrict before = best + (t - 1) * grid;
        T* __restrict here = best + t * grid;
        const T* __restrict node = scores + t * stride;
        for (size_t y = 0; y < labels; ++y) most[y] = before[y];
        for (size_t a = 1; t > 1 && a < labels; ++a)
            for (size_t y = 0; y < labels; ++y) most[y] = std::max(most[y], before[a * stride + y]);
        for (size_t b = 0; b < labels; ++b) {
            T* __restrict row = here + b * stride;
            const T* __restrict pair = steps.pairs + b * stride;
            for (size_t c = 0; c < stride; ++c) row[c] = most[b] + (pair[c] + node[c]);
        }
        add_triples(t, here);
    }
    const T* const ending = best + (length - 1) * grid;
    size_t b = 0, c = 0;
    for (size_t y = 0; y < labels; ++y)
        for (size_t a = 0; a < (length == 1 ? 1 : labels); ++a)
            if (ending[a * stride + y] + steps.end[y] > ending[b * stride + c] + steps.end[c]) {
                b = a;
                c = y;
            }
    for (size_t t = length - 1; t > 0; --t) {
        out[t] = static_cast<int32_t>(c);
        if (t == 1) {
            c = b;
            break;
        }
        const T* const before = best + (t - 1) * grid;
        size_t found = 0;
        for (size_t a = 1; a < labels; ++a)
            if (before[a * stride + b] > before[found * stride + b]) found = a;
        c = b;
        b = found;
    }
    out[0] = static_cast<int32_t>(c);
}

// The best labels of a sentence in training, whose node scores are in the scratch.
template <class T>
void arc_best(const TrainingSet& set, const T* edges, size_t begin, size_t length, int32_t* out, ChainScratch<T>& scratch) {
    const Arcs& arcs = set.arcs();
    const size_t stride = set.stride();
    const StepScores<T> steps{set.labels(), stride, edges + set.transitions_begin(), edges + set.start_begin(), edges + set.end_begin()};
    const auto add_triples = [&](size_t t, T* grid) {
        arcs.each_triple_at(begin + t, [&](uint32_t triple, float value) {
            grid[arcs.triple_cells_[triple]] += edges[set.triples_begin() + triple] * static_cast<T>(value);
        });
    };
    with_stride(stride, [&](auto constant) {
        arc_viterbi<T, kArcStride<decltype(constant)::value>>(steps, scratch.scores.data(), length, add_triples, out, scratch.alpha);
    });
}
