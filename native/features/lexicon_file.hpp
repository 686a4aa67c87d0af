// Lexicons in model files: the arrays of each, by names that begin alike.
#pragma once
#include <string>

#include "features/lexicon.hpp"
#include "base/tensors.hpp"

namespace tagpool {

// Equal lexicons are equal bytes, however they came about. In a model's file `name` is such as "program.words.0".
void write_lexicon(const WordLexicon& lexicon, const std::string& name, Tensors& to);
void write_lexicon(const PhraseLexicon& lexicon, const std::string& name, Tensors& to);
void write_lexicon(const VectorLexicon& lexicon, const std::string& name, Tensors& to);

}  // namespace tagpool
