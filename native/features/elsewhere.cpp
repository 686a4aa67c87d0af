#include "features/elsewhere.hpp"

#include <algorithm>

namespace tagpool {
namespace {

constexpr size_t kMaxValues = 20;  // per token; a frequent word would otherwise have as many values as the document has words
constexpr std::string_view kNoValue = "-";

}  // namespace

Elsewhere::Elsewhere(const Atom& atom, std::unique_ptr<Source> source, SameWords& same_words)
    : atom_(atom), same_words_(same_words), source_(std::move(source)) {
    texts_.emplace(hash_bytes(kNoValue), kNoValue);
}

std::span<const uint64_t> Elsewhere::hashes(int64_t token) {
    if (document_ != same_words_.document()) fill();
    return results_[static_cast<size_t>(token - same_words_.begin())];
}

void Elsewhere::texts(int64_t token, std::vector<std::string>& out) {
    for (const uint64_t hash : hashes(token)) {
        if (!texts_.contains(hash)) add_texts(same_words_.occurrences(token));
        out.push_back(texts_.at(hash));
    }
}

void Elsewhere::fill() {
    document_ = same_words_.document();
    arena_ = {};
    fill_local();
    results_.resize(local_.size());
    const std::span<const uint32_t> grouped = same_words_.grouped();
    for (size_t from = 0; from < grouped.size();) {
        const std::span<const uint32_t> tokens = same_words_.occurrences(same_words_.begin() + grouped[from]);
        from += tokens.size();
        count_values(tokens);
        for (const uint32_t token : tokens) {
            select_values(token);
            scratch_.clear();
            if (atom_.gathering == Gathering::joined) scratch_.push_back(join_values(tokens));
            else
                for (const Value& value : selected_) scratch_.push_back(value.hash);
            results_[token] = arena_.store(scratch_.data(), scratch_.size());
        }
    }
}

// Visits tokens in order, so that the source computes each sentence once. Words that occur once are skipped.
void Elsewhere::fill_local() {
    local_.assign(static_cast<size_t>(same_words_.end() - same_words_.begin()), {});
    uint32_t current = UINT32_MAX;
    for (int64_t token = same_words_.begin(); token < same_words_.end(); ++token) {
        if (same_words_.occurrences(token).size() < 2) continue;
        if (const uint32_t sentence = same_words_.sentence_of(token); sentence != current) source_->enter(current = sentence);
        scratch_.clear();
        for (int64_t other = token + atom_.first_offset; other <= token + atom_.last_offset; ++other)
            for (const uint64_t hash : source_->hashes(other))
                if (std::find(scratch_.begin(), scratch_.end(), hash) == scratch_.end()) scratch_.push_back(hash);
        local_[static_cast<size_t>(token - same_words_.begin())] = arena_.store(scratch_.data(), scratch_.size());
    }
}

void Elsewhere::count_values(std::span<const uint32_t> tokens) {
    occurrences_.clear();
    counted_.clear();
    for (const uint32_t token : tokens)
        for (const uint64_t hash : local_[token]) occurrences_.emplace_back(hash, static_cast<uint32_t>(occurrences_.size()));
    std::sort(occurrences_.begin(), occurrences_.end());
    for (const auto& [hash, rank] : occurrences_) {
        if (counted_.empty() || counted_.back().hash != hash) counted_.push_back({hash, 0, rank});
        ++counted_.back().count;
    }
    std::sort(counted_.begin(), counted_.end());
}

// Selects the most frequent values of the other occurrences: the count of each value at the token itself is one less.
void Elsewhere::select_values(uint32_t token) {
    const size_t limit = atom_.gathering == Gathering::most ? 1 : kMaxValues;
    const std::span<const uint64_t> local = local_[token];
    selected_.clear();
    for (const Value& value : counted_) {
        if (selected_.size() == limit + local.size()) break;
        const bool is_local = std::find(local.begin(), local.end(), value.hash) != local.end();
        if (value.count > is_local) selected_.push_back({value.hash, value.count - is_local, value.rank});
    }
    std::sort(selected_.begin(), selected_.end());
    if (selected_.size() > limit) selected_.resize(limit);
}

uint64_t Elsewhere::join_values(std::span<const uint32_t> tokens) {
    if (selected_.empty()) return hash_bytes(kNoValue);
    std::vector<uint64_t> hashes;
    for (const Value& value : selected_) hashes.push_back(value.hash);
    std::sort(hashes.begin(), hashes.end());
    if (const auto known = joined_.find(hashes); known != joined_.end()) return known->second;
    std::vector<std::string> texts;
    for (const uint64_t hash : hashes) {
        if (!texts_.contains(hash)) add_texts(tokens);
        texts.push_back(texts_.at(hash));
    }
    std::sort(texts.begin(), texts.end());
    std::string joined = texts[0];
    for (size_t i = 1; i < texts.size(); ++i) joined += "+" + texts[i];
    const uint64_t hash = hash_bytes(joined);
    texts_.emplace(hash, std::move(joined));
    return joined_.emplace(std::move(hashes), hash).first->second;
}

// Adds the texts of all local values of some tokens.
void Elsewhere::add_texts(std::span<const uint32_t> tokens) {
    std::vector<std::string> texts;
    for (const uint32_t row : tokens) {
        const int64_t token = same_words_.begin() + row;
        source_->enter(same_words_.sentence_of(token));
        for (int64_t other = token + atom_.first_offset; other <= token + atom_.last_offset; ++other) {
            source_->texts(other, texts);
            for (std::string& text : texts) {
                const uint64_t hash = hash_bytes(text);
                texts_.emplace(hash, std::move(text));
            }
        }
    }
}

}  // namespace tagpool
