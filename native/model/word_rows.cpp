#include "model/word_rows.hpp"

#include <algorithm>
#include <map>

#include "base/thread_pool.hpp"
#include "features/extract.hpp"
#include "kernels/kernels.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kTogether = 32;  // strings in a batch of look-ups

// Sentences of `length` strings each; the last one may be shorter.
Columns as_sentences(const Column& column, std::vector<uint32_t> strings, uint32_t length) {
    Columns out;
    for (size_t end = length; end < strings.size() + length; end += length)
        out.sentences.push_back(static_cast<uint32_t>(std::min(end, strings.size())));
    out.columns.push_back({column.name, column.strings, std::move(strings)});
    return out;
}

// Node scores, a [tokens][stride] matrix.
void score(const Program& program, const ModelView& model, const FrozenIndex& slots, const Columns& columns, float* rows, unsigned threads) {
    const size_t sentences = columns.sentence_count(), parts = std::min<size_t>(threads, sentences);
    parallel_for(parts, threads, [&](size_t part, unsigned) {
        Encoding encoding;
        FrozenResolver resolver{slots};
        Extractor<FrozenResolver> extractor(program, columns, resolver, encoding, 0);
        for (size_t sentence = sentences * part / parts; sentence < sentences * (part + 1) / parts; ++sentence) {
            encoding.clear();
            extractor.run(static_cast<uint32_t>(sentence), static_cast<uint32_t>(sentence + 1));
            kernels().tagging.score(model, encoding, AddedRows(), 0, encoding.token_count(),
                                    rows + columns.sentences[sentence] * size_t{model.stride});
        }
    });
}

}  // namespace

WordRows::WordRows(const WordTemplates& templates, const ModelView& model, const FrozenIndex& slots, const Columns& columns, uint32_t first,
                   uint32_t last, unsigned threads)
    : columns_(columns) {
    const uint32_t first_token = columns.sentences[first], last_token = columns.sentences[last];
    if (templates.groups.empty() || first_token == last_token) return;
    // The strings in use, by first occurrence.
    std::map<const Column*, size_t> places;
    std::vector<std::vector<uint32_t>> used;
    for (const WordTemplates::Group& group : templates.groups) {
        const Column* column = columns.find(group.column);
        if (!column) throw InputFault("the corpus has no column \"" + group.column + "\"");
        if (!places.emplace(column, used.size()).second) continue;
        std::vector<uint32_t>& order = orders_.emplace_back(column->strings->size(), FeatureIndex::kNone);
        std::vector<uint32_t>& strings = used.emplace_back();
        for (uint32_t token = first_token; token < last_token; ++token) {
            uint32_t& place = order[column->ids[token]];
            if (place != FeatureIndex::kNone) continue;
            place = static_cast<uint32_t>(strings.size());
            strings.push_back(column->ids[token]);
        }
    }
    uint32_t count = 1;
    for (const WordTemplates::Group& group : templates.groups) {
        const Column* column = columns.find(group.column);
        const size_t place = places[column];
        const bool around = group.offset != 0 && group.there.boundary;
        Group rows{column, &orders_[place], group.offset, count, 0};
        count += static_cast<uint32_t>(used[place].size());
        if (around) rows.edges = count;
        if (around) count += static_cast<uint32_t>(std::abs(group.offset));
        groups_.push_back(rows);
    }
    const size_t stride = model.stride;
    rows_.assign(count * stride, 0.0f);
    for (size_t i = 0; i < groups_.size(); ++i) {
        const WordTemplates::Group& group = templates.groups[i];
        const Column& column = *groups_[i].column;
        score(group.here, model, slots, as_sentences(column, used[places[&column]], kTogether), rows_.data() + groups_[i].begin * stride, threads);
        if (!groups_[i].edges) continue;
        // In a sentence no longer than the offset, every token looks outside the sentence.
        const auto length = static_cast<uint32_t>(std::abs(group.offset));
        const std::vector<uint32_t> any(length, column.ids[first_token]);
        score(group.there, model, slots, as_sentences(column, any, length), rows_.data() + groups_[i].edges * stride, 1);
    }
}

void WordRows::append(uint32_t sentence, std::vector<uint32_t>& numbers) const {
    const auto begin = static_cast<int64_t>(columns_.sentences[sentence]), end = static_cast<int64_t>(columns_.sentences[sentence + 1]);
    for (int64_t token = begin; token < end; ++token)
        for (const Group& group : groups_) {
            const int64_t other = token + group.offset;
            if (other >= begin && other < end) numbers.push_back(group.begin + (*group.order)[group.column->ids[static_cast<size_t>(other)]]);
            else if (!group.edges) numbers.push_back(0);
            else if (other < begin) numbers.push_back(group.edges + static_cast<uint32_t>(other - begin - group.offset));
            else numbers.push_back(group.edges + static_cast<uint32_t>(other - end));
        }
}

}  // namespace tagpool
