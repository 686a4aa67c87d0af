// The best label sequence of a sentence in training, under weights that are still changing. Included by kernels.inl only.

// Viterbi over the scores in the scratch; of equal scores the smaller label, as in tagging (kernels_tag.inl).
template <class T>
void viterbi(const TrainingSet& set, const T* edges, bool chain, size_t length, int32_t* out, ChainScratch<T>& scratch) {
    const size_t stride = set.stride(), labels = set.labels();
    if (scratch.alpha.size() < length * stride) scratch.alpha.resize(length * stride);
    const T* transitions = edges + set.transitions_begin();
    const T* end = edges + set.end_begin();
    T* const best = scratch.alpha.data();
    const auto best_of = [labels](const T* values, auto&& extra) {
        size_t found = 0;
        for (size_t y = 1; y < labels; ++y)
            if (values[y] + extra(y) > values[found] + extra(found)) found = y;
        return found;
    };
    for (size_t t = 0; t < length; ++t) {
        const T* __restrict scores = scratch.scores.data() + t * stride;
        T* __restrict here = best + t * stride;
        if (!chain) {
            out[t] = static_cast<int32_t>(best_of(scores, [](size_t) { return T{0}; }));
            continue;
        }
        if (t == 0) {
            for (size_t y = 0; y < stride; ++y) here[y] = scores[y] + edges[set.start_begin() + y];
            continue;
        }
        const T* __restrict before = here - stride;
        for (size_t y = 0; y < stride; ++y) here[y] = before[0] + transitions[y];
        for (size_t a = 1; a < labels; ++a) {
            const T* __restrict row = transitions + a * stride;
            for (size_t y = 0; y < stride; ++y) here[y] = std::max(here[y], before[a] + row[y]);
        }
        for (size_t y = 0; y < stride; ++y) here[y] += scores[y];
    }
    if (!chain) return;
    size_t label = best_of(best + (length - 1) * stride, [&](size_t y) { return end[y]; });
    out[length - 1] = static_cast<int32_t>(label);
    for (size_t t = length - 1; t > 0; --t) {
        label = best_of(best + (t - 1) * stride, [&](size_t y) { return transitions[y * stride + label]; });
        out[t - 1] = static_cast<int32_t>(label);
    }
}

template <class T>
void best_labels(const TrainingSet& set, const WeightView<T>& weights, bool chain, size_t begin, size_t length, int32_t* best, int32_t* held,
                 ChainScratch<T>& scratch) {
    const size_t stride = set.stride();
    with_stride(stride, [&](auto constant) {
        score_viewed_sentence<T, decltype(constant)::value>(set, weights, nullptr, begin, length, scratch);
    });
    const auto find = [&](int32_t* out) {
        if (chain && !set.arcs().empty()) arc_best(set, weights.edges(set), begin, length, out, scratch);
        else viterbi(set, weights.edges(set), chain, length, out, scratch);
    };
    find(best);
    const int32_t* gold = set.gold_.data() + begin;
    std::copy(gold, gold + length, held);
    bool complete = true, wrong = false;
    for (size_t t = 0; t < length; ++t) {
        complete = complete && gold[t] != TrainingSet::kUnknown;
        wrong = wrong || (gold[t] != TrainingSet::kUnknown && gold[t] != best[t]);
    }
    if (complete) return;
    if (!wrong) {
        std::copy(best, best + length, held);
        return;
    }
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; gold[t] != TrainingSet::kUnknown && y < stride; ++y)
            if (y != static_cast<size_t>(gold[t])) scratch.scores[t * stride + y] = -std::numeric_limits<T>::infinity();
    find(held);
}

template <class T>
constexpr StepKernels<T> step_table() {
    return {&make_viewed_edges<T>, &score_shard<T>, &differentiate<T>, &find_moves<T>, &descend<T>, &best_labels<T>};
}
