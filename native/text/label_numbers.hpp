// Labels as numbers: one for each token, -1 where the label is unknown. Sentence s has the tokens [bounds[s], bounds[s + 1]).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tagpool {

using LabelNumbers = std::span<const int32_t>;
using SentenceBounds = std::span<const uint32_t>;

// Number of tokens with each label; unknown ones do not count.
std::vector<size_t> count_labels(LabelNumbers numbers, size_t labels);

// Number of each label bigram, an [L + 1][L + 1] matrix; number L is the boundary of a sentence. Bigrams with an unknown label do not count.
std::vector<size_t> count_bigrams(LabelNumbers numbers, SentenceBounds bounds, size_t labels);

// New numbers of labels; unknown ones stay unknown.
std::vector<int32_t> renumber_labels(LabelNumbers numbers, const std::vector<int32_t>& table);

// States of labels with two states.
struct LabelStates {
    std::vector<int32_t> continuation;  // the label that continues a span of this one
    std::vector<int32_t> first;         // state before the continuation
    std::vector<int32_t> last;          // state elsewhere
};

// State of each token; unknown if the label is, or if the next label decides and is unknown.
std::vector<int32_t> refine_labels(LabelNumbers numbers, SentenceBounds bounds, const LabelStates& states);

// Spans of labels (tagpool/evaluation/chunks.py).
struct LabelSpans {
    std::vector<int32_t> type;         // of the span of a label; -1: outside
    std::vector<int32_t> after, into;  // a token continues the span before it if its `into` equals the `after` of that token
};

struct SpanCounts {
    size_t correct = 0, predicted = 0, gold = 0;
};

// Spans of gold and predicted labels, and those with the same tokens and type.
SpanCounts count_spans(LabelNumbers gold, LabelNumbers predicted, SentenceBounds bounds, const LabelSpans& spans);

}  // namespace tagpool
