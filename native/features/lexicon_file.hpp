// Lexicons in model files.
#pragma once
#include <memory>
#include <string>

#include "base/tensors.hpp"
#include "features/lexicon.hpp"

namespace tagpool {

// `name` is the prefix of the array names, such as "program.words.0". Equal lexicons give equal bytes.
void write_lexicon(const WordLexicon& lexicon, const std::string& name, Tensors& to);
void write_lexicon(const PhraseLexicon& lexicon, const std::string& name, Tensors& to);
void write_lexicon(const VectorLexicon& lexicon, const std::string& name, Tensors& to);

// Throw InputFault for a damaged lexicon.
std::shared_ptr<const WordLexicon> read_word_lexicon(const Tensors& from, const std::string& name);
std::shared_ptr<const PhraseLexicon> read_phrase_lexicon(const Tensors& from, const std::string& name);
std::shared_ptr<const VectorLexicon> read_vector_lexicon(const Tensors& from, const std::string& name);

}  // namespace tagpool
