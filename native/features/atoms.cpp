#include "features/atoms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/fault.hpp"
#include "base/parse_number.hpp"
#include "text/unicode.hpp"

namespace tagpool {
namespace {

constexpr int kMaxDistance = 64;  // the parser allows only smaller offsets
const uint64_t kHashOfOne = hash_bytes("1");
const float kNoVector = 0;   // its address marks a vector that is not computed yet
const uint32_t kNoCode = 0;  // its address marks codes that are not computed yet
constexpr size_t kPatterns = 256;
const Column kNoColumn{};
const WordFunction kIdentity{};

std::string boundary_text(bool before, int64_t distance) { return concat(before ? "_B-" : "_B+", distance); }

// Hashes of _B-1, _B-2, ... or _B+1, _B+2, ...
std::array<uint64_t, kMaxDistance> boundary_hashes(bool before) {
    std::array<uint64_t, kMaxDistance> out;
    for (int distance = 1; distance <= kMaxDistance; ++distance) out[static_cast<size_t>(distance - 1)] = hash_bytes(boundary_text(before, distance));
    return out;
}

// The atom inside an elsewhere atom, evaluated by a program of its own.
class InnerAtom : public Elsewhere::Source {
public:
    InnerAtom(const Atom& atom, bool boundary, const Columns& columns) : program_{{atom}, {}, boundary}, values_(program_, columns) {}

    void enter(uint32_t sentence) override { values_.enter(sentence); }
    std::span<const uint64_t> hashes(int64_t token) override { return values_.hashes(0, token); }
    void texts(int64_t token, std::vector<std::string>& out) override { values_.texts(0, token, out); }

private:
    const Program program_;
    AtomValues values_;
};

}  // namespace

AtomValues::AtomValues(const Program& program, const Columns& columns, uint32_t first_sentence, const WordTables* shared)
    : program_(program), columns_(columns), sentence_values_(program.atoms.size()), vectors_(program.atoms.size()), capitals_(program.atoms.size()),
      patterns_(program.atoms.size()), word_codes_(program.atoms.size()), casings_(program.atoms.size()), elsewhere_(program.atoms.size()),
      first_sentence_(first_sentence) {
    words_.reserve(program.atoms.size());
    for (size_t i = 0; i < program.atoms.size(); ++i) {
        const Atom& atom = program.atoms[i];
        const Column& column = atom.kind == AtomKind::position || atom.kind == AtomKind::bias ? kNoColumn : columns.at(atom.column);
        words_.emplace_back(column, atom.kind == AtomKind::number ? kIdentity : atom.function, shared ? shared->find(i) : nullptr);
        prepare(i, column, columns);
    }
}

void AtomValues::prepare(size_t index, const Column& column, const Columns& columns) {
    const Atom& atom = program_.atoms[index];
    StringTable& texts = sentence_values_[index].texts;
    const auto intern_all = [&texts](const auto& names) {
        for (const std::string_view name : names) texts.intern(name);
    };
    if (atom.kind == AtomKind::gazetteer) {
        for (size_t list = 0; list < atom.phrases->list_count(); ++list) {
            const std::string& name = atom.phrases->list_name(static_cast<uint16_t>(list));
            if (atom.plain) texts.intern(name);
            else
                for (const char* position : {"/B", "/I", "/L", "/U"}) texts.intern(name + position);
        }
    } else if (atom.kind == AtomKind::position) {
        intern_all(std::array{"first", "last"});
    } else if (atom.kind == AtomKind::capitals) {
        capitals_[index].assign(column.strings->size(), 0);
        patterns_[index].assign(kPatterns, {});
    } else if (atom.kind == AtomKind::casing || atom.kind == AtomKind::run || atom.kind == AtomKind::headline) {
        casings_[index] = std::make_unique<Casing>(column);
        if (atom.kind == AtomKind::casing) intern_all(Casing::kFormNames);
        if (atom.kind == AtomKind::run) intern_all(std::array{"first", "inner", "last"});
        if (atom.kind == AtomKind::headline) intern_all(Casing::kSentenceNames);
    } else if (atom.kind == AtomKind::elsewhere) {
        SameWords& same_words = same_words_.try_emplace(&column, columns, column).first->second;
        elsewhere_[index] = std::make_unique<Elsewhere>(atom, std::make_unique<InnerAtom>(*atom.inner, program_.boundary, columns), same_words);
    } else if (atom.kind == AtomKind::embedding) {
        vectors_[index].assign(column.strings->size(), &kNoVector);
        while (dimensions_.size() < atom.vectors->width()) dimensions_.push_back(hash_bytes(std::to_string(dimensions_.size())));
    }
}

void AtomValues::enter(uint32_t sentence) {
    sentence_ = sentence;
    begin_ = columns_.sentences[sentence];
    end_ = columns_.sentences[sentence + 1];
    for (auto& [column, same_words] : same_words_) same_words.enter(sentence);
    for (uint32_t i = 0; i < program_.atoms.size(); ++i) {
        const AtomKind kind = program_.atoms[i].kind;
        if (kind == AtomKind::word || kind == AtomKind::number || kind == AtomKind::bias || kind == AtomKind::embedding) continue;
        sentence_values_[i].clear();
    }
}

const uint64_t* AtomValues::boundary_hash(int64_t token) const {
    static const auto before = boundary_hashes(true), after = boundary_hashes(false);
    return token < begin_ ? &before[static_cast<size_t>(begin_ - token - 1)] : &after[static_cast<size_t>(token - end_)];
}

std::span<const uint64_t> AtomValues::hashes(uint32_t index, int64_t token) {
    const Atom& atom = program_.atoms[index];
    if (!inside(token)) {
        if (!atom.total || !program_.boundary) return {};
        return {boundary_hash(token), 1};
    }
    switch (atom.kind) {
        case AtomKind::word: return words_[index].token_hashes(static_cast<size_t>(token));
        case AtomKind::number:
        case AtomKind::bias: return {&kHashOfOne, 1};
        case AtomKind::embedding: return {dimensions_.data(), vector(index, token) ? atom.vectors->width() : 0};
        case AtomKind::elsewhere: return elsewhere_[index]->hashes(token);
        default: break;
    }
    const SentenceValues& values = sentence_values(index);
    const size_t row = static_cast<size_t>(token - begin_);
    return {values.hashes.data() + values.starts[row], values.starts[row + 1] - values.starts[row]};
}

// Calls add_values(token) for each token of the sentence.
template <class AddValues>
void AtomValues::fill_tokens(uint32_t index, AddValues&& add_values) {
    for (int64_t token = begin_; token < end_; ++token) {
        add_values(token);
        sentence_values_[index].end_token();
    }
}

const AtomValues::SentenceValues& AtomValues::sentence_values(uint32_t index) {
    SentenceValues& values = sentence_values_[index];
    if (values.filled) return values;
    values.filled = true;
    switch (program_.atoms[index].kind) {
        case AtomKind::gazetteer: fill_phrases(index); break;
        case AtomKind::disjunction: fill_disjunction(index); break;
        case AtomKind::capitals: fill_capitals(index); break;
        case AtomKind::casing:
        case AtomKind::run:
        case AtomKind::headline: fill_casing(index); break;
        default:
            fill_tokens(index, [&](int64_t token) {
                if (token == begin_) values.add(0);
                if (token + 1 == end_) values.add(1);
            });
    }
    return values;
}

void AtomValues::texts(uint32_t index, int64_t token, std::vector<std::string>& out) {
    const Atom& atom = program_.atoms[index];
    out.clear();
    if (inside(token) && atom.kind == AtomKind::word) return words_[index].texts(static_cast<size_t>(token), out);
    if (hashes(index, token).empty()) return;
    if (!inside(token)) {
        out.push_back(boundary_text(token < begin_, token < begin_ ? begin_ - token : token - end_ + 1));
    } else if (atom.kind == AtomKind::number || atom.kind == AtomKind::bias) {
        out.emplace_back("1");
    } else if (atom.kind == AtomKind::elsewhere) {
        elsewhere_[index]->texts(token, out);
    } else if (atom.kind == AtomKind::embedding) {
        for (uint32_t dimension = 0; dimension < atom.vectors->width(); ++dimension) out.push_back(std::to_string(dimension));
    } else {
        const SentenceValues& values = sentence_values(index);
        const size_t row = static_cast<size_t>(token - begin_);
        for (uint32_t i = values.starts[row]; i < values.starts[row + 1]; ++i) out.emplace_back(values.texts[values.codes[i]]);
    }
}

double AtomValues::number(uint32_t index, int64_t token) {
    const std::string_view text = words_[index].column().text(static_cast<size_t>(token));
    double value = 0;
    const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';  // parse_number does not accept a plus sign
    const size_t length = parse_number(text.substr(plus), value);
    if (length == 0 || plus + length != text.size() || !std::isfinite(static_cast<float>(value)))
        fail(concat("column \"", program_.atoms[index].column, "\": expected a number, got \"", take_characters(text, 40), "\""), token);
    return value;
}

const float* AtomValues::vector(uint32_t index, int64_t token) {
    const float*& vector = vectors_[index][words_[index].column().ids[static_cast<size_t>(token)]];
    if (vector != &kNoVector) return vector;
    std::vector<std::string> texts;
    words_[index].texts(static_cast<size_t>(token), texts);
    return vector = texts.empty() ? nullptr : program_.atoms[index].vectors->vector(texts[0]);
}

void AtomValues::fail(const std::string& message, int64_t token) const {
    throw InputFault(concat(message, " (sentence ", first_sentence_ + sentence_ + 1, ", token ", token - begin_ + 1, ")"));
}

// Leftmost longest match, separately for each list: no phrase begins inside another phrase of the same list.
void AtomValues::fill_phrases(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    const PhraseLexicon& phrases = *atom.phrases;
    std::vector<std::vector<uint32_t>> codes(static_cast<size_t>(end_ - begin_));  // by token
    std::vector<int64_t> busy_until(phrases.list_count(), begin_);                 // end of the last match of each list
    std::vector<int64_t> longest(phrases.list_count(), 0);                         // length of the match at `start`
    std::vector<uint16_t> matched_lists;
    for (int64_t start = begin_; start < end_; ++start) {
        matched_lists.clear();
        uint64_t phrase = PhraseLexicon::start();
        for (int64_t token = start; token < end_; ++token) {
            const auto word = words_[index].token_hashes(static_cast<size_t>(token));
            if (word.empty()) break;
            phrase = PhraseLexicon::extend(phrase, word[0]);
            const std::vector<uint16_t>* const lists = phrases.find(phrase);
            if (!lists) break;
            for (const uint16_t list : *lists) {
                if (busy_until[list] > start) continue;
                if (longest[list] == 0) matched_lists.push_back(list);
                longest[list] = token + 1 - start;
            }
        }
        std::sort(matched_lists.begin(), matched_lists.end());
        for (const uint16_t list : matched_lists) {
            const int64_t last = start + longest[list] - 1;
            for (int64_t token = start; token <= last; ++token) {
                const uint32_t position = start == last ? 3 : token == start ? 0 : token == last ? 2 : 1;  // B, I, L, U as in prepare()
                codes[static_cast<size_t>(token - begin_)].push_back(atom.plain ? list : list * 4u + position);
            }
            busy_until[list] = last + 1;
            longest[list] = 0;
        }
    }
    fill_tokens(index, [&](int64_t token) {
        for (const uint32_t code : codes[static_cast<size_t>(token - begin_)]) sentence_values_[index].add(code);
    });
}

std::span<const uint32_t> AtomValues::word_codes(uint32_t index, int64_t token) {
    const Column& column = words_[index].column();
    std::vector<std::span<const uint32_t>>& known = word_codes_[index];
    if (known.empty()) known.assign(column.strings->size(), {&kNoCode, 0});
    std::span<const uint32_t>& codes = known[column.ids[static_cast<size_t>(token)]];
    if (codes.data() != &kNoCode) return codes;
    std::vector<std::string> texts;
    words_[index].texts(static_cast<size_t>(token), texts);
    std::vector<uint32_t> interned;
    for (const std::string& text : texts) interned.push_back(sentence_values_[index].texts.intern(text));
    return codes = code_arena_.store(interned.data(), interned.size());
}

// The distinct values of every window.
void AtomValues::fill_disjunction(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    SentenceValues& values = sentence_values_[index];
    fill_tokens(index, [&](int64_t token) {
        const auto row = static_cast<std::ptrdiff_t>(values.codes.size());
        const int64_t from = std::clamp(token + atom.first_offset, begin_, end_), to = std::clamp(token + atom.last_offset + 1, from, end_);
        for (int64_t other = from; other < to; ++other)
            for (const uint32_t code : word_codes(index, other))
                if (std::find(values.codes.begin() + row, values.codes.end(), code) == values.codes.end()) values.add(code);
    });
}

void AtomValues::fill_capitals(uint32_t index) {
    const Atom& atom = program_.atoms[index];
    SentenceValues& values = sentence_values_[index];
    const Column& column = words_[index].column();
    std::vector<PatternCode>& known = patterns_[index];
    const bool packs = static_cast<size_t>(atom.last_offset - atom.first_offset) < sizeof(uint64_t);
    std::string pattern;
    fill_tokens(index, [&](int64_t token) {
        pattern.clear();
        uint64_t packed = 0;
        for (int64_t other = token + atom.first_offset; other <= token + atom.last_offset; ++other) {
            char letter = '_';
            if (inside(other)) {
                char& of_word = capitals_[index][column.ids[static_cast<size_t>(other)]];
                if (of_word == 0) of_word = capital_class(column.text(static_cast<size_t>(other)));
                letter = of_word;
            }
            pattern.push_back(letter);
            packed = packed << 8 | static_cast<uint8_t>(letter);
        }
        if (!packs) return values.add(values.texts.intern(pattern));
        PatternCode& entry = known[combine(packed, 0) % known.size()];
        if (entry.packed != packed) entry = {packed, values.texts.intern(pattern)};
        values.add(entry.code);
    });
}

// Atoms that depend on the case of the sentence. Outside mixed sentences the case of a word is not informative.
void AtomValues::fill_casing(uint32_t index) {
    const AtomKind kind = program_.atoms[index].kind;
    SentenceValues& values = sentence_values_[index];
    Casing& casing = *casings_[index];
    const Casing::Sentence sentence = casing.of_sentence(begin_, end_);
    fill_tokens(index, [&](int64_t token) {
        if (kind == AtomKind::headline) {
            values.add(sentence);
        } else if (sentence == Casing::mixed && kind == AtomKind::casing) {
            const Casing::Form form = casing.of_word(token, token == begin_);
            if (form != Casing::unknown) values.add(form);
        } else if (sentence == Casing::mixed && casing.is_capitalized(token)) {
            const bool before = token > begin_ && casing.is_capitalized(token - 1), after = token + 1 < end_ && casing.is_capitalized(token + 1);
            if (before || after) values.add(!before ? 0 : after ? 1 : 2);
        }
    });
}

}  // namespace tagpool
