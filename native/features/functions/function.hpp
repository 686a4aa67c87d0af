// Functions of a word in templates, such as suffix(word, 3). The other headers of this folder implement them; table.cpp lists them.
// They are computed once per distinct string, so clarity matters more than speed.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "features/lexicon.hpp"

namespace tagpool {

// Values: collects values as texts or as hashes.
class Values {
public:
    explicit Values(std::vector<std::string>& texts) : texts_(&texts) {}
    explicit Values(std::vector<uint64_t>& hashes) : hashes_(&hashes) {}
    void add(std::string_view value) {
        if (hashes_) hashes_->push_back(hash_bytes(value));
        else texts_->emplace_back(value);
    }
    void add_if(bool condition, std::string_view value) {
        if (condition) add(value);
    }

private:
    std::vector<std::string>* texts_ = nullptr;
    std::vector<uint64_t>* hashes_ = nullptr;
};

struct Function;

// Step: a function with its arguments.
struct Step {
    const Function* function;
    int a = 0, b = 0;
    std::shared_ptr<const WordLexicon> lexicon = nullptr;
};

struct Function {
    // Number of values of a word. Other functions apply only to functions with at most one.
    enum class Count : uint8_t { one, at_most_one, several, many };  // several: about two; many: about four or more

    std::string_view name;  // in templates and model files
    void (*apply)(std::string_view text, const Step& step, Values& out);
    Count count;
    std::string_view example = "", summary = "";  // for `tagpool features`; empty: templates do not name the function
    std::string_view arguments = "none";          // "lengths": one step per length a; "range": lengths a to b; "lexicon"
    std::string_view base = "", flag = "";        // variant: the function that a flag in templates turns into this one

    bool needs_lexicon() const { return arguments == "lexicon"; }
};

std::span<const Function> word_functions();
// Throws InputFault for an unknown name.
const Function& find_function(std::string_view name);

}  // namespace tagpool
