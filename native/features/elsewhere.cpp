#include "features/elsewhere.hpp"

#include <algorithm>

#include "features/atoms.hpp"

namespace tagpool {
namespace {

constexpr size_t kMost = 20;  // values a token: of a frequent word all would be as many as the document has words
constexpr std::string_view kNothing = "-";

}  // namespace

Elsewhere::Elsewhere(const Atom& atom, bool boundary, const Columns& columns, SameWords& same)
    : atom_(atom), same_(same), program_{{*atom.inner}, {}, boundary}, values_(std::make_unique<AtomValues>(program_, columns)) {
    texts_.emplace(hash_bytes(kNothing), kNothing);
}

Elsewhere::~Elsewhere() = default;

std::span<const uint64_t> Elsewhere::hashes(int64_t token) {
    if (document_ != same_.document()) gather();
    const Place place = found_[static_cast<size_t>(token - same_.begin())];
    return {found_values_.data() + place.begin, place.count};
}

void Elsewhere::texts(int64_t token, std::vector<std::string>& out) {
    for (const uint64_t hash : hashes(token)) {
        if (!texts_.contains(hash)) learn_texts(same_.all(token));
        out.push_back(texts_.at(hash));
    }
}

void Elsewhere::gather() {
    document_ = same_.document();
    collect_own();
    found_.assign(own_.size(), Place());
    found_values_.clear();
    const std::span<const uint32_t> grouped = same_.grouped();
    for (size_t from = 0; from < grouped.size();) {
        const std::span<const uint32_t> tokens = same_.all(same_.begin() + grouped[from]);
        from += tokens.size();
        count_values(tokens);
        for (const uint32_t token : tokens) {
            found_[token].begin = static_cast<uint32_t>(found_values_.size());
            choose(token);
            if (atom_.gathering == Gathering::joined) found_values_.push_back(joined(tokens));
            else for (const Value& value : chosen_) found_values_.push_back(value.hash);
            found_[token].count = static_cast<uint32_t>(found_values_.size()) - found_[token].begin;
        }
    }
}

// In the order of the tokens, so that what looks at a whole sentence does so once. Words met once say nothing to others.
void Elsewhere::collect_own() {
    own_.assign(static_cast<size_t>(same_.end() - same_.begin()), Place());
    own_values_.clear();
    uint32_t entered = UINT32_MAX;
    for (int64_t token = same_.begin(); token < same_.end(); ++token) {
        Place& place = own_[static_cast<size_t>(token - same_.begin())];
        place.begin = static_cast<uint32_t>(own_values_.size());
        if (same_.all(token).size() < 2) continue;
        if (const uint32_t sentence = same_.sentence_of(token); sentence != entered) values_->enter(entered = sentence);
        for (int64_t other = token + atom_.a; other <= token + atom_.b; ++other)
            for (const uint64_t hash : values_->hashes(0, other)) {
                const auto known = own_values_.begin() + place.begin;
                if (std::find(known, own_values_.end(), hash) == own_values_.end()) own_values_.push_back(hash);
            }
        place.count = static_cast<uint32_t>(own_values_.size()) - place.begin;
    }
}

void Elsewhere::count_values(std::span<const uint32_t> tokens) {
    met_.clear();
    all_.clear();
    for (const uint32_t token : tokens)
        for (const uint64_t hash : own(token)) met_.emplace_back(hash, static_cast<uint32_t>(met_.size()));
    std::sort(met_.begin(), met_.end());
    for (const auto& [hash, place] : met_) {
        if (all_.empty() || all_.back().hash != hash) all_.push_back({hash, 0, place});
        ++all_.back().count;
    }
    std::sort(all_.begin(), all_.end());
}

// The most frequent values of the others. Its own count one less, so that those who come after the first ones are few.
void Elsewhere::choose(uint32_t token) {
    const size_t most = atom_.gathering == Gathering::most ? 1 : kMost;
    const std::span<const uint64_t> mine = own(token);
    chosen_.clear();
    for (const Value& value : all_) {
        if (chosen_.size() == most + mine.size()) break;
        const bool is_mine = std::find(mine.begin(), mine.end(), value.hash) != mine.end();
        if (value.count > is_mine) chosen_.push_back({value.hash, value.count - is_mine, value.first});
    }
    std::sort(chosen_.begin(), chosen_.end());
    if (chosen_.size() > most) chosen_.resize(most);
}

uint64_t Elsewhere::joined(std::span<const uint32_t> tokens) {
    if (chosen_.empty()) return hash_bytes(kNothing);
    std::vector<uint64_t> parts;
    for (const Value& value : chosen_) parts.push_back(value.hash);
    std::sort(parts.begin(), parts.end());
    if (const auto known = joined_.find(parts); known != joined_.end()) return known->second;
    std::vector<std::string> texts;
    for (const uint64_t part : parts) {
        if (!texts_.contains(part)) learn_texts(tokens);
        texts.push_back(texts_.at(part));
    }
    std::sort(texts.begin(), texts.end());
    std::string whole = texts[0];
    for (size_t i = 1; i < texts.size(); ++i) whole += "+" + texts[i];
    const uint64_t hash = hash_bytes(whole);
    texts_.emplace(hash, std::move(whole));
    return joined_.emplace(std::move(parts), hash).first->second;
}

void Elsewhere::learn_texts(std::span<const uint32_t> tokens) {
    std::vector<std::string> texts;
    for (const uint32_t place : tokens) {
        const int64_t token = same_.begin() + place;
        values_->enter(same_.sentence_of(token));
        for (int64_t other = token + atom_.a; other <= token + atom_.b; ++other) {
            values_->texts(0, other, texts);
            for (std::string& text : texts) {
                const uint64_t hash = hash_bytes(text);
                texts_.emplace(hash, std::move(text));
            }
        }
    }
}

}  // namespace tagpool
