// Chunks: pieces of consecutive sentences, in which trainers read a corpus that is not in memory, and the order of an epoch over them.
//
// Chunk c has the sentences that begin at tokens [c, c + 1) * kChunkTokens of the corpus. Stochastic trainers read the chunks of a large corpus in
// a new order in every epoch. Some of them together are a block, and the sentences of a block are shuffled. So a block is a sample of the
// corpus, and only one block must be in memory. The order is the same if the corpus is in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/random.hpp"

namespace tagpool {

class TrainingSet;

class Chunks {
public:
    static constexpr size_t kChunkTokens = size_t{1} << 13, kBlockTokens = size_t{1} << 18;

    Chunks() = default;
    // The chunks of all sentences of a corpus, given by their first tokens and the number of tokens.
    explicit Chunks(const std::vector<uint32_t>& sentences);

    void add(uint32_t sentences, uint32_t tokens);

    size_t size() const { return tokens_.size(); }
    size_t first_sentence(size_t chunk) const { return first_sentences_[chunk]; }
    size_t first_token(size_t chunk) const { return first_tokens_[chunk]; }
    size_t token_count() const { return first_tokens_.back(); }
    size_t tokens(size_t chunk) const { return tokens_[chunk]; }

    // The chunks of each block of an epoch. A corpus of one block has the chunks in order.
    std::vector<std::vector<uint32_t>> epoch(Random& random) const;
    // The same, of all chunks in order.
    std::vector<std::vector<uint32_t>> in_order() const;

private:
    std::vector<std::vector<uint32_t>> blocks(const std::vector<uint32_t>& order) const;

    std::vector<uint32_t> tokens_;
    std::vector<size_t> first_sentences_ = {0}, first_tokens_ = {0};  // one more than chunks
};

// SentenceStream: the sentences of a training set that are not in memory.
struct SentenceStream {
    Chunks chunks;
    // Returns a training set with the sentences of these chunks.
    std::function<std::shared_ptr<TrainingSet>(const std::vector<uint32_t>& chunks)> load;
};

}  // namespace tagpool
