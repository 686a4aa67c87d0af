#include "dataset/transition_features.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {
namespace {

// Calls visit(token) for every token but the first of each sentence, in order.
template <class Visit>
void each_step(const std::vector<uint32_t>& sentences, Visit&& visit) {
    for (size_t sentence = 0; sentence + 1 < sentences.size(); ++sentence)
        for (size_t token = sentences[sentence] + size_t{1}; token < sentences[sentence + 1]; ++token) visit(token);
}

void keep_distinct(std::vector<uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

TransitionFeatures::TransitionFeatures(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                                       const Encoding& history, uint32_t features, const TransitionCells& known) {
    if (history.sentences != sentences) throw InputFault("transition features and features are of different sentences");
    std::vector<uint64_t> keys;  // feature * 2^32 + bigram
    if (known.features.size() != known.bigrams.size()) throw InputFault("known transition features: expected one bigram for each feature");
    for (size_t i = 0; i < known.features.size(); ++i) {
        const uint32_t bigram = known.bigrams[i];
        if (known.features[i] >= features || bigram >= size_t{labels} * labels) throw InputFault("a known transition feature is out of range");
        keys.push_back(uint64_t{known.features[i]} << 32 | (bigram / labels * stride + bigram % labels));
    }
    size_t compact = 1 << 20;
    each_step(sentences, [&](size_t token) {
        if (gold[token] < 0 || gold[token - 1] < 0) return;
        const auto bigram = static_cast<uint64_t>(gold[token - 1]) * stride + static_cast<uint64_t>(gold[token]);
        for (uint64_t i = history.starts[token]; i < history.starts[token + 1]; ++i) {
            if (history.ids[i] >= features) throw InputFault("a transition feature is out of range");
            keys.push_back(uint64_t{history.ids[i]} << 32 | bigram);
        }
        if (keys.size() < compact) return;
        keep_distinct(keys);
        compact = std::max(compact, 2 * keys.size());
    });
    keep_distinct(keys);
    if (keys.size() > UINT32_MAX / 2) throw InputFault("more than 2 billion weights of transition features; use fewer templates with label[-1]");
    cell_starts_.assign(size_t{features} + 1, 0);
    for (uint64_t key : keys) {
        ++cell_starts_[(key >> 32) + 1];
        bigrams_.push_back(static_cast<uint32_t>(key));
    }
    for (size_t feature = 0; feature < features; ++feature) cell_starts_[feature + 1] += cell_starts_[feature];
    starts_.fill(gold.size() + 1, 0);
    const bool valued = !history.values.empty();
    size_t sentence = 0;
    for (size_t token = 0; token < gold.size(); ++token) {
        while (sentences[sentence + 1] <= token) ++sentence;
        for (uint64_t i = history.starts[token]; token > sentences[sentence] && i < history.starts[token + 1]; ++i) {
            const uint32_t feature = history.ids[i];
            if (feature >= features || cell_starts_[feature] == cell_starts_[feature + 1]) continue;
            features_.push_back(feature);
            if (valued) values_.push_back(history.values[i]);
        }
        starts_[token + 1] = features_.size();
    }
}

TransitionCells TransitionFeatures::cells(uint32_t labels, uint32_t stride) const {
    TransitionCells out;
    for (uint32_t feature = 0; feature + 1 < cell_starts_.size(); ++feature) out.features.resize(cell_starts_[feature + 1], feature);
    for (const uint32_t bigram : bigrams_) out.bigrams.push_back(bigram / stride * labels + bigram % stride);
    return out;
}

}  // namespace tagpool
