// AtomValues: the values of a program's atoms at the tokens of a corpus, computed lazily: word functions once per distinct string,
// atoms that depend on the sentence once per sentence, atoms that depend on the document once per document.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "features/casing.hpp"
#include "features/elsewhere.hpp"
#include "features/program.hpp"
#include "features/same_words.hpp"
#include "features/word_values.hpp"
#include "text/columns.hpp"

namespace tagpool {

class AtomValues {
public:
    // Throws InputFault if a column is missing. `first_sentence` is the number of the first sentence in messages (from 0), for a part
    // of a larger corpus. `shared` contains values of word functions, or is null.
    AtomValues(const Program& program, const Columns& columns, uint32_t first_sentence = 0, const WordTables* shared = nullptr);

    // Moves to a sentence. Tokens below are inside it or, for boundary values, around it.
    void enter(uint32_t sentence);
    int64_t begin() const { return begin_; }
    int64_t end() const { return end_; }
    bool inside(int64_t token) const { return token >= begin_ && token < end_; }

    // The hashes of an atom's values at a token of the corpus.
    std::span<const uint64_t> hashes(uint32_t atom, int64_t token);
    // Replaces `out` by the same values as text.
    void texts(uint32_t atom, int64_t token, std::vector<std::string>& out);
    // The value of a number atom; throws InputFault if the text is not a finite number.
    double number(uint32_t atom, int64_t token);
    // The vector of an embedding atom at a token inside the sentence; null for an unknown word.
    const float* vector(uint32_t atom, int64_t token);
    // Throws InputFault with the position of the token.
    [[noreturn]] void fail(const std::string& message, int64_t token) const;

    WordValues& words(uint32_t atom) { return words_[atom]; }

private:
    // The values of an atom in the current sentence, as codes of distinct texts in compressed rows.
    struct SentenceValues {
        bool filled = false;
        StringTable texts;
        std::vector<uint32_t> starts;  // a [T + 1] array: token t has entries starts[t]..starts[t + 1]
        std::vector<uint32_t> codes;   // an [entries] array of ids in `texts`
        std::vector<uint64_t> hashes;  // an [entries] array
        void add(uint32_t code) {
            codes.push_back(code);
            hashes.push_back(texts.hash(code));
        }
        void end_token() { starts.push_back(static_cast<uint32_t>(codes.size())); }
        void clear() {
            starts.assign(1, 0);
            codes.clear();
            hashes.clear();
            filled = false;
        }
    };
    // Code of a capitals pattern whose letters are packed into a number; 0: no entry.
    struct PatternCode {
        uint64_t packed = 0;
        uint32_t code = 0;
    };
    // Prepares the data of an atom by its kind.
    void prepare(size_t atom, const Column& column, const Columns& columns);
    const uint64_t* boundary_hash(int64_t token) const;
    const SentenceValues& sentence_values(uint32_t atom);
    // Codes of the values of a word.
    std::span<const uint32_t> word_codes(uint32_t atom, int64_t token);
    void fill_phrases(uint32_t atom);
    void fill_disjunction(uint32_t atom);
    void fill_capitals(uint32_t atom);
    void fill_casing(uint32_t atom);
    template <class AddValues>
    void fill_tokens(uint32_t atom, AddValues&& add_values);

    const Program& program_;
    const Columns& columns_;
    // [atoms] arrays; an entry is used or empty according to the atom's kind
    std::vector<WordValues> words_;
    std::vector<SentenceValues> sentence_values_;
    std::vector<std::vector<const float*>> vectors_;                  // a [strings] array each; &kNoVector marks missing entries
    std::vector<std::vector<char>> capitals_;                         // [strings] arrays of capital classes; 0: not computed
    std::vector<std::vector<PatternCode>> patterns_;                  // a cache each
    std::vector<std::vector<std::span<const uint32_t>>> word_codes_;  // [strings] arrays; &kNoCode marks missing entries
    std::vector<std::unique_ptr<Casing>> casings_;
    std::vector<std::unique_ptr<Elsewhere>> elsewhere_;

    Arena<uint32_t> code_arena_;
    std::map<const Column*, SameWords> same_words_;
    std::vector<uint64_t> dimensions_;  // hashes of "0", "1", ..., for the widest embedding
    int64_t begin_ = 0, end_ = 0;       // tokens of the current sentence
    uint32_t sentence_ = 0;
    uint32_t first_sentence_;
};

}  // namespace tagpool
