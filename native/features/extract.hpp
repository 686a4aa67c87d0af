// Extraction: one run of a program over a corpus. Private to the encoder.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "features/atoms.hpp"
#include "features/encode.hpp"
#include "base/fault.hpp"
#include "features/frozen_index.hpp"

namespace tagpool {

// What turns a feature's hash into its id. `met` says where the feature stands, for the one resolver that numbers features.
struct Numbering {
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
    const FeatureIndex& index;
    uint32_t resolve(uint64_t key, const Origin&) { return index.find(key); }
    void prefetch(uint64_t key) const { index.prefetch(key); }
};
struct Placing {
    const FrozenIndex& slots;
    uint32_t resolve(uint64_t key, const Origin&) { return slots.find(key); }
    void prefetch(uint64_t key) const { slots.prefetch(key); }
};
struct Hashing {
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

// One run over a corpus, sentence by sentence, template by template.
//
// Templates with one feature a token fill a column of `slots_`; the others append to `many_`. What is known at once (features of a
// single string, or of few combinations) is looked up in the plan; the rest waits as hashes until its slot of the index has been
// prefetched. Then rows are put together, token by token, in the templates' order.
template <class Resolver>
class Pass {
public:
    Pass(const Program& program, const Columns& columns, Resolver& resolver, Encoding& out, uint32_t first_sentence, const WordTables* shared = nullptr)
        : program_(program), columns_(columns), values_(program, columns, first_sentence, shared), resolver_(resolver), out_(out) {
        for (const Template& each : program.templates) {
            plans_.push_back(plan_for(each));
            plans_.back().column = plans_.back().single() ? singles_++ : others_++;
        }
    }

    // All sentences.
    void run() {
        out_.starts.reserve_more(columns_.token_count());
        run(0, static_cast<uint32_t>(columns_.sentence_count()));
        out_.shrink();
    }
    // Sentences [first, last), appended to what is there.
    void run(uint32_t first, uint32_t last) {
        for (uint32_t sentence = first; sentence < last; ++sentence) {
            values_.enter(sentence);
            length_ = static_cast<size_t>(values_.end() - values_.begin());
            slots_.fill(length_ * singles_, kNone);
            many_.clear();
            many_values_.clear();
            many_ends_.assign(1, 0);
            for (uint16_t number = 0; number < plans_.size(); ++number) {
                if (plans_[number].single()) fill_column(number);
                else fill_many(number);
            }
            settle();
            assemble();
            out_.sentences.push_back(static_cast<uint32_t>(out_.token_count()));
        }
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
        enum Kind { total, table, conjunction, word, disjunction, general, valued, vector } kind = general;
        bool single() const { return kind <= conjunction; }  // one feature a token, but perhaps none at the sentence's ends
        size_t column = 0;                             // single: its column of the slots; else its number among the others
        uint64_t seed = 0;
        const Template* source = nullptr;
        std::vector<TotalTerm> terms;                  // total, table, conjunction
        std::vector<uint32_t> id;                      // total: by string; table: by combination of strings; vector: by dimension
        std::vector<std::span<const uint32_t>> known;  // word, disjunction: ids by string
    };
    // A feature whose id is not known yet.
    struct Waiting {
        uint64_t key;
        uint64_t place;  // in slots_, or (with kInMany set) in many_
        uint32_t* cell;  // where the plan remembers the id, if it does
        Origin met;
    };
    static constexpr uint64_t kInMany = uint64_t{1} << 63;
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
        if (const Atom& atom = program_.atoms[each.terms[0].atom]; atom.kind == AtomKind::embedding) {
            if (each.terms.size() > 1) throw InputFault("an embedding cannot be part of a conjunction");
            plan.kind = Plan::vector;
            plan.id.assign(atom.vectors->width(), kUnknown);
            valued_ = true;
            return plan;
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

    void wait(uint64_t key, uint64_t place, const Origin& met, uint32_t* cell) {
        resolver_.prefetch(key);
        waiting_.push_back({key, place, cell, met});
    }

    // One feature a token, where all terms are inside the sentence; at its ends the boundary values come in.
    void fill_column(uint16_t number) {
        Plan& plan = plans_[number];
        int64_t first = values_.begin(), last = values_.end();
        for (const TotalTerm& term : plan.terms) {
            first = std::max(first, values_.begin() - term.offset);
            last = std::min(last, values_.end() - term.offset);
        }
        for (int64_t token = values_.begin(); token < values_.end(); ++token) {
            if (token == first && first < last) token = last;  // the tokens between are done below
            if (token < values_.end()) fill_edge(number, token);
        }
        uint64_t place = static_cast<uint64_t>(first - values_.begin()) * singles_ + plan.column;
        for (int64_t token = first; token < last; ++token, place += singles_) {
            size_t cell = 0;
            if (plan.kind == Plan::conjunction) {
                wait(key_of(plan, token), place, {static_cast<uint32_t>(token), 0, number}, nullptr);
                continue;
            }
            for (const TotalTerm& term : plan.terms) cell = cell * term.distinct + term.strings[token + term.offset];
            const uint32_t id = plan.id[cell];
            slots_[place] = id;
            if (id == kUnknown) wait(key_of(plan, token), place, {static_cast<uint32_t>(token), 0, number}, &plan.id[cell]);
        }
    }

    void fill_edge(uint16_t number, int64_t token) {
        const Plan& plan = plans_[number];
        uint64_t key = plan.seed;
        for (const Term& term : plan.source->terms) {
            const auto hashes = values_.hashes(term.atom, token + term.offset);
            if (hashes.empty()) return;
            key = combine(key, hashes[0]);
        }
        const uint64_t place = static_cast<uint64_t>(token - values_.begin()) * singles_ + plan.column;
        wait(key, place, {static_cast<uint32_t>(token), 0, number}, nullptr);
    }

    // For a plan of total terms, all inside the sentence.
    static uint64_t key_of(const Plan& plan, int64_t token) {
        uint64_t key = plan.seed;
        for (const TotalTerm& term : plan.terms) key = combine(key, term.hashes[term.strings[token + term.offset]]);
        return key;
    }

    void fill_many(uint16_t number) {
        Plan& plan = plans_[number];
        for (int64_t token = values_.begin(); token < values_.end(); ++token) {
            value_ = 1.0f;
            switch (plan.kind) {
                case Plan::word: {
                    const int64_t other = token + plan.source->terms[0].offset;
                    if (!values_.inside(other)) break;
                    const auto ids = ids_of_string(number, static_cast<size_t>(other), token, 0);
                    many_.append(ids.data(), ids.size());
                    break;
                }
                case Plan::disjunction: disjunction(number, token); break;
                case Plan::valued: valued(number, token); break;
                case Plan::vector: vector(number, token); break;
                default: combine_terms(number, token); break;
            }
            if (valued_)
                while (many_values_.size() < many_.size()) many_values_.push_back(value_);
            many_ends_.push_back(many_.size());
        }
    }

    // The ids of a template whose only term is a word function, for the string at `other`.
    std::span<const uint32_t> ids_of_string(uint16_t number, size_t other, int64_t token, uint32_t first_ordinal) {
        Plan& plan = plans_[number];
        WordValues& words = values_.words(plan.source->terms[0].atom);
        std::span<const uint32_t>& known = plan.known[words.column().ids[other]];
        if (known.data() != &kUnknown) return known;
        const auto hashes = words.of_token(other);
        keys_.clear();
        for (const uint64_t hash : hashes) {
            keys_.push_back(combine(plan.seed, hash));
            resolver_.prefetch(keys_.back());
        }
        ids_.clear();
        for (uint32_t i = 0; i < keys_.size(); ++i) {
            const Origin met{static_cast<uint32_t>(token), first_ordinal + i, number};
            const uint32_t id = resolver_.resolve(keys_[i], met);
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
            many_.append(ids.data(), ids.size());
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
            wait(key, kInMany | many_.size(), {static_cast<uint32_t>(token), ordinal, number}, nullptr);
            many_.push_back(kNone);
        });
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

    // A feature a dimension; as everywhere, a zero is none.
    void vector(uint16_t number, int64_t token) {
        Plan& plan = plans_[number];
        const Term& term = plan.source->terms[0];
        if (!values_.inside(token + term.offset)) return;
        const float* const values = values_.vector(term.atom, token + term.offset);
        if (!values) return;
        const auto hashes = values_.hashes(term.atom, token + term.offset);
        for (uint32_t dimension = 0; dimension < plan.id.size(); ++dimension) {
            if (values[dimension] == 0) continue;
            uint32_t& id = plan.id[dimension];
            if (id == kUnknown) id = resolver_.resolve(combine(plan.seed, hashes[dimension]), {static_cast<uint32_t>(token), dimension, number});
            if (id == kNone) continue;
            many_.push_back(id);
            many_values_.push_back(values[dimension]);
        }
    }

    void settle() {
        for (const Waiting& each : waiting_) {
            const uint32_t id = resolver_.resolve(each.key, each.met);
            if (each.place & kInMany) many_[each.place & ~kInMany] = id;
            else slots_[each.place] = id;
            if (each.cell) *each.cell = id;
        }
        waiting_.clear();
    }

    // Rows in the templates' order, without what is not there.
    void assemble() {
        out_.ids.reserve_more(slots_.size() + many_.size());
        for (size_t t = 0; t < length_; ++t) {
            const uint32_t* const slots = slots_.data() + t * singles_;
            if (others_ == 0) {
                for (size_t column = 0; column < singles_; ++column)
                    if (slots[column] != kNone) out_.ids.push_unchecked(slots[column]);
            } else {
                for (const Plan& plan : plans_) {
                    if (plan.single()) {
                        if (slots[plan.column] != kNone) push(slots[plan.column], 1.0f);
                        continue;
                    }
                    const size_t row = plan.column * length_ + t;
                    for (size_t i = many_ends_[row]; i < many_ends_[row + 1]; ++i)
                        if (many_[i] != kNone) push(many_[i], valued_ ? many_values_[i] : 1.0f);
                }
            }
            out_.end_token();
        }
    }

    void push(uint32_t id, float value) {
        out_.ids.push_unchecked(id);
        if (valued_) out_.values.push_back(value);
    }

    const Program& program_;
    const Columns& columns_;
    AtomValues values_;
    Resolver& resolver_;
    Encoding& out_;
    std::vector<Plan> plans_;
    size_t singles_ = 0, others_ = 0;  // how many plans have one feature a token, and how many may have more
    size_t length_ = 0;                // of the sentence
    Buffer<uint32_t> slots_, many_;
    Buffer<float> many_values_;
    std::vector<size_t> many_ends_;    // by plan, then token
    Buffer<Waiting> waiting_;
    Arena<uint32_t> arena_;
    std::vector<uint32_t> ids_;
    std::vector<uint64_t> keys_, seen_;
    std::vector<std::span<const uint64_t>> terms_;
    bool valued_ = false;  // some template has values
    float value_ = 1.0f;
};

}  // namespace tagpool
