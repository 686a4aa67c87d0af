// Kernels of tagging: scores under a model, Viterbi. Included by kernels.inl only.

template <size_t kStride>
void score_with_model(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t token, float* out) {
    const size_t stride = kStride ? kStride : model.stride;
    const uint64_t first = encoding.starts[token], last = encoding.starts[token + 1];
    const bool valued = !encoding.values.empty();
    Row<float, kStride> sum(out, stride);
    // Single weights are summed apart: a vector read where single numbers were just written would wait for them.
    float few[kStride ? kStride : 1];
    float* const singles = kStride ? few : out;
    if (kStride) std::fill_n(singles, stride, 0.0f);
    for (uint64_t i = first; i < last; ++i) {
        const uint32_t place = encoding.ids[i];
        const float value = valued ? encoding.values[i] : 1.0f;
        // What a row reads behind its end (its neighbour, or zeros) goes to places no label has.
        if (model.blocks.is_row(place)) {
            if (valued) sum.add_scaled(model.weights + place, value);
            else sum.add(model.weights + place);
        } else {
            const uint16_t* const labels = model.pair_labels + (place - model.blocks.rows_end());
            const uint32_t count = model.blocks.length(place);
            for (uint32_t k = 0; k < count; ++k) singles[labels[k]] += value * model.weights[place + k];
        }
    }
    if (kStride) sum.add(singles);
    for (size_t k = 0; k < added.count; ++k) sum.add(added.rows + added.numbers[token * added.count + k] * stride);
    sum.write();
}

inline void prefetch_with_model(const ModelView& model, const Encoding& encoding, size_t token) {
    if (token + 1 >= encoding.starts.size()) return;
    for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
        const uint32_t place = encoding.ids[i];
        __builtin_prefetch(model.weights + place);
        if (!model.blocks.is_row(place)) {
            __builtin_prefetch(model.pair_labels + (place - model.blocks.rows_end()));
        } else {
            constexpr size_t kLine = 64 / sizeof(float);
            for (size_t label = kLine; label < model.stride; label += kLine) __builtin_prefetch(model.weights + place + label);
        }
    }
}

// Viterbi keeps the best scores only; on the way back the best predecessor of the one label that is needed is found again.
template <size_t kStride>
void tag_sentence(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t begin, size_t length, int32_t* out,
                  TagScratch& scratch) {
    const size_t stride = kStride ? kStride : model.stride, labels = model.labels;
    scratch.scores.resize(length * stride);
    scratch.best.resize(length * stride);
    float* const best = scratch.best.data();
    for (size_t t = 0; t < length; ++t) {
        prefetch_with_model(model, encoding, begin + t + 1);
        float* const scores = scratch.scores.data() + t * stride;
        score_with_model<kStride>(model, encoding, added, begin + t, scores);
        float* __restrict here = best + t * stride;
        if (t == 0 || !model.chain) {
            for (size_t y = 0; y < stride; ++y) here[y] = scores[y] + (t == 0 ? model.start[y] : 0.0f);
            continue;
        }
        const float* before = here - stride;
        float most[kStride ? kStride : 1];
        float* __restrict maxima = kStride ? most : here;
        for (size_t y = 0; y < stride; ++y) maxima[y] = before[0] + model.transitions[y];
        for (size_t a = 1; a < labels; ++a) {
            const float* __restrict row = model.transitions + a * stride;
            const float from = before[a];
            for (size_t y = 0; y < stride; ++y) maxima[y] = std::max(maxima[y], from + row[y]);
        }
        for (size_t y = 0; y < stride; ++y) here[y] = maxima[y] + scores[y];
    }
    const auto best_of = [&](const float* values, auto&& extra) {
        size_t found = 0;
        for (size_t y = 1; y < labels; ++y)
            if (values[y] + extra(y) > values[found] + extra(found)) found = y;
        return found;
    };
    if (!model.chain) {
        for (size_t t = 0; t < length; ++t)
            out[begin + t] = static_cast<int32_t>(best_of(best + t * stride, [](size_t) { return 0.0f; }));
        return;
    }
    size_t label = best_of(best + (length - 1) * stride, [&](size_t y) { return model.end[y]; });
    out[begin + length - 1] = static_cast<int32_t>(label);
    for (size_t t = length - 1; t > 0; --t) {
        label = best_of(best + (t - 1) * stride, [&](size_t y) { return model.transitions[y * stride + label]; });
        out[begin + t - 1] = static_cast<int32_t>(label);
    }
}

void score_tokens_with_model(const ModelView& model, const Encoding& encoding, const AddedRows& added, size_t first, size_t last, float* scores) {
    with_stride(model.stride, [&](auto constant) {
        for (size_t token = first; token < last; ++token) {
            prefetch_with_model(model, encoding, token + 1);
            score_with_model<decltype(constant)::value>(model, encoding, added, token, scores + (token - first) * model.stride);
        }
    });
}

// The same with transition features.
template <size_t kStride>
void tag_arcs(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t begin, size_t length,
              int32_t* out, TagScratch& scratch) {
    const size_t stride = kStride ? kStride : model.stride;
    const ArcView& arcs = *model.arcs;
    scratch.scores.resize(length * stride);
    for (size_t t = 0; t < length; ++t) {
        prefetch_with_model(model, encoding, begin + t + 1);
        score_with_model<kStride>(model, encoding, added, begin + t, scratch.scores.data() + t * stride);
    }
    const StepScores<float> steps{model.labels, stride, model.transitions, model.start, model.end};
    const auto add_triples = [&](size_t t, float* grid) {
        if (history) arcs.each_triple(*history, begin + t, [&](uint32_t cell, float score) { grid[cell] += score; });
    };
    arc_viterbi<float, kArcStride<kStride>>(steps, scratch.scores.data(), length, add_triples, out + begin, scratch.pairs);
}

void tag(const ModelView& model, const Encoding& encoding, const AddedRows& added, const Encoding* history, size_t first, size_t last,
         int32_t* out, TagScratch& scratch) {
    with_stride(model.stride, [&](auto constant) {
        for (size_t sentence = first; sentence < last; ++sentence) {
            const size_t begin = encoding.sentences[sentence], length = encoding.sentences[sentence + 1] - begin;
            if (model.arcs) tag_arcs<decltype(constant)::value>(model, encoding, added, history, begin, length, out, scratch);
            else tag_sentence<decltype(constant)::value>(model, encoding, added, begin, length, out, scratch);
        }
    });
}
