// Extraction: one run of a program over a corpus. Private to the encoder.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoms.hpp"
#include "encode.hpp"
#include "fault.hpp"

namespace tagpool {

// What turns a feature's hash into its id. `met` says where the feature stands, for the one resolver that numbers features.
struct Numbering {
    static constexpr bool kDrops = false;  // never says kNone
    FeatureIndex& index;
    std::vector<Origin>& origins;
    uint32_t resolve(uint64_t key, const Origin& met) {
        const uint32_t id = index.insert(key);
        if (id == origins.size()) origins.push_back(met);
        return id;
    }
    void prefetch(uint64_t key) const { index.prefetch(key); }
};
struct Frozen {
    static constexpr bool kDrops = true;
    const FeatureIndex& index;
    uint32_t resolve(uint64_t key, const Origin&) { return index.find(key); }
    void prefetch(uint64_t key) const { index.prefetch(key); }
};
struct Hashing {
    static constexpr bool kDrops = false;
    uint32_t size;
    std::vector<Origin>* origins;  // null once fitted
    uint32_t resolve(uint64_t key, const Origin& met) {
        const auto id = static_cast<uint32_t>(key % size);
        if (origins && (*origins)[id].token == Origin::kNowhere) (*origins)[id] = met;
        return id;
    }
    void prefetch(uint64_t) const {}
};

// Walks over all combinations of the terms' values at one token, the last term's fastest.
// Calls take(key, ordinal) for each; nothing where a term has no value.
template <class Take>
void combinations(std::span<const std::span<const uint64_t>> values, uint64_t seed, Take&& take, uint32_t ordinal = 0) {
    const std::span<const uint64_t> first = values[0];
    for (uint32_t i = 0; i < first.size(); ++i) {
        const uint64_t key = combine(seed, first[i]);
        const uint32_t here = ordinal * static_cast<uint32_t>(first.size()) + i;
        if (values.size() == 1) take(key, here);
        else combinations(values.subspan(1), key, take, here);
    }
}

// One run over a corpus. A sentence's rows are first written down with what is known at once (features of a single string are
// resolved once per distinct string); the others wait as hashes until their slots of the index have been prefetched.
template <class Resolver>
class Pass {
public:
    Pass(const Program& program, const Columns& columns, Resolver& resolver, Encoding& out, uint32_t first_sentence)
        : program_(program), columns_(columns), values_(program, columns, first_sentence), resolver_(resolver), out_(out) {
        for (const Template& each : program.templates) plans_.push_back(plan_for(each));
    }

    void run() {
        out_.sentences = columns_.sentences;
        out_.starts.reserve_more(columns_.token_count());
        for (uint32_t sentence = 0; sentence < columns_.sentence_count(); ++sentence) {
            values_.enter(sentence);
            const size_t first = out_.ids.size();
            for (int64_t token = values_.begin(); token < values_.end(); ++token) {
                make_room();
                for (uint16_t number = 0; number < plans_.size(); ++number) {
                    value_ = 1.0f;
                    extract(number, token);
                    if (valued_)
                        while (out_.values.size() < out_.ids.size()) out_.values.push_back(value_);
                }
                out_.end_token();
            }
            settle(first, static_cast<size_t>(values_.end() - values_.begin()));
        }
        out_.shrink();
    }

private:
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    // A term that has exactly one value for every string.
    struct TotalTerm {
        const uint32_t* strings;  // by token
        const uint64_t* hashes;   // by string
        int offset;
        uint32_t distinct;        // strings
    };
    struct Plan {
        enum Kind { total, word, table, conjunction, disjunction, general, valued } kind = general;
        uint64_t seed = 0;
        const Template* source = nullptr;
        std::vector<TotalTerm> terms;                  // total, table, conjunction
        std::vector<uint32_t> id;                      // total: by string; table: by combination of strings
        std::vector<std::span<const uint32_t>> known;  // word, disjunction: ids by string
    };
    // A feature whose id is not known yet.
    struct Waiting {
        uint64_t key;
        uint64_t place;  // in the encoding's ids
        uint32_t* cell;  // where the plan remembers the id, if it does
        Origin met;
    };
    static constexpr uint32_t kUnknown = UINT32_MAX - 1;  // not asked for yet
    static constexpr size_t kLargestTable = 1 << 18;

    Plan plan_for(const Template& each) {
        Plan plan;
        plan.seed = hash_bytes(each.key);
        plan.source = &each;
        bool all_total = true;
        for (const Term& term : each.terms) {
            const Atom& atom = program_.atoms[term.atom];
            if (atom.kind == AtomKind::number) {
                plan.kind = Plan::valued;
                valued_ = true;
            }
            all_total = all_total && atom.total;
        }
        if (plan.kind == Plan::valued) return plan;
        WordValues& words = values_.words(each.terms[0].atom);
        const AtomKind first = program_.atoms[each.terms[0].atom].kind;
        if (all_total) {
            plan.kind = each.terms.size() == 1 ? Plan::total : Plan::conjunction;
            for (const Term& term : each.terms) {
                WordValues& values = values_.words(term.atom);
                const uint32_t distinct = values.column().strings->size();
                plan.terms.push_back({values.column().ids.data(), values.single_hashes(), term.offset, distinct});
            }
            // Few combinations (tags, not words) fit into a table, which spares hashing and looking up.
            size_t combinations = plan.terms[0].distinct;
            for (size_t i = 1; i < plan.terms.size(); ++i)
                combinations = std::min(combinations * plan.terms[i].distinct, kLargestTable + 1);
            if (each.terms.size() > 1 && combinations <= std::min(kLargestTable, columns_.token_count()))
                plan.kind = Plan::table;
            if (plan.kind != Plan::conjunction) plan.id.assign(combinations, kUnknown);
        } else if (each.terms.size() == 1 && (first == AtomKind::word || first == AtomKind::disjunction)) {
            plan.kind = first == AtomKind::word ? Plan::word : Plan::disjunction;
            plan.known.assign(words.column().strings->size(), {&kUnknown, 0});
        }
        return plan;
    }

    // What has one value pushes unchecked; what may have more makes room for those that follow.
    void make_room() {
        out_.ids.reserve_more(plans_.size());
        waiting_.reserve_more(plans_.size());
    }

    void wait(uint64_t key, const Origin& met, uint32_t* cell) {
        resolver_.prefetch(key);
        waiting_.push_unchecked({key, out_.ids.size(), cell, met});
        out_.ids.push_unchecked(kNone);
    }

    void extract(uint16_t number, int64_t token) {
        Plan& plan = plans_[number];
        const Origin met{static_cast<uint32_t>(token), 0, number};
        switch (plan.kind) {
            case Plan::total: {
                const TotalTerm& term = plan.terms[0];
                const int64_t other = token + term.offset;
                if (!values_.inside(other)) {
                    combine_terms(number, token);
                    return;
                }
                const uint32_t string = term.strings[other];
                uint32_t& id = plan.id[string];
                if (id == kUnknown) wait(combine(plan.seed, term.hashes[string]), met, &id);
                else out_.ids.push_unchecked(id);
                return;
            }
            case Plan::table: {
                size_t place = 0;
                for (const TotalTerm& term : plan.terms) {
                    const int64_t other = token + term.offset;
                    if (!values_.inside(other)) {
                        combine_terms(number, token);
                        return;
                    }
                    place = place * term.distinct + term.strings[other];
                }
                uint32_t& id = plan.id[place];
                if (id == kUnknown) wait(key_of(plan, token), met, &id);
                else out_.ids.push_unchecked(id);
                return;
            }
            case Plan::conjunction: {
                for (const TotalTerm& term : plan.terms)
                    if (!values_.inside(token + term.offset)) {
                        combine_terms(number, token);
                        return;
                    }
                wait(key_of(plan, token), met, nullptr);
                return;
            }
            case Plan::word: {
                const int64_t other = token + plan.source->terms[0].offset;
                if (!values_.inside(other)) return;
                const auto ids = ids_of_string(number, static_cast<size_t>(other), token, 0);
                append(ids);
                return;
            }
            case Plan::disjunction: disjunction(number, token); return;
            case Plan::general: combine_terms(number, token); return;
            case Plan::valued: valued(number, token); return;
        }
    }

    // For a plan of total terms, all inside the sentence.
    static uint64_t key_of(const Plan& plan, int64_t token) {
        uint64_t key = plan.seed;
        for (const TotalTerm& term : plan.terms) key = combine(key, term.hashes[term.strings[token + term.offset]]);
        return key;
    }

    void append(std::span<const uint32_t> ids) {
        out_.ids.append(ids.data(), ids.size());
        out_.ids.reserve_more(plans_.size());
    }

    // The ids of a template whose only term is a word function, for the string at `other`.
    std::span<const uint32_t> ids_of_string(uint16_t number, size_t other, int64_t token, uint32_t first_ordinal) {
        Plan& plan = plans_[number];
        WordValues& words = values_.words(plan.source->terms[0].atom);
        std::span<const uint32_t>& known = plan.known[words.column().ids[other]];
        if (known.data() != &kUnknown) return known;
        const auto hashes = words.of_token(other);
        ids_.clear();
        for (uint32_t i = 0; i < hashes.size(); ++i) {
            const Origin met{static_cast<uint32_t>(token), first_ordinal + i, number};
            const uint32_t id = resolver_.resolve(combine(plan.seed, hashes[i]), met);
            if (id != kNone) ids_.push_back(id);
        }
        known = arena_.store(ids_.data(), ids_.size());
        return known;
    }

    // The distinct values in the window; a disjunction's function has at most one value a string.
    void disjunction(uint16_t number, int64_t token) {
        const Term& term = plans_[number].source->terms[0];
        const Atom& atom = program_.atoms[term.atom];
        const int64_t centre = token + term.offset;
        if (!values_.inside(centre)) return;
        WordValues& words = values_.words(term.atom);
        seen_.clear();
        for (int64_t other = centre + atom.a; other <= centre + atom.b; ++other) {
            if (!values_.inside(other)) continue;
            const auto hashes = words.of_token(static_cast<size_t>(other));
            if (hashes.empty() || std::find(seen_.begin(), seen_.end(), hashes[0]) != seen_.end()) continue;
            const auto ids = ids_of_string(number, static_cast<size_t>(other), token, static_cast<uint32_t>(seen_.size()));
            append(ids);
            seen_.push_back(hashes[0]);
        }
    }

    void combine_terms(uint16_t number, int64_t token) {
        const Plan& plan = plans_[number];
        terms_.clear();
        for (const Term& term : plan.source->terms) {
            terms_.push_back(values_.hashes(term.atom, token + term.offset));
            if (terms_.back().empty()) return;
        }
        combinations(std::span<const std::span<const uint64_t>>(terms_), plan.seed, [&](uint64_t key, uint32_t ordinal) {
            make_room();
            wait(key, {static_cast<uint32_t>(token), ordinal, number}, nullptr);
        });
        make_room();
    }

    // Number terms multiply; a zero is no feature at all.
    void valued(uint16_t number, int64_t token) {
        double value = 1;
        for (const Term& term : plans_[number].source->terms) {
            if (program_.atoms[term.atom].kind != AtomKind::number) continue;
            if (!values_.inside(token + term.offset)) return;
            value *= values_.number(term.atom, token + term.offset);
        }
        value_ = static_cast<float>(value);
        if (!std::isfinite(value_)) values_.fail("the product of the numbers of \"" + plans_[number].source->key + "\" is too large", token);
        if (value_ != 0) combine_terms(number, token);
    }

    // Resolves what waits, and closes the gaps of features that are not in the index.
    void settle(size_t first, size_t tokens) {
        for (const Waiting& each : waiting_) {
            const uint32_t id = resolver_.resolve(each.key, each.met);
            out_.ids[each.place] = id;
            if (each.cell) *each.cell = id;
        }
        waiting_.clear();
        if constexpr (Resolver::kDrops) {
            size_t read = first, write = first;
            for (size_t token = out_.token_count() - tokens; token < out_.token_count(); ++token) {
                for (const size_t end = out_.starts[token + 1]; read < end; ++read) {
                    out_.ids[write] = out_.ids[read];
                    if (valued_) out_.values[write] = out_.values[read];
                    write += out_.ids[write] != kNone;
                }
                out_.starts[token + 1] = write;
            }
            out_.ids.truncate(write);
            if (valued_) out_.values.truncate(write);
        }
    }

    const Program& program_;
    const Columns& columns_;
    AtomValues values_;
    Resolver& resolver_;
    Encoding& out_;
    std::vector<Plan> plans_;
    Arena<uint32_t> arena_;
    Buffer<Waiting> waiting_;
    std::vector<uint32_t> ids_;
    std::vector<uint64_t> seen_;
    std::vector<std::span<const uint64_t>> terms_;
    bool valued_ = false;  // some template has values
    float value_ = 1.0f;
};

}  // namespace tagpool
