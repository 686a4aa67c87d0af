#include "dataset/transition_features.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

TransitionCellIndex::TransitionCellIndex(std::vector<uint64_t> keys, const TransitionCells& known, uint32_t features, uint32_t labels,
                                         uint32_t stride) {
    const auto observed = static_cast<std::ptrdiff_t>(keys.size());
    if (known.features.size() != known.bigrams.size()) throw InputFault("known transition features: expected one bigram for each feature");
    for (size_t i = 0; i < known.features.size(); ++i) {
        if (known.features[i] >= features || known.bigrams[i] >= size_t{labels} * labels)
            throw InputFault("a known transition feature is out of range");
        keys.push_back(uint64_t{known.features[i]} << 32 | known.bigrams[i]);
    }
    std::sort(keys.begin() + observed, keys.end());
    std::inplace_merge(keys.begin(), keys.begin() + observed, keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (keys.size() > UINT32_MAX / 2) throw InputFault("more than 2 billion weights of transition features; use fewer templates with label[-1]");
    starts_.assign(size_t{features} + 1, 0);
    for (uint64_t key : keys) {
        const auto bigram = static_cast<uint32_t>(key);
        ++starts_[(key >> 32) + 1];
        bigrams_.push_back(bigram / labels * stride + bigram % labels);
    }
    for (size_t feature = 0; feature < features; ++feature) starts_[feature + 1] += starts_[feature];
}

TransitionCells TransitionCellIndex::cells(uint32_t labels, uint32_t stride) const {
    TransitionCells out;
    for (uint32_t feature = 0; feature < feature_count(); ++feature) out.features.resize(end(feature), feature);
    for (const uint32_t bigram : bigrams_) out.bigrams.push_back(bigram / stride * labels + bigram % stride);
    return out;
}

TransitionFeatures::TransitionFeatures(std::shared_ptr<const TransitionCellIndex> index, const Encoding& history) : index_(std::move(index)) {
    starts_.fill(history.token_count() + 1, 0);
    const bool valued = !history.values.empty();
    size_t sentence = 0;
    for (size_t token = 0; token < history.token_count(); ++token) {
        while (history.sentences[sentence + 1] <= token) ++sentence;
        for (uint64_t i = history.starts[token]; token > history.sentences[sentence] && i < history.starts[token + 1]; ++i) {
            const uint32_t feature = history.ids[i];
            if (feature >= index_->feature_count() || index_->begin(feature) == index_->end(feature)) continue;
            features_.push_back(feature);
            if (valued) values_.push_back(history.values[i]);
        }
        starts_[token + 1] = features_.size();
    }
}

}  // namespace tagpool
