#include "dataset/chunks.hpp"

#include <numeric>

namespace tagpool {

Chunks::Chunks(const std::vector<uint32_t>& sentences) {
    for (size_t first = 0; first + 1 < sentences.size();) {
        size_t last = first + 1;
        while (last + 1 < sentences.size() && sentences[last] / kChunkTokens == sentences[first] / kChunkTokens) ++last;
        add(static_cast<uint32_t>(last - first), sentences[last] - sentences[first]);
        first = last;
    }
}

void Chunks::add(uint32_t sentences, uint32_t tokens) {
    tokens_.push_back(tokens);
    first_sentences_.push_back(first_sentences_.back() + sentences);
    first_tokens_.push_back(first_tokens_.back() + tokens);
}

std::vector<std::vector<uint32_t>> Chunks::epoch(Random& random) const {
    return token_count() <= kBlockTokens ? in_order() : blocks(random.permutation(size()));
}

std::vector<std::vector<uint32_t>> Chunks::in_order() const {
    std::vector<uint32_t> order(size());
    std::iota(order.begin(), order.end(), 0u);
    return blocks(order);
}

std::vector<std::vector<uint32_t>> Chunks::blocks(const std::vector<uint32_t>& order) const {
    std::vector<std::vector<uint32_t>> out;
    size_t count = 0;
    for (const uint32_t chunk : order) {
        if (out.empty() || count + tokens_[chunk] > kBlockTokens) {
            out.emplace_back();
            count = 0;
        }
        out.back().push_back(chunk);
        count += tokens_[chunk];
    }
    return out;
}

}  // namespace tagpool
