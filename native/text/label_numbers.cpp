#include "text/label_numbers.hpp"

#include <algorithm>
#include <string>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr int32_t kUnknown = -1;

void check(LabelNumbers numbers, size_t labels, int32_t least = kUnknown) {
    for (const int32_t number : numbers)
        if (number < least || (number >= 0 && static_cast<size_t>(number) >= labels))
            throw InputFault("label " + std::to_string(number) + " is out of range; there are " + std::to_string(labels) + " labels");
}

void check(SentenceBounds bounds, size_t tokens) {
    if (bounds.empty() || bounds.front() != 0 || bounds.back() != tokens || !std::is_sorted(bounds.begin(), bounds.end()))
        throw InputFault("expected the bounds of sentences with " + std::to_string(tokens) + " tokens");
}

}  // namespace

std::vector<size_t> count_labels(LabelNumbers numbers, size_t labels) {
    check(numbers, labels);
    std::vector<size_t> counts(labels);
    for (const int32_t number : numbers)
        if (number != kUnknown) ++counts[static_cast<size_t>(number)];
    return counts;
}

std::vector<size_t> count_bigrams(LabelNumbers numbers, SentenceBounds bounds, size_t labels) {
    check(numbers, labels);
    check(bounds, numbers.size());
    std::vector<size_t> counts((labels + 1) * (labels + 1));
    for (size_t sentence = 0; sentence + 1 < bounds.size(); ++sentence) {
        if (bounds[sentence] == bounds[sentence + 1]) continue;
        auto before = static_cast<int32_t>(labels);
        for (size_t token = bounds[sentence]; token <= bounds[sentence + 1]; ++token) {
            const int32_t label = token == bounds[sentence + 1] ? static_cast<int32_t>(labels) : numbers[token];
            if (before != kUnknown && label != kUnknown) ++counts[static_cast<size_t>(before) * (labels + 1) + static_cast<size_t>(label)];
            before = label;
        }
    }
    return counts;
}

std::vector<int32_t> renumber_labels(LabelNumbers numbers, const std::vector<int32_t>& table) {
    check(numbers, table.size());
    std::vector<int32_t> out;
    out.reserve(numbers.size());
    for (const int32_t number : numbers) out.push_back(number == kUnknown ? kUnknown : table[static_cast<size_t>(number)]);
    return out;
}

std::vector<int32_t> refine_labels(LabelNumbers numbers, SentenceBounds bounds, const LabelStates& states) {
    check(numbers, states.first.size());
    check(bounds, numbers.size());
    std::vector<int32_t> out(numbers.begin(), numbers.end());
    for (size_t sentence = 0; sentence + 1 < bounds.size(); ++sentence)
        for (size_t token = bounds[sentence]; token < bounds[sentence + 1]; ++token) {
            if (numbers[token] == kUnknown) continue;
            const auto label = static_cast<size_t>(numbers[token]);
            const bool is_last = token + 1 == bounds[sentence + 1];
            if (!is_last && numbers[token + 1] == kUnknown && states.first[label] != states.last[label]) out[token] = kUnknown;
            else out[token] = !is_last && numbers[token + 1] == states.continuation[label] ? states.first[label] : states.last[label];
        }
    return out;
}

SpanCounts count_spans(LabelNumbers gold, LabelNumbers predicted, SentenceBounds bounds, const LabelSpans& spans) {
    expect_size(predicted.size(), gold.size(), "predicted labels");
    check(gold, spans.type.size(), 0);
    check(predicted, spans.type.size(), 0);
    check(bounds, gold.size());
    SpanCounts counts;
    const auto label_at = [](LabelNumbers numbers, size_t token) { return static_cast<size_t>(numbers[token]); };
    for (size_t sentence = 0; sentence + 1 < bounds.size(); ++sentence) {
        const size_t begin = bounds[sentence], end = bounds[sentence + 1];
        const auto continues = [&](LabelNumbers numbers, size_t token) {  // the span of the token before
            return token > begin && token < end && spans.after[label_at(numbers, token - 1)] == spans.into[label_at(numbers, token)];
        };
        bool same = false;  // both have a span of one type here, which began at the same token
        for (size_t token = begin; token < end; ++token) {
            const int32_t gold_type = spans.type[label_at(gold, token)], type = spans.type[label_at(predicted, token)];
            const bool gold_begins = gold_type >= 0 && !continues(gold, token), begins = type >= 0 && !continues(predicted, token);
            counts.gold += gold_begins;
            counts.predicted += begins;
            same = gold_type >= 0 && gold_type == type && gold_begins == begins && (same || begins);
            const bool gold_ends = !continues(gold, token + 1), ends = !continues(predicted, token + 1);
            counts.correct += same && gold_ends && ends;
            same &= gold_ends == ends;
        }
    }
    return counts;
}

}  // namespace tagpool
