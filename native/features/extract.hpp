// Extractor: runs a program over a corpus and writes rows of feature ids.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "base/arena.hpp"
#include "features/atoms.hpp"
#include "features/encoding.hpp"
#include "features/frozen_index.hpp"
#include "features/index.hpp"
#include "features/template_plan.hpp"

namespace tagpool {

// Resolvers map the hash of a feature to its id.

// Numbers features in the order of their first occurrence.
struct NumberingResolver {
    FeatureIndex& index;
    std::vector<Origin>& origins;  // a [features] array
    uint32_t resolve(uint64_t key, const Origin& origin) {
        const uint32_t id = index.insert(key);
        if (id == origins.size()) origins.push_back(origin);
        return id;
    }
    void prefetch(uint64_t key) const { index.prefetch(key); }
    static constexpr bool kHasSlots = false;
};
// Finds features in an encoder's index or a model's frozen index.
template <class Index>
struct FindingResolver {
    const Index& index;
    uint32_t resolve(uint64_t key, const Origin&) { return index.find(key); }
    void prefetch(uint64_t key) const { index.prefetch(key); }
    // A search in two steps, so that the cache misses of many overlap: first the slot, whose place is prefetched.
    static constexpr bool kHasSlots = std::is_same_v<Index, FrozenIndex>;
    uint32_t locate(uint64_t key) const {
        const uint32_t slot = index.find_slot(key);
        if (slot != FrozenIndex::kNone) index.prefetch_place(slot);
        return slot;
    }
    uint32_t place(uint32_t slot) const { return slot == FrozenIndex::kNone ? FrozenIndex::kNone : index.place(slot); }
};
using FrozenResolver = FindingResolver<FrozenIndex>;

// Calls visit(key, ordinal) for all combinations of the terms' values at one token, the last term's fastest.
template <class Visit>
void visit_combinations(std::span<const std::span<const uint64_t>> values, uint64_t seed, Visit&& visit, uint32_t ordinal = 0) {
    const std::span<const uint64_t> first = values[0];
    for (uint32_t i = 0; i < first.size(); ++i) {
        const uint64_t key = combine(seed, first[i]);
        const uint32_t combination = ordinal * static_cast<uint32_t>(first.size()) + i;
        if (values.size() == 1) visit(key, combination);
        else visit_combinations(values.subspan(1), key, visit, combination);
    }
}

// Works sentence by sentence, template by template, and looks up the features of short sentences together. Templates with one feature per
// token fill a column of `single_ids_`; the others append to `other_ids_`. Ids that a plan remembers are used at once. The others are
// pending until their slots in the index are prefetched. Then rows are assembled token by token in the order of the templates.
template <class Resolver>
class Extractor {
public:
    // With `once`, no string occurs twice: the ids of its features are not remembered, and all of a sentence are looked up together.
    Extractor(const Program& program, const Columns& columns, Resolver& resolver, Encoding& out, uint32_t first_sentence,
              const WordTables* shared = nullptr, bool once = false)
        : program_(program), columns_(columns), values_(program, columns, first_sentence, shared), resolver_(resolver), out_(out), once_(once) {
        for (const Template& source : program.templates) {
            plans_.push_back(make_plan(source, program, columns.token_count(), values_));
            plans_.back().column = plans_.back().is_single() ? single_count_++ : other_count_++;
            has_values_ |= plans_.back().has_values();
        }
        string_ids_ = make_string_ids(plans_, values_);
    }

    // Extracts all sentences.
    void run() {
        out_.starts.reserve_more(columns_.token_count());
        run(0, static_cast<uint32_t>(columns_.sentence_count()));
        out_.shrink();
    }
    // Appends sentences [first, last).
    void run(uint32_t first, uint32_t last) {
        while (first < last) {
            const uint32_t end = end_of_group(first, last);
            begin_ = columns_.sentences[first];
            length_ = columns_.sentences[end] - columns_.sentences[first];
            single_ids_.fill(length_ * single_count_, kNone);
            other_ids_.clear();
            other_values_.clear();
            other_ends_.assign(1, 0);
            combinations_ = 0;
            const auto tokens_before = static_cast<uint32_t>(out_.token_count() - columns_.sentences[first]);
            for (; first < end; ++first) {
                values_.enter(first);
                if (first + 1 < last) prefetch_strings(first + 1);
                for (uint16_t number = 0; number < plans_.size(); ++number) {
                    if (plans_[number].is_single()) extract_single(number);
                    else extract_others(number);
                }
                out_.sentences.push_back(tokens_before + columns_.sentences[first + 1]);
            }
            resolve_pending();
            assemble();
        }
    }

private:
    using Plan = TemplatePlan;
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    // A feature whose id is not looked up yet.
    struct Pending {
        uint64_t key;
        uint64_t position;    // in single_ids_, or (with kInOthers) in other_ids_
        uint32_t* cached_id;  // where the plan remembers the id; may be null
        Origin origin;
    };
    static constexpr uint64_t kInOthers = uint64_t{1} << 63;
    static constexpr size_t kMaxPending = 1 << 14;  // long strings have many n-grams
    static constexpr size_t kMaxGroup = 256;        // tokens

    // The end of the sentences that are looked up together. Features of other plans are assembled by sentence.
    uint32_t end_of_group(uint32_t first, uint32_t last) const {
        uint32_t end = first + 1;
        while (other_count_ == 0 && end < last && columns_.sentences[end + 1] - columns_.sentences[first] <= kMaxGroup) ++end;
        return end;
    }

    void add_pending(uint64_t key, uint64_t position, const Origin& origin, uint32_t* cached_id) {
        resolver_.prefetch(key);
        pending_.push_back({key, position, cached_id, origin});
    }

    // The tables of strings are larger than the caches.
    void prefetch_strings(uint32_t sentence) const {
        for (const StringIds& table : string_ids_)
            for (size_t token = columns_.sentences[sentence]; token < columns_.sentences[sentence + 1]; ++token)
                table.prefetch(table.column->ids[token]);
    }

    void extract_single(uint16_t number) {
        Plan& plan = plans_[number];
        // All terms of tokens [first, last) are inside the sentence. The other tokens have boundary values.
        int64_t first = values_.begin(), last = values_.end();
        for (const TotalTerm& term : plan.terms) {
            first = std::max(first, values_.begin() - term.offset);
            last = std::min(last, values_.end() - term.offset);
        }
        for (int64_t token = values_.begin(); token < values_.end(); ++token) {
            if (token == first && first < last) token = last;
            if (token < values_.end()) extract_at_boundary(number, token);
        }
        uint64_t position = static_cast<uint64_t>(first - begin_) * single_count_ + plan.column;
        for (int64_t token = first; token < last; ++token, position += single_count_) {
            if (plan.kind == Plan::conjunction) {
                add_pending(plan.key(token), position, {static_cast<uint32_t>(token), 0, number}, nullptr);
                continue;
            }
            size_t combination = 0;
            for (const TotalTerm& term : plan.terms) combination = combination * term.distinct + term.strings[token + term.offset];
            uint32_t& id = plan.id(combination);
            single_ids_[position] = id;
            if (id == Plan::kUnknown) add_pending(plan.key(token), position, {static_cast<uint32_t>(token), 0, number}, &id);
        }
    }

    void extract_at_boundary(uint16_t number, int64_t token) {
        const Plan& plan = plans_[number];
        uint64_t key = plan.seed;
        for (const Term& term : plan.source->terms) {
            const auto hashes = values_.hashes(term.atom, token + term.offset);
            if (hashes.empty()) return;
            key = combine(key, hashes[0]);
        }
        const uint64_t position = static_cast<uint64_t>(token - begin_) * single_count_ + plan.column;
        add_pending(key, position, {static_cast<uint32_t>(token), 0, number}, nullptr);
    }

    void extract_others(uint16_t number) {
        Plan& plan = plans_[number];
        if (plan.kind == Plan::word && !once_) prefetch_strings(plan);
        for (int64_t token = values_.begin(); token < values_.end(); ++token) {
            value_ = 1.0f;
            switch (plan.kind) {
                case Plan::word: {
                    const int64_t other = token + plan.source->terms[0].offset;
                    if (!values_.inside(other)) break;
                    if (once_) {
                        extract_string(number, static_cast<size_t>(other));
                        break;
                    }
                    const auto ids = string_ids(number, static_cast<size_t>(other), token, 0);
                    other_ids_.append(ids.data(), ids.size());
                    break;
                }
                case Plan::disjunction: extract_disjunction(number, token); break;
                case Plan::valued: extract_valued(number, token); break;
                case Plan::vector: extract_vector(number, token); break;
                default: extract_combinations(number, token); break;
            }
            if (has_values_)
                while (other_values_.size() < other_ids_.size()) other_values_.push_back(value_);
            other_ends_.push_back(other_ids_.size());
        }
    }

    // Prefetches the features of the strings that are new to a template with one word function.
    void prefetch_strings(Plan& plan) {
        const Term& term = plan.source->terms[0];
        WordValues& words = values_.words(term.atom);
        const int64_t first = std::max(values_.begin(), values_.begin() + term.offset), last = std::min(values_.end(), values_.end() + term.offset);
        for (int64_t other = first; other < last; ++other) {
            const uint32_t string = words.column().ids[static_cast<size_t>(other)];
            if (plan.ids_of_string(string).data() != &Plan::kUnknown) continue;
            for (const uint64_t hash : words.string_hashes(string)) resolver_.prefetch(combine(plan.seed, hash));
        }
    }

    // The features of a template with one word function, for a string that occurs once.
    void extract_string(uint16_t number, size_t other) {
        const Plan& plan = plans_[number];
        for (const uint64_t hash : values_.words(plan.source->terms[0].atom).token_hashes(other)) {
            add_pending(combine(plan.seed, hash), kInOthers | other_ids_.size(), {static_cast<uint32_t>(other), 0, number}, nullptr);
            other_ids_.push_back(kNone);
        }
        if (pending_.size() > kMaxPending) resolve_pending();
    }

    // The ids of a template with one word function, for the string at token `other`.
    std::span<const uint32_t> string_ids(uint16_t number, size_t other, int64_t token, uint32_t first_ordinal) {
        Plan& plan = plans_[number];
        WordValues& words = values_.words(plan.source->terms[0].atom);
        std::span<const uint32_t>& ids = plan.ids_of_string(words.column().ids[other]);
        if (ids.data() != &Plan::kUnknown) return ids;
        keys_.clear();
        for (const uint64_t hash : words.token_hashes(other)) keys_.push_back(combine(plan.seed, hash));
        resolved_.clear();
        for (uint32_t i = 0; i < keys_.size(); ++i) {
            const uint32_t id = resolver_.resolve(keys_[i], {static_cast<uint32_t>(token), first_ordinal + i, number});
            if (id != kNone) resolved_.push_back(id);
        }
        return ids = arena_.store(resolved_.data(), resolved_.size());
    }

    // The distinct values in the window. The function has at most one value per string.
    void extract_disjunction(uint16_t number, int64_t token) {
        const Term& term = plans_[number].source->terms[0];
        const Atom& atom = program_.atoms[term.atom];
        const int64_t centre = token + term.offset;
        if (!values_.inside(centre)) return;
        WordValues& words = values_.words(term.atom);
        seen_.clear();
        for (int64_t other = centre + atom.first_offset; other <= centre + atom.last_offset; ++other) {
            if (!values_.inside(other)) continue;
            const auto hashes = words.token_hashes(static_cast<size_t>(other));
            if (hashes.empty() || std::find(seen_.begin(), seen_.end(), hashes[0]) != seen_.end()) continue;
            const auto ids = string_ids(number, static_cast<size_t>(other), token, static_cast<uint32_t>(seen_.size()));
            other_ids_.append(ids.data(), ids.size());
            seen_.push_back(hashes[0]);
        }
    }

    void extract_combinations(uint16_t number, int64_t token) {
        const Plan& plan = plans_[number];
        terms_.clear();
        size_t count = 1;
        for (const Term& term : plan.source->terms) {
            terms_.push_back(values_.hashes(term.atom, token + term.offset));
            if (terms_.back().empty()) return;
            count = std::min(count, kMaxCombinations * length_) * terms_.back().size();
        }
        combinations_ += count;
        if (combinations_ > kMaxCombinations * length_)
            values_.fail(concat("the conjunctions have more than ", kMaxCombinations, " values per token, here of \"", plan.source->key, "\""),
                         token);
        visit_combinations(std::span<const std::span<const uint64_t>>(terms_), plan.seed, [&](uint64_t key, uint32_t ordinal) {
            add_pending(key, kInOthers | other_ids_.size(), {static_cast<uint32_t>(token), ordinal, number}, nullptr);
            other_ids_.push_back(kNone);
        });
    }

    // The value is the product of the number terms; a value of 0 makes no feature.
    void extract_valued(uint16_t number, int64_t token) {
        double value = 1;
        for (const Term& term : plans_[number].source->terms) {
            if (program_.atoms[term.atom].kind != AtomKind::number) continue;
            if (!values_.inside(token + term.offset)) return;
            value *= values_.number(term.atom, token + term.offset);
        }
        value_ = static_cast<float>(value);
        if (!std::isfinite(value_)) values_.fail("the product of the numbers of \"" + plans_[number].source->key + "\" is too large", token);
        if (value_ != 0) extract_combinations(number, token);
    }

    // One feature per dimension; a value of 0 makes no feature.
    void extract_vector(uint16_t number, int64_t token) {
        Plan& plan = plans_[number];
        const Term& term = plan.source->terms[0];
        if (!values_.inside(token + term.offset)) return;
        const float* const values = values_.vector(term.atom, token + term.offset);
        if (!values) return;
        const auto hashes = values_.hashes(term.atom, token + term.offset);
        for (uint32_t dimension = 0; dimension < plan.ids.size(); ++dimension) {
            if (values[dimension] == 0) continue;
            uint32_t& id = plan.ids[dimension];
            if (id == Plan::kUnknown)
                id = resolver_.resolve(combine(plan.seed, hashes[dimension]), {static_cast<uint32_t>(token), dimension, number});
            if (id == kNone) continue;
            other_ids_.push_back(id);
            other_values_.push_back(values[dimension]);
        }
    }

    void resolve_pending() {
        if constexpr (Resolver::kHasSlots)
            for (size_t i = 0; i < pending_.size(); ++i) pending_[i].key = resolver_.locate(pending_[i].key);
        for (const Pending& pending : pending_) {
            uint32_t id;
            if constexpr (Resolver::kHasSlots) id = resolver_.place(static_cast<uint32_t>(pending.key));
            else id = resolver_.resolve(pending.key, pending.origin);
            if (pending.position & kInOthers) other_ids_[pending.position & ~kInOthers] = id;
            else single_ids_[pending.position] = id;
            if (pending.cached_id) *pending.cached_id = id;
        }
        pending_.clear();
    }

    // Writes the rows of the sentence, in the order of the templates, without unknown features.
    void assemble() {
        out_.ids.reserve_more(single_ids_.size() + other_ids_.size());
        for (size_t t = 0; t < length_; ++t) {
            const uint32_t* const single = single_ids_.data() + t * single_count_;
            if (other_count_ == 0) {
                for (size_t column = 0; column < single_count_; ++column)
                    if (single[column] != kNone) out_.ids.push_unchecked(single[column]);
            } else {
                for (const Plan& plan : plans_) {
                    if (plan.is_single()) {
                        if (single[plan.column] != kNone) push(single[plan.column], 1.0f);
                        continue;
                    }
                    const size_t row = plan.column * length_ + t;
                    for (size_t i = other_ends_[row]; i < other_ends_[row + 1]; ++i)
                        if (other_ids_[i] != kNone) push(other_ids_[i], has_values_ ? other_values_[i] : 1.0f);
                }
            }
            out_.end_token();
        }
    }

    void push(uint32_t id, float value) {
        out_.ids.push_unchecked(id);
        if (has_values_) out_.values.push_back(value);
    }

    const Program& program_;
    const Columns& columns_;
    AtomValues values_;
    Resolver& resolver_;
    Encoding& out_;
    std::vector<TemplatePlan> plans_;            // a [templates] array
    std::vector<StringIds> string_ids_;          // by column
    size_t single_count_ = 0, other_count_ = 0;  // number of plans of each kind
    bool has_values_ = false;                    // true if some template has values
    const bool once_;
    // The current sentences, which have T = length_ tokens:
    size_t length_ = 0;
    int64_t begin_ = 0;               // the first token
    size_t combinations_ = 0;         // values of conjunctions
    Buffer<uint32_t> single_ids_;     // a [T][single_count] matrix
    Buffer<uint32_t> other_ids_;      // an [entries] array
    Buffer<float> other_values_;      // an [entries] array if has_values_
    std::vector<size_t> other_ends_;  // an [other_count * T + 1] array: ranges of entries by plan, then token
    Buffer<Pending> pending_;
    float value_ = 1.0f;     // of the features of the current token and template
    Arena<uint32_t> arena_;  // of TemplatePlan::string_ids
    // Scratch
    std::vector<uint32_t> resolved_;
    std::vector<uint64_t> keys_, seen_;
    std::vector<std::span<const uint64_t>> terms_;
};

}  // namespace tagpool
