#include "training_set.hpp"

#include <algorithm>

#include "fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kNone = FeatureIndex::kNone;
constexpr uint32_t kVector = 8;  // weights in the widest vector of the kernels, for either precision

uint32_t rounded_up(uint32_t labels) { return (labels + kVector - 1) / kVector * kVector; }

}  // namespace

TrainingSet::TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options)
    : sentences_(encoding.sentences), gold_(gold, gold + encoding.token_count()), labels_(options.labels),
      stride_(rounded_up(options.labels)) {
    if (labels_ == 0 || labels_ > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(labels_));
    for (int32_t label : gold_)
        if (label < kUnknown || label >= static_cast<int32_t>(labels_)) throw InputFault("a label is out of range");
    choose_layout(encoding, features, options);
    lay_out_tokens(encoding);
    transpose();
}

// Which features are dense, and where every weight lies.
void TrainingSet::choose_layout(const Encoding& encoding, uint32_t features, const TrainingOptions& options) {
    // The observed labels of each feature, as bits; an unknown label counts for none.
    const size_t words = (labels_ + 63) / 64;
    std::vector<uint64_t> observed;
    std::vector<uint32_t> count(features, labels_);
    if (!options.all_pairs) {
        observed.assign(size_t{features} * words, 0);
        for (size_t token = 0; token < gold_.size(); ++token) {
            if (gold_[token] == kUnknown) continue;
            const auto label = static_cast<size_t>(gold_[token]);
            for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
                observed[encoding.ids[i] * words + label / 64] |= uint64_t{1} << (label % 64);
        }
        for (uint32_t feature = 0; feature < features; ++feature) {
            count[feature] = 0;
            for (size_t word = 0; word < words; ++word)
                count[feature] += static_cast<uint32_t>(__builtin_popcountll(observed[feature * words + word]));
        }
    }
    const uint32_t dense_from = options.all_pairs ? 0 : options.dense_from;
    row_of_feature_.assign(features, kNone);
    first_single_.assign(features + size_t{1}, 0);
    uint32_t singles = 0;
    for (uint32_t feature = 0; feature < features; ++feature) {
        first_single_[feature] = singles;
        if (count[feature] >= dense_from) {
            row_of_feature_[feature] = static_cast<uint32_t>(row_feature_.size());
            row_feature_.push_back(feature);
        } else {
            singles += count[feature];
        }
    }
    first_single_[features] = singles;
    padded_singles_ = (size_t{singles} + kVector - 1) / kVector * kVector;
    if (weight_count() > UINT32_MAX) throw InputFault("more than 4 billion weights; use fewer features, or only observed pairs");
    label_of_single_.resize(singles);
    for (uint32_t feature = 0; feature < features; ++feature) {
        uint32_t single = first_single_[feature];
        for (uint32_t label = 0; label < labels_; ++label) {
            if (!options.all_pairs && !(observed[feature * words + label / 64] >> (label % 64) & 1)) continue;
            const uint32_t row = row_of_feature_[feature];
            if (row == kNone) label_of_single_[single] = static_cast<uint16_t>(label);
            places_.push_back(static_cast<uint32_t>(row == kNone ? singles_begin() + single++ : size_t{row} * stride_ + label));
            pair_features_.push_back(feature);
            pair_labels_.push_back(static_cast<uint16_t>(label));
        }
    }
    pair_count_ = places_.size();
    for (uint32_t from = 0; from < labels_ + 2; ++from)  // transitions, then start, then end
        for (uint32_t label = 0; label < labels_; ++label)
            places_.push_back(static_cast<uint32_t>(transitions_begin() + size_t{from} * stride_ + label));
}

void TrainingSet::lay_out_tokens(const Encoding& encoding) {
    row_starts_.push_back(0);
    single_starts_.push_back(0);
    const bool valued = !encoding.values.empty();
    for (size_t token = 0; token < gold_.size(); ++token) {
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
            const uint32_t feature = encoding.ids[i];
            if (row_of_feature_[feature] != kNone) {
                rows_.push_back(row_of_feature_[feature]);
                if (valued) row_values_.push_back(encoding.values[i]);
                continue;
            }
            for (uint32_t single = first_single_[feature]; single < first_single_[feature + 1]; ++single) {
                singles_.push_back(static_cast<uint32_t>(singles_begin() + single));
                single_labels_.push_back(label_of_single_[single]);
                if (valued) single_values_.push_back(encoding.values[i]);
            }
        }
        row_starts_.push_back(rows_.size());
        single_starts_.push_back(singles_.size());
    }
}

namespace {

// From "what stands at each token" to "the tokens of each".
void turn(const Buffer<uint64_t>& starts, const Buffer<uint32_t>& items, const Buffer<float>& values, size_t first, size_t count,
          Buffer<uint64_t>& item_starts, Buffer<uint32_t>& tokens, Buffer<float>& token_values) {
    item_starts.fill(count + 1, 0);
    for (uint32_t item : items) ++item_starts[item - first + 1];
    for (size_t i = 0; i < count; ++i) item_starts[i + 1] += item_starts[i];
    std::vector<uint64_t> next(item_starts.begin(), item_starts.end());
    tokens.fill(items.size(), 0);
    if (!values.empty()) token_values.fill(items.size(), 0.0f);
    for (size_t token = 0; token + 1 < starts.size(); ++token)
        for (uint64_t i = starts[token]; i < starts[token + 1]; ++i) {
            const uint64_t place = next[items[i] - first]++;
            tokens[place] = static_cast<uint32_t>(token);
            if (!values.empty()) token_values[place] = values[i];
        }
}

}  // namespace

void TrainingSet::transpose() {
    turn(row_starts_, rows_, row_values_, 0, dense_rows(), row_token_starts_, row_tokens_, row_token_values_);
    turn(single_starts_, singles_, single_values_, singles_begin(), label_of_single_.size(), single_token_starts_, single_tokens_,
         single_token_values_);
}

}  // namespace tagpool
