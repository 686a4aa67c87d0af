#include "encode.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "atoms.hpp"
#include "fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kNone = FeatureIndex::kNone;
constexpr uint32_t kNoToken = UINT32_MAX;

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
        if (origins && (*origins)[id].token == kNoToken) (*origins)[id] = met;
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

template <class Resolver>
Encoding encode_with(Resolver resolver, const Program& program, const Columns& columns, uint32_t first_sentence = 0) {
    Encoding out;
    Pass<Resolver>(program, columns, resolver, out, first_sentence).run();
    return out;
}

// In a conjunction "|" separates the values, so that it is escaped inside them (and inside those of a single term that shares
// the conjunction's name): a name says exactly which feature it is.
void append_value(std::string& name, const std::string& text, bool escape) {
    for (char c : text) {
        if (escape && (c == '|' || c == '\\')) name.push_back('\\');
        name.push_back(c);
    }
}

// Writes the names of features from where they were met.
class Namer {
public:
    Namer(const Program& program, const Columns& columns)
        : program_(program), sentences_(columns.sentences), values_(program, columns) {
        std::map<std::string_view, bool> joined;
        for (const Template& each : program.templates) joined[each.key] |= each.terms.size() > 1;
        for (const Template& each : program.templates) escapes_.push_back(joined[each.key]);
    }

    // Cheapest for tokens in order, a token's templates in order: what belongs together is computed once.
    std::string name(const Origin& origin) {
        const auto after = std::upper_bound(sentences_.begin(), sentences_.end(), origin.token);
        const auto sentence = static_cast<uint32_t>(after - sentences_.begin() - 1);
        if (sentence != sentence_) values_.enter(sentence_ = sentence);
        const Template& each = program_.templates[origin.template_number];
        if (origin.token != token_ || &each != template_) {
            texts_.clear();
            for (const Term& term : each.terms) texts_.push_back(values_.texts(term.atom, int64_t{origin.token} + term.offset));
            token_ = origin.token;
            template_ = &each;
        }
        std::vector<size_t> chosen(texts_.size());
        uint32_t rest = origin.ordinal;
        for (size_t i = texts_.size(); i-- > 0;) {
            chosen[i] = rest % texts_[i].size();
            rest /= static_cast<uint32_t>(texts_[i].size());
        }
        std::string name = each.key + "=";
        for (size_t i = 0; i < texts_.size(); ++i) {
            if (i > 0) name.push_back('|');
            append_value(name, texts_[i][chosen[i]], escapes_[origin.template_number]);
        }
        return name;
    }

private:
    const Program& program_;
    const std::vector<uint32_t>& sentences_;
    AtomValues values_;
    std::vector<bool> escapes_;  // by template: whether its name is that of a conjunction
    uint32_t sentence_ = UINT32_MAX, token_ = kNoToken;
    const Template* template_ = nullptr;
    std::vector<std::vector<std::string>> texts_;
};

}  // namespace

Encoder::Encoder(Program program, uint32_t minimum_count, uint32_t hash_size)
    : program_(std::move(program)), minimum_count_(minimum_count), hash_size_(hash_size) {
    if (program_.templates.size() > UINT16_MAX) throw InputFault("more than 65,535 templates");
}

uint32_t Encoder::feature_count() const { return hash_size_ ? hash_size_ : index_.size(); }

Encoding Encoder::fit(std::shared_ptr<const Columns> columns) {
    index_ = FeatureIndex();
    names_.clear();
    origins_.assign(hash_size_, Origin{kNoToken, 0, 0});
    if (!hash_size_) index_.reserve(static_cast<uint32_t>(std::min<size_t>(columns->token_count(), 1u << 26)));
    Encoding out = hash_size_ ? encode_with(Hashing{hash_size_, &origins_}, program_, *columns)
                              : encode_with(Numbering{index_, origins_}, program_, *columns);
    counts_.clear();
    if (!hash_size_ && minimum_count_ > 1) {
        counts_ = count_features(out, feature_count());
        const std::vector<uint32_t> new_ids = prune(out, counts_, index_, minimum_count_);
        for (uint32_t id = 0; id < new_ids.size(); ++id)
            if (new_ids[id] != kNone) origins_[new_ids[id]] = origins_[id];
        origins_.resize(counts_.size());
    }
    fitted_on_ = std::move(columns);
    return out;
}

Encoding Encoder::encode(const Columns& columns) const {
    if (hash_size_) return encode_with(Hashing{hash_size_, nullptr}, program_, columns);
    return encode_with(Frozen{index_}, program_, columns);
}

std::vector<uint16_t> Encoder::template_numbers() const {
    std::vector<uint16_t> numbers;
    numbers.reserve(origins_.size());
    for (const Origin& origin : origins_) numbers.push_back(origin.template_number);
    return numbers;
}

const std::vector<uint32_t>& Encoder::counts() {
    if (counts_.empty() && fitted_on_) counts_ = count_features(encode(*fitted_on_), feature_count());
    return counts_;
}

const std::vector<std::string>& Encoder::names() {
    if (!fitted_on_) return names_;
    counts();
    std::vector<uint32_t> order;
    for (uint32_t id = 0; id < origins_.size(); ++id)
        if (origins_[id].token != kNoToken) order.push_back(id);
    std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        const auto place = [this](uint32_t id) { return std::tuple(origins_[id].token, origins_[id].template_number, id); };
        return place(a) < place(b);
    });
    names_.assign(origins_.size(), "");
    Namer namer(program_, *fitted_on_);
    for (uint32_t id : order) names_[id] = namer.name(origins_[id]);
    fitted_on_.reset();
    return names_;
}

Encoder::Described Encoder::describe(const Columns& columns, uint32_t sentence) const {
    const Columns one = columns.select({sentence});
    // Every combination is numbered apart from the index, and its name written at once.
    FeatureIndex index;
    std::vector<Origin> origins;
    const Encoding encoding = encode_with(Numbering{index, origins}, program_, one, sentence);
    Namer namer(program_, one);
    std::vector<std::string> names;
    for (const Origin& origin : origins) names.push_back(namer.name(origin));
    Described out(encoding.token_count());
    for (size_t token = 0; token < out.size(); ++token)
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            out[token].emplace_back(names[encoding.ids[i]], encoding.values.empty() ? 1.0f : encoding.values[i]);
    return out;
}

}  // namespace tagpool
