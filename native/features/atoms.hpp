// AtomValues: the values of a program's atoms at the tokens of one corpus. The scratch of one encoding pass: word functions are
// computed once per distinct string when first asked for, atoms that look at the sentence once per sentence.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "features/casing.hpp"
#include "text/columns.hpp"
#include "features/elsewhere.hpp"
#include "features/program.hpp"
#include "features/same_words.hpp"

namespace tagpool {

// The values of word functions for all distinct strings of a corpus, found by several threads for passes that share them: what each pass found by
// itself would be found as often as there are passes.
class WordTables {
public:
    WordTables(const Program& program, const Columns& columns, unsigned threads);

    struct Table {
        std::vector<std::span<const uint64_t>> known;  // by string id
        std::vector<uint64_t> single;                  // the same for a function with exactly one value for every string
    };
    // Null for atoms that have none.
    const Table* of(size_t atom) const { return tables_[atom].known.empty() ? nullptr : &tables_[atom]; }

private:
    std::vector<Table> tables_;
    std::vector<Arena<uint64_t>> arenas_;
};

// A word function over one column's distinct strings.
class WordValues {
public:
    // With values that are there already, or without.
    WordValues(const Column& column, const WordFunction& function, const WordTables::Table* shared);

    std::span<const uint64_t> of_string(uint32_t id);
    // For a function with exactly one value for every string: all of them, by string.
    const uint64_t* single_hashes();
    std::span<const uint64_t> of_token(size_t token) { return of_string(column_.ids[token]); }
    void texts(size_t token, std::vector<std::string>& out) const { function_.values(column_.text(token), Values(out)); }
    const Column& column() const { return column_; }

private:
    const Column& column_;
    const WordFunction& function_;
    const WordTables::Table* shared_;
    std::vector<std::span<const uint64_t>> known_;  // by string id; kUnset.data() marks what is not computed yet
    Arena<uint64_t> arena_;
    std::vector<uint64_t> hashes_, single_;
};

class AtomValues {
public:
    // Throws InputFault when a column is missing.
    // `first_sentence` is what messages call the first one (from 0), for a corpus cut out of a larger one.
    // `shared` has the values of word functions, if somebody has found them.
    AtomValues(const Program& program, const Columns& columns, uint32_t first_sentence = 0, const WordTables* shared = nullptr);

    // Tokens are asked for inside (or, for boundary values, around) this sentence until the next call.
    void enter(uint32_t sentence);
    int64_t begin() const { return begin_; }
    int64_t end() const { return end_; }

    // The hashes of the values at a token, counted over the corpus; it may lie outside the sentence.
    std::span<const uint64_t> hashes(uint32_t atom, int64_t token);
    // The same values as text, in the same order, in place of what `out` held.
    void texts(uint32_t atom, int64_t token, std::vector<std::string>& out);
    // The value of a number atom; throws InputFault where the text is no finite number.
    double number(uint32_t atom, int64_t token);
    // The vector of an embedding atom at a token inside the sentence; null if the word has none.
    const float* vector(uint32_t atom, int64_t token);
    // Throws InputFault that names the token.
    [[noreturn]] void fail(const std::string& message, int64_t token) const;

    WordValues& words(uint32_t atom) { return words_[atom]; }
    bool inside(int64_t token) const { return token >= begin_ && token < end_; }

private:
    // An atom that looks at the whole sentence: for each of its tokens, codes of distinct texts.
    struct Context {
        bool in_use = false;
        StringTable texts;
        std::vector<uint32_t> starts;
        std::vector<uint32_t> codes;
        std::vector<uint64_t> hashes;
        void add(uint32_t code) {
            codes.push_back(code);
            hashes.push_back(texts.hash(code));
        }
        void end_token() { starts.push_back(static_cast<uint32_t>(codes.size())); }
    };
    void find_phrases(uint32_t atom);
    void collect_disjunction(uint32_t atom);
    void collect_capitals(uint32_t atom);
    void collect_casing(uint32_t atom);
    void collect_runs(uint32_t atom);
    void collect_headline(uint32_t atom);
    void collect_position(uint32_t atom);

    const Program& program_;
    const Columns& columns_;
    std::vector<WordValues> words_;             // by atom
    std::vector<Context> contexts_;             // by atom
    std::vector<std::vector<const float*>> vectors_;  // by atom: the vector of each string, kUnasked = not looked up yet
    std::vector<uint64_t> dimensions_;          // hashes of "0", "1", ..., for the widest embedding
    std::vector<std::vector<char>> capitals_;   // by atom: the capital class of each string, 0 = not computed yet
    std::vector<std::unique_ptr<Casing>> casings_;       // by atom
    std::map<const Column*, SameWords> same_;
    std::vector<std::unique_ptr<Elsewhere>> elsewhere_;  // by atom
    std::vector<uint64_t> before_, after_;      // hashes of _B-1, _B-2, ... and _B+1, ...
    int64_t begin_ = 0, end_ = 0;
    uint32_t sentence_ = 0;
    uint32_t first_sentence_;
    static const uint64_t kOne;                 // the hash of "1"
    static const float kUnasked;
};

}  // namespace tagpool
