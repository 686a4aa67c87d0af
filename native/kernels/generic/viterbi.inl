// Viterbi for training and tagging. Included by kernels.inl only. Ties go to the smaller label, decided from the last token on.
//
// Only maxima are stored. The way back finds the best predecessor of the one label (or bigram) on the path.

// Scores of transitions: [L][stride], [stride] and [stride].
template <class T>
struct StepScores {
    size_t labels, stride;
    const T* transitions;
    const T* start;
    const T* end;
    const T* incoming = nullptr;  // the transitions by their second label, padded with -infinity; may be null
};

template <class T, class Extra>
inline size_t best_of(const T* values, size_t labels, Extra&& extra) {
    size_t best = 0;
    for (size_t y = 1; y < labels; ++y)
        if (values[y] + extra(y) > values[best] + extra(best)) best = y;
    return best;
}

// Writes the best label of every token of a [length][stride] matrix.
template <class T>
void find_best_labels(const T* scores, size_t labels, size_t stride, size_t length, int32_t* out) {
    for (size_t t = 0; t < length; ++t) out[t] = static_cast<int32_t>(best_of(scores + t * stride, labels, [](size_t) { return T{0}; }));
}

// One step of the recursion, in explicit vectors: compilers do not vectorise the maxima.
template <class T, size_t kStride>
inline void step_in_vectors(const StepScores<T>& steps, const T* before, const T* scores, T* here) {
    constexpr size_t kLanes = Lanes<T>::kCount, kVectors = kStride / kLanes;
    typename Lanes<T>::Vector most[kVectors];
    for (size_t k = 0; k < kVectors; ++k) most[k] = before[0] + load(steps.transitions + k * kLanes);
    for (size_t a = 1; a < steps.labels; ++a)
        for (size_t k = 0; k < kVectors; ++k) {
            const auto sum = before[a] + load(steps.transitions + a * kStride + k * kLanes);
            most[k] = choose(sum > most[k], sum, most[k]);
        }
    for (size_t k = 0; k < kVectors; ++k) store(here + k * kLanes, most[k] + load(scores + k * kLanes));
}

// The first label with the largest sum.
template <class T, size_t kStride>
inline size_t best_sum(const T* a, const T* b, size_t labels) {
    constexpr size_t kLanes = Lanes<T>::kCount;
    T sums[kStride];
    for (size_t y = 0; y < kStride; y += kLanes) store(sums + y, load(a + y) + load(b + y));
    const T most = max_of(sums, kStride);
    size_t best = 0;
    while (best + 1 < labels && sums[best] != most) ++best;
    return best;
}

// `scores_of(t)` returns the node scores of a token; tagging computes them there, so that loads overlap with the recursion.
template <class T, size_t kStride, class ScoresOf>
void viterbi(const StepScores<T>& steps, size_t length, ScoresOf&& scores_of, int32_t* out, T* best) {
    const size_t stride = kStride ? kStride : steps.stride, labels = steps.labels;
    for (size_t t = 0; t < length; ++t) {
        const T* const scores = scores_of(t);
        T* __restrict here = best + t * stride;
        if (t == 0) {
            for (size_t y = 0; y < stride; ++y) here[y] = scores[y] + steps.start[y];
            continue;
        }
        const T* before = here - stride;
        if constexpr (kStride > 0) {
            step_in_vectors<T, kStride>(steps, before, scores, here);
            continue;
        }
        for (size_t y = 0; y < stride; ++y) here[y] = before[0] + steps.transitions[y];
        for (size_t a = 1; a < labels; ++a) {
            const T* __restrict row = steps.transitions + a * stride;
            const T from = before[a];
            for (size_t y = 0; y < stride; ++y) here[y] = std::max(here[y], from + row[y]);
        }
        for (size_t y = 0; y < stride; ++y) here[y] += scores[y];
    }
    size_t label = best_of(best + (length - 1) * stride, labels, [&](size_t y) { return steps.end[y]; });
    out[length - 1] = static_cast<int32_t>(label);
    for (size_t t = length - 1; t > 0; --t) {
        const T* const before = best + (t - 1) * stride;
        if (kStride > 0 && steps.incoming) label = best_sum<T, kStride>(before, steps.incoming + label * stride, labels);
        else label = best_of(before, labels, [&](size_t y) { return steps.transitions[y * stride + label]; });
        out[t - 1] = static_cast<int32_t>(label);
    }
}

// The same with transition features, over bigrams:
//     best_t[b, c] = S[t, c] + A[b, c] + E_t[b, c] + max_a best_{t-1}[a, b]
// `add_transition_cells(t, grid)` adds E_t to an [L][stride] grid.
template <class T, size_t kStride, class AddCells>
void viterbi_over_bigrams(const StepScores<T>& steps, const T* scores, size_t length, AddCells&& add_transition_cells, int32_t* out,
                          AlignedVector<T>& room) {
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
            const T* __restrict transition = steps.transitions + b * stride;
            for (size_t c = 0; c < stride; ++c) row[c] = most[b] + (transition[c] + node[c]);
        }
        add_transition_cells(t, here);
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
        size_t previous = 0;
        for (size_t a = 1; a < labels; ++a)
            if (before[a * stride + b] > before[previous * stride + b]) previous = a;
        c = b;
        b = previous;
    }
    out[0] = static_cast<int32_t>(c);
}

// Training --------------------------------------------------------------------------------------------------------------------

// The best labels of a sentence whose node scores are in the scratch.
void find_best_sequence(const TrainingSet& set, const float* edges, size_t begin, size_t length, int32_t* out, ChainScratch<float>& scratch) {
    const TransitionFeatures& features = set.transition_features();
    const size_t stride = set.stride();
    const float* const scores = scratch.scores.data();
    const StepScores<float> steps{set.labels(), stride, edges + set.transitions_begin(), edges + set.start_begin(), edges + set.end_begin()};
    if (features.empty()) {
        viterbi<float, 0>(steps, length, [&](size_t t) { return scores + t * stride; }, out, at_least(scratch.alpha, length * stride));
        return;
    }
    const auto add_transition_cells = [&](size_t t, float* grid) {
        features.each_cell_at(begin + t,
                              [&](uint32_t cell, float value) { grid[features.bigram(cell)] += edges[set.transition_cells_begin() + cell] * value; });
    };
    with_stride(stride, [&](auto constant) {
        viterbi_over_bigrams<float, kTransitionStride<decltype(constant)::value>>(steps, scores, length, add_transition_cells, out, scratch.alpha);
    });
}

void best_labels(const TrainingSet& set, const WeightView<float>& weights, bool chain, size_t begin, size_t length, int32_t* best,
                 int32_t* constrained, ChainScratch<float>& scratch) {
    const size_t stride = set.stride();
    with_stride(stride,
                [&](auto constant) { score_viewed_sentence<float, decltype(constant)::value>(set, weights, nullptr, begin, length, scratch); });
    const auto find = [&](int32_t* out) {
        if (chain) find_best_sequence(set, weights.edges(set), begin, length, out, scratch);
        else find_best_labels(scratch.scores.data(), set.labels(), stride, length, out);
    };
    find(best);
    const int32_t* gold = set.gold_.data() + begin;
    std::copy(gold, gold + length, constrained);
    bool complete = true, wrong = false;
    for (size_t t = 0; t < length; ++t) {
        complete = complete && gold[t] != TrainingSet::kUnknown;
        wrong = wrong || (gold[t] != TrainingSet::kUnknown && gold[t] != best[t]);
    }
    if (complete) return;
    if (!wrong) {
        std::copy(best, best + length, constrained);
        return;
    }
    for (size_t t = 0; t < length; ++t)
        for (size_t y = 0; gold[t] != TrainingSet::kUnknown && y < stride; ++y)
            if (y != static_cast<size_t>(gold[t])) scratch.scores[t * stride + y] = -std::numeric_limits<float>::infinity();
    find(constrained);
}

// Tagging ---------------------------------------------------------------------------------------------------------------------

constexpr size_t kTokensAhead = 4;  // distance of prefetches

template <size_t kStride>
void score_with_model(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t token, float* out) {
    const size_t stride = kStride ? kStride : model.stride;
    const uint64_t first = encoding.starts[token], last = encoding.starts[token + 1];
    const bool valued = !encoding.values.empty();
    Row<float, kStride> sum(out, stride);
    // Single weights have a separate sum: a vector load after scalar stores would stall.
    float few[kStride ? kStride : 1];
    float* const singles = kStride ? few : out;
    if (kStride) std::fill_n(singles, stride, 0.0f);
    for (uint64_t i = first; i < last; ++i) {
        const uint32_t place = encoding.ids[i];
        const float value = valued ? encoding.values[i] : 1.0f;
        // Reading past the end of a row (its neighbour, or zeros) only changes padding.
        if (model.blocks.is_row(place)) {
            if (valued) sum.add_scaled(model.weights + place, value);
            else sum.add(model.weights + place);
        } else {
            const uint16_t* const labels = model.cell_labels + (place - model.blocks.rows_end());
            const uint32_t count = model.blocks.length(place);
            for (uint32_t k = 0; k < count; ++k) singles[labels[k]] += value * model.weights[place + k];
        }
    }
    if (kStride) sum.add(singles);
    for (size_t k = 0; k < added.count; ++k) sum.add(added.rows + added.numbers[token * added.count + k] * stride);
    sum.write();
}

// Prefetches the weights of a later token, of this sentence or the next.
inline void prefetch_with_model(const ModelView& model, const Encoding& encoding, size_t token) {
    token += kTokensAhead;
    if (token + 1 >= encoding.starts.size()) return;
    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
        const uint32_t place = encoding.ids[i];
        prefetch_line(model.weights + place);
        if (!model.blocks.is_row(place)) {
            prefetch_line(model.cell_labels + (place - model.blocks.rows_end()));
        } else {
            constexpr size_t kLine = 64 / sizeof(float);
            for (size_t label = kLine; label < model.stride; label += kLine) prefetch_line(model.weights + place + label);
            prefetch_line(model.weights + place + model.stride - 1);  // rows are not aligned to lines
        }
    }
}

void score_tokens_with_model(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t first, size_t last, float* scores) {
    with_stride(model.stride, [&](auto constant) {
        for (size_t token = first; token < last; ++token) {
            prefetch_with_model(model, encoding, token);
            score_with_model<decltype(constant)::value>(model, encoding, added, token, scores + (token - first) * model.stride);
        }
    });
}

template <size_t kStride>
void tag_sentence(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t begin, size_t length,
                  int32_t* out, TagScratch& scratch) {
    const size_t stride = kStride ? kStride : model.stride;
    scratch.scores.resize(length * stride);
    const auto scores_of = [&](size_t t) {
        prefetch_with_model(model, encoding, begin + t);
        float* const scores = scratch.scores.data() + t * stride;
        score_with_model<kStride>(model, encoding, added, begin + t, scores);
        return scores;
    };
    const StepScores<float> steps{model.labels, stride, model.transitions, model.start, model.end, model.incoming};
    if (model.chain && !model.transition_features) {
        scratch.best.resize(length * stride);
        viterbi<float, kStride>(steps, length, scores_of, out + begin, scratch.best.data());
        return;
    }
    for (size_t t = 0; t < length; ++t) scores_of(t);
    if (!model.chain) {
        find_best_labels(scratch.scores.data(), model.labels, stride, length, out + begin);
        return;
    }
    const auto add_transition_cells = [&](size_t t, float* grid) {
        if (history) model.transition_features->each_cell(*history, begin + t, [&](uint32_t cell, float score) { grid[cell] += score; });
    };
    viterbi_over_bigrams<float, kTransitionStride<kStride>>(steps, scratch.scores.data(), length, add_transition_cells, out + begin, scratch.bigrams);
}

void tag(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t first, size_t last, int32_t* out,
         TagScratch& scratch) {
    with_stride(model.stride, [&](auto constant) {
        for (size_t sentence = first; sentence < last; ++sentence) {
            const size_t begin = encoding.sentences[sentence], length = encoding.sentences[sentence + 1] - begin;
            if (length == 0) continue;
            tag_sentence<decltype(constant)::value>(model, encoding, added, history, begin, length, out, scratch);
        }
    });
}
