// Encodes a corpus block by block with the frozen indices of a model. The features of a block stay in the cache until they are scored.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/thread_pool.hpp"
#include "features/extract.hpp"
#include "features/frozen_index.hpp"
#include "text/columns.hpp"

namespace tagpool {

// Templates and the index of their features.
struct IndexedProgram {
    const Program* program;  // null: none
    const FrozenIndex* slots;
};

// Calls work(encoding, history, first, last) for blocks of the sentences [from, to); `history` is null without a program for it. Each thread
// gets adjacent sentences, which share its caches. `words` may be null.
template <class Work>
void encode_blocks(const Columns& columns, uint32_t from, uint32_t to, unsigned threads, const IndexedProgram& features,
                   const IndexedProgram& history_features, const WordTables* words, Work&& work) {
    constexpr uint32_t kBlock = 32;  // sentences
    const unsigned parts = std::max(1u, std::min(threads, to - from));
    const size_t begin = columns.sentences[from], tokens = columns.sentences[to] - begin;
    parallel_for(parts, threads, [&](size_t part, unsigned) {
        const auto bound = [&](size_t number) {
            if (number == parts) return to;
            const auto place = std::lower_bound(columns.sentences.begin() + from, columns.sentences.begin() + to, begin + tokens * number / parts);
            return static_cast<uint32_t>(place - columns.sentences.begin());
        };
        Encoding encoding, history;
        FrozenResolver resolver{*features.slots}, history_resolver{*history_features.slots};
        Extractor<FrozenResolver> extractor(*features.program, columns, resolver, encoding, 0, words);
        std::optional<Extractor<FrozenResolver>> history_extractor;
        if (history_features.program) history_extractor.emplace(*history_features.program, columns, history_resolver, history, 0);
        const uint32_t last = bound(part + 1);
        for (uint32_t first = bound(part); first < last; first += kBlock) {
            const uint32_t end = std::min(last, first + kBlock);
            encoding.clear();
            extractor.run(first, end);
            history.clear();
            if (history_extractor) history_extractor->run(first, end);
            work(encoding, history_extractor ? &history : nullptr, first, end);
        }
    });
}

}  // namespace tagpool
