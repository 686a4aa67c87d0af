#include "features/atoms.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/fault.hpp"
#include "base/thread_pool.hpp"
#include "text/unicode.hpp"

namespace tagpool {
namespace {

constexpr int kFarthest = 64;  // the parser allows smaller offsets only
const uint64_t kUnset = 0;
const Column kNoColumn{};
const WordFunction kIdentity{};
const char* const kNoValue = "a function that should have one value for every word has none";

std::string boundary_text(bool before, int64_t distance) {
    return (before ? "_B-" : "_B+") + std::to_string(distance);
}

}  // namespace

const uint64_t AtomValues::kOne = hash_bytes("1");
const float AtomValues::kUnasked = 0;

WordTables::WordTables(const Program& program, const Columns& columns, unsigned threads) : tables_(program.atoms.size()), arenas_(std::max(1u, threads)) {
    for (size_t i = 0; i < tables_.size(); ++i) {
        const Atom& atom = program.atoms[i];
        const Column* const column = atom.kind == AtomKind::word && !atom.function.is_identity() ? columns.find(atom.column) : nullptr;
        if (!column) continue;
        tables_[i].known.resize(column->strings->size());
        if (atom.total) tables_[i].single.resize(column->strings->size());
    }
    const size_t parts = arenas_.size();
    parallel_for(parts, threads, [&](size_t part, unsigned) {
        std::vector<uint64_t> hashes;
        for (size_t i = 0; i < tables_.size(); ++i) {
            Table& table = tables_[i];
            if (table.known.empty()) continue;
            const StringTable& strings = *columns.find(program.atoms[i].column)->strings;
            const size_t end = table.known.size() * (part + 1) / parts;
            for (size_t id = table.known.size() * part / parts; id < end; ++id) {
                hashes.clear();
                program.atoms[i].function.values(strings[static_cast<uint32_t>(id)], Values(hashes));
                table.known[id] = arenas_[part].store(hashes.data(), hashes.size());
                if (table.single.empty()) continue;
                if (hashes.empty()) throw InputFault(kNoValue);
                table.single[id] = hashes[0];
            }
        }
    });
}

WordValues::WordValues(const Column& column, const WordFunction& function, const WordTables::Table* shared)
    : column_(column), function_(function), shared_(shared) {
    if (column.strings && !function.is_identity() && !shared) known_.assign(column.strings->size(), {&kUnset, 0});
}

std::span<const uint64_t> WordValues::of_string(uint32_t id) {
    if (function_.is_identity()) return {&column_.strings->hashes()[id], 1};
    if (shared_) return shared_->known[id];
    std::span<const uint64_t>& known = known_[id];
    if (known.data() != &kUnset) return known;
    hashes_.clear();
    function_.values((*column_.strings)[id], Values(hashes_));
    known = arena_.store(hashes_.data(), hashes_.size());
    return known;
}

const uint64_t* WordValues::single_hashes() {
    if (function_.is_identity()) return column_.strings->hashes().data();
    if (shared_ && !shared_->single.empty()) return shared_->single.data();
    if (single_.empty())
        for (uint32_t id = 0; id < column_.strings->size(); ++id) {
            const auto hashes = of_string(id);
            if (hashes.empty()) throw InputFault(kNoValue);
            single_.push_back(hashes[0]);
        }
    return single_.data();
}

AtomValues::AtomValues(const Program& program, const Columns& columns, uint32_t first_sentence, const WordTables* shared)
    : program_(program),
      columns_(columns),
      contexts_(program.atoms.size()),
      vectors_(program.atoms.size()),
      capitals_(program.atoms.size()),
      casings_(program.atoms.size()),
      elsewhere_(program.atoms.size()),
      first_sentence_(first_sentence) {
    words_.reserve(program.atoms.size());
    for (size_t i = 0; i < program.atoms.size(); ++i) {
        const Atom& atom = program.atoms[i];
        const Column* column = &kNoColumn;
        if (atom.kind != AtomKind::position && atom.kind != AtomKind::bias) {
            column = columns.find(atom.column);
            if (!column) throw InputFault("the corpus has no column \"" + atom.column + "\"");
        }
        words_.emplace_back(*column, atom.kind == AtomKind::number ? kIdentity : atom.function, shared ? shared->of(i) : nullptr);
        Context& context = contexts_[i];
        if (atom.kind == AtomKind::gazetteer) {
            for (size_t list = 0; list < atom.phrases->list_count(); ++list) {
                const std::string& name = atom.phrases->list_name(static_cast<uint16_t>(list));
                if (atom.plain) context.texts.intern(name);
                else for (const char* place : {"/B", "/I", "/L", "/U"}) context.texts.intern(name + place);
            }
        } else if (atom.kind == AtomKind::position) {
            context.texts.intern("first");
            context.texts.intern("last");
        } else if (atom.kind == AtomKind::capitals) {
            capitals_[i].assign(column->strings->size(), 0);
        } else if (atom.kind == AtomKind::casing || atom.kind == AtomKind::run || atom.kind == AtomKind::headline) {
            casings_[i] = std::make_unique<Casing>(*column);
            if (atom.kind == AtomKind::casing) for (const auto name : Casing::kFormNames) context.texts.intern(name);
            if (atom.kind == AtomKind::run) for (const auto name : {"first", "inner", "last"}) context.texts.intern(name);
            if (atom.kind == AtomKind::headline) for (const auto name : Casing::kSentenceNames) context.texts.intern(name);
        } else if (atom.kind == AtomKind::elsewhere) {
            SameWords& same = same_.try_emplace(column, columns, *column).first->second;
            elsewhere_[i] = std::make_unique<Elsewhere>(atom, program.boundary, columns, same);
        } else if (atom.kind == AtomKind::embedding) {
            vectors_[i].assign(column->strings->size(), &kUnasked);
            while (dimensions_.size() < atom.vectors->width()) dimensions_.push_back(hash_bytes(std::to_string(dimensions_.size())));
        }
    }
    for (int distance = 1; distance <= kFarthest; ++distance) {
        before_.push_back(hash_bytes(boundary_text(true, distance)));
        after_.push_back(hash_bytes(boundary_text(false, distance)));
    }
}

void AtomValues::enter(uint32_t sentence) {
    sentence_ = sentence;
    begin_ = columns_.sentences[sentence];
    end_ = columns_.sentences[sentence + 1];
    for (auto& [column, same] : same_) same.enter(sentence);
    for (uint32_t i = 0; i < program_.atoms.size(); ++i) {
        const AtomKind kind = program_.atoms[i].kind;
        if (kind == AtomKind::word || kind == AtomKind::number || kind == AtomKind::bias || kind == AtomKind::embedding) continue;
        contexts_[i].starts.assign(1, 0);
        contexts_[i].codes.clear();
        contexts_[i].hashes.clear();
        contexts_[i].in_use = false;  // filled when first asked for
    }
}

std::span<const uint64_t> AtomValues::hashes(uint32_t index, int64_t token) {
    const Atom& atom = program_.atoms[index];
    if (!inside(token)) {
        if (!atom.total || !program_.boundary) return {};
        const int64_t distance = token < begin_ ? begin_ - token : token - end_ + 1;
        return {token < begin_ ? &before_[static_cast<size_t>(distance - 1)] : &after_[static_cast<size_t>(distance - 1)], 1};
    }
    Context& context = contexts_[index];
    switch (atom.kind) {
        case AtomKind::word: return words_[index].of_token(static_cast<size_t>(token));
        case AtomKind::number:
        case AtomKind::bias: return {&kOne, 1};
        case AtomKind::embedding: return {dimensions_.data(), vector(index, token) ? atom.vectors->width() : 0};
        case AtomKind::gazetteer:
            if (!context.in_use) find_phrases(index);
            break;
        case AtomKind::disjunction:
            if (!context.in_use) collect_disjunction(index);
            break;
        case AtomKind::capitals:
            if (!context.in_use) collect_capitals(index);
            break;
        case AtomKind::casing:
            if (!context.in_use) collect_casing(index);
            break;
        case AtomKind::run:
            if (!context.in_use) collect_runs(index);
            break;
        case AtomKind::headline:
            if (!context.in_use) collect_headline(index);
            break;
        case AtomKind::elsewhere: return elsewhere_[index]->hashes(token);
        case AtomKind::position:
            if (!context.in_use) collect_position(index);
            break;
    }
    context.in_use = true;
    const size_t row = static_cast<size_t>(token - begin_);
    return {context.hashes.data() + context.starts[row], context.starts[row + 1] - context.starts[row]};
}

void AtomValues::texts(uint32_t index, int64_t token, std::vector<std::string>& out) {
    const Atom& atom = program_.atoms[index];
    out.clear();
    if (inside(token) && atom.kind == AtomKind::word) return words_[index].texts(static_cast<size_t>(token), out);
    if (hashes(index, token).empty()) return;  // also fills the context
    if (!inside(token)) {
        out.push_back(boundary_text(token < begin_, token < begin_ ? begin_ - token : token - end_ + 1));
    } else if (atom.kind == AtomKind::number || atom.kind == AtomKind::bias) {
        out.emplace_back("1");
    } else if (atom.kind == AtomKind::elsewhere) {
        elsewhere_[index]->texts(token, out);
    } else if (atom.kind == AtomKind::embedding) {
        for (uint32_t dimension = 0; dimension < atom.vectors->width(); ++dimension) out.push_back(std::to_string(dimension));
    } else {
        const Context& context = contexts_[index];
        const size_t row = static_cast<size_t>(token - begin_);
        for (uint32_t i = context.starts[row]; i < context.starts[row + 1]; ++i)
            out.emplace_back(context.texts[context.codes[i]]);
    }
}

double AtomValues::number(uint32_t index, int64_t token) {
    const std::string_view text = words_[index].column().text(static_cast<size_t>(token));
    double value = 0;
    // from_chars knows no plus sign.
    const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
    const auto [end, error] = std::from_chars(text.data() + plus, text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(static_cast<float>(value)))
        fail("column \"" + program_.atoms[index].column + "\": expected a number, got \"" + std::string(beginning_of(text, 40)) + "\"", token);
    return value;
}

const float* AtomValues::vector(uint32_t index, int64_t token) {
    const Atom& atom = program_.atoms[index];
    const float*& known = vectors_[index][words_[index].column().ids[static_cast<size_t>(token)]];
    if (known != &kUnasked) return known;
    std::vector<std::string> texts;
    words_[index].texts(static_cast<size_t>(token), texts);
    return known = texts.empty() ? nullptr : atom.vectors->vector(texts[0]);
}

void AtomValues::fail(const std::string& message, int64_t token) const {
    throw InputFault(message + " (sentence " + std::to_string(first_sentence_ + sentence_ + 1) + ", token " +
                     std::to_string(token - begin_ + 1) + ")");
}

// Leftmost longest match, for each list by itself: inside a phrase of a list no other phrase of the same list begins.
void AtomValues::find_phrases(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    const PhraseLexicon& phrases = *atom.phrases;
    Context& context = contexts_[index];
    const size_t length = static_cast<size_t>(end_ - begin_);
    std::vector<std::vector<uint32_t>> found(length);
    std::vector<int64_t> busy_until(phrases.list_count(), begin_);
    std::vector<int64_t> longest(phrases.list_count(), 0);
    std::vector<uint16_t> touched;
    for (int64_t start = begin_; start < end_; ++start) {
        touched.clear();
        uint64_t phrase = PhraseLexicon::start();
        for (int64_t token = start; token < end_; ++token) {
            const auto word = words_[index].of_token(static_cast<size_t>(token));
            if (word.empty()) break;
            phrase = PhraseLexicon::extend(phrase, word[0]);
            const PhraseLexicon::Entry* entry = phrases.find(phrase);
            if (!entry) break;
            if (entry->lists == 0) continue;
            for (uint16_t list : phrases.lists_of(*entry)) {
                if (busy_until[list] > start) continue;
                if (longest[list] == 0) touched.push_back(list);
                longest[list] = token + 1 - start;
            }
        }
        std::sort(touched.begin(), touched.end());
        for (uint16_t list : touched) {
            const int64_t last = start + longest[list] - 1;
            for (int64_t token = start; token <= last; ++token) {
                // B, I, L, U as interned by the constructor
                const uint32_t place = start == last ? 3 : token == start ? 0 : token == last ? 2 : 1;
                found[static_cast<size_t>(token - begin_)].push_back(atom.plain ? list : list * 4u + place);
            }
            busy_until[list] = last + 1;
            longest[list] = 0;
        }
    }
    for (const std::vector<uint32_t>& codes : found) {
        for (uint32_t code : codes) context.add(code);
        context.end_token();
    }
}

void AtomValues::collect_disjunction(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    Context& context = contexts_[index];
    // Of every token its own values once, then the windows over them.
    std::vector<uint32_t> own, ends = {0};
    std::vector<std::string> texts;
    for (int64_t token = begin_; token < end_; ++token) {
        texts.clear();
        words_[index].texts(static_cast<size_t>(token), texts);
        for (const std::string& text : texts) own.push_back(context.texts.intern(text));
        ends.push_back(static_cast<uint32_t>(own.size()));
    }
    for (int64_t token = begin_; token < end_; ++token) {
        const size_t row = context.codes.size();
        const int64_t from = std::clamp(token + atom.a, begin_, end_), to = std::clamp(token + atom.b + 1, from, end_);
        for (uint32_t i = ends[static_cast<size_t>(from - begin_)]; i < ends[static_cast<size_t>(to - begin_)]; ++i) {
            const auto first = context.codes.begin() + static_cast<std::ptrdiff_t>(row);
            if (std::find(first, context.codes.end(), own[i]) == context.codes.end()) context.add(own[i]);
        }
        context.end_token();
    }
}

void AtomValues::collect_capitals(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    Context& context = contexts_[index];
    std::string pattern;
    for (int64_t token = begin_; token < end_; ++token) {
        pattern.clear();
        for (int64_t other = token + atom.a; other <= token + atom.b; ++other) {
            if (!inside(other)) {
                pattern.push_back('_');
                continue;
            }
            const Column& column = words_[index].column();
            char& known = capitals_[index][column.ids[static_cast<size_t>(other)]];
            if (known == 0) known = capital_class(column.text(static_cast<size_t>(other)));
            pattern.push_back(known);
        }
        context.add(context.texts.intern(pattern));
        context.end_token();
    }
}

void AtomValues::collect_casing(uint32_t index) {
    Context& context = contexts_[index];
    Casing& casing = *casings_[index];
    const bool says = casing.of_sentence(begin_, end_) == Casing::mixed;
    for (int64_t token = begin_; token < end_; ++token) {
        const Casing::Form form = says ? casing.of_word(token, token == begin_) : Casing::nothing;
        if (form != Casing::nothing) context.add(form);
        context.end_token();
    }
}

void AtomValues::collect_runs(uint32_t index) {
    Context& context = contexts_[index];
    Casing& casing = *casings_[index];
    const bool says = casing.of_sentence(begin_, end_) == Casing::mixed;
    for (int64_t token = begin_; token < end_; ++token) {
        if (says && casing.is_capitalised(token)) {
            const bool before = token > begin_ && casing.is_capitalised(token - 1), after = token + 1 < end_ && casing.is_capitalised(token + 1);
            if (before || after) context.add(!before ? 0 : after ? 1 : 2);
        }
        context.end_token();
    }
}

void AtomValues::collect_headline(uint32_t index) {
    Context& context = contexts_[index];
    const Casing::Sentence sentence = casings_[index]->of_sentence(begin_, end_);
    for (int64_t token = begin_; token < end_; ++token) {
        context.add(sentence);
        context.end_token();
    }
}

void AtomValues::collect_position(uint32_t index) {
    Context& context = contexts_[index];
    for (int64_t token = begin_; token < end_; ++token) {
        if (token == begin_) context.add(0);
        if (token + 1 == end_) context.add(1);
        context.end_token();
    }
}

}  // namespace tagpool
