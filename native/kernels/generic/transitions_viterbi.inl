// Viterbi over label pairs (pair_states.hpp), for training and tagging. Included by kernels.inl only.

// The scores of steps.
template <class T>
struct StepScores {
    size_t labels, stride;
    const PairStates* states;  // null: first order, all pairs
    const T* pairs;            // labels rows: A, -infinity where there is no state, and behind the last label
    const T* trigrams;         // a row of next labels for each state; only with states
    const T* start;
    const T* end;
};

//     best_t[b, c] = S[t, c] + A[b, c] + E_t[b, c] + max_a (best_{t-1}[a, b] + B[a, b, c])
// `add_triples(t, row)` adds E_t to a grid. Only maxima are kept; on the way back the best predecessor of the one pair that is needed is
// found again. Of equal scores the smaller label, from the last token on.
template <class T, size_t kStride, class AddTriples>
void arc_viterbi(const StepScores<T>& steps, const T* scores, size_t length, AddTriples&& add_triples, int32_t* out, AlignedVector<T>& room) {
    constexpr T kNever = -std::numeric_limits<T>::infinity();
    const size_t stride = kStride ? kStride : steps.stride, labels = steps.labels, grid = labels * stride;
    T* const best = at_least(room, length * grid + stride);
    T* const most = best + length * grid;
    for (size_t y = 0; y < labels; ++y) best[y] = scores[y] + steps.start[y];
    for (size_t t = 1; t < length; ++t) {
        const T* __restrict before = best + (t - 1) * grid;
        T* __restrict here = best + t * grid;
        const T* __restrict node = scores + t * stride;
        if (!steps.states) {
            for (size_t y = 0; y < labels; ++y) most[y] = before[y];
            for (size_t a = 1; t > 1 && a < labels; ++a)
                for (size_t y = 0; y < labels; ++y) most[y] = std::max(most[y], before[a * stride + y]);
        }
        for (size_t b = 0; b < labels; ++b) {
            T* __restrict row = here + b * stride;
            if (!steps.states) {
                for (size_t c = 0; c < stride; ++c) row[c] = most[b];
            } else if (t == 1) {
                for (size_t c = 0; c < stride; ++c) row[c] = before[b] + steps.trigrams[b * stride + c];
            } else {
                for (size_t c = 0; c < stride; ++c) row[c] = kNever;
                for (size_t state = steps.states->begins[b]; state < steps.states->begins[b + 1]; ++state) {
                    const T from = before[steps.states->cells[state]];
                    const T* __restrict next = steps.trigrams + state * stride;
                    for (size_t c = 0; c < stride; ++c) row[c] = std::max(row[c], from + next[c]);
                }
            }
            const T* __restrict pair = steps.pairs + b * stride;
            for (size_t c = 0; c < stride; ++c) row[c] += pair[c] + node[c];
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
        T value = kNever;
        for (size_t a = 0; a < labels; ++a) {
            const uint32_t state = steps.states ? steps.states->number(static_cast<uint32_t>(a), static_cast<uint32_t>(b)) : 0;
            if (state == PairStates::kNone) continue;
            const T here = before[a * stride + b] + (steps.states ? steps.trigrams[state * stride + c] : T{0});
            if (here > value) {
                found = a;
                value = here;
            }
        }
        c = b;
        b = found;
    }
    out[0] = static_cast<int32_t>(c);
}

// The best labels of a sentence in training, whose node scores are in the scratch.
template <class T>
void arc_best(const TrainingSet& set, const T* edges, size_t begin, size_t length, int32_t* out, ChainScratch<T>& scratch) {
    const Arcs& arcs = set.arcs();
    const PairStates& states = arcs.states();
    const size_t stride = set.stride(), labels = set.labels();
    T* const pairs = at_least(scratch.pairs, labels * stride);
    for (size_t cell = 0; cell < labels * stride; ++cell) {
        const bool there = cell % stride < labels && (!arcs.second_order() || states.numbers[cell] != PairStates::kNone);
        pairs[cell] = there ? edges[set.transitions_begin() + cell] : -std::numeric_limits<T>::infinity();
    }
    if (arcs.second_order()) {
        scratch.weighted.assign(states.size() * stride, 0);
        for (size_t state = 0; state < states.size(); ++state)
            for (size_t i = arcs.trigram_starts_[state]; i < arcs.trigram_starts_[state + 1]; ++i)
                scratch.weighted[state * stride + arcs.trigram_labels_[i]] = edges[set.trigrams_begin() + i];
    }
    const StepScores<T> steps{labels, stride, arcs.second_order() ? &states : nullptr, pairs, scratch.weighted.data(),
                              edges + set.start_begin(), edges + set.end_begin()};
    const auto add_triples = [&](size_t t, T* grid) {
        arcs.each_triple_at(begin + t, [&](uint32_t triple, float value) {
            grid[arcs.triple_cells_[triple]] += edges[set.triples_begin() + triple] * static_cast<T>(value);
        });
    };
    with_stride(stride, [&](auto constant) {
        arc_viterbi<T, kArcStride<decltype(constant)::value>>(steps, scratch.scores.data(), length, add_triples, out, scratch.alpha);
    });
}
