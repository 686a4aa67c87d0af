// Word functions of templates.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/functions/function.hpp"

namespace tagpool {

// WordFunction: a chain of steps, the innermost first. All but the last return at most one value. Empty: the identity.
class WordFunction {
public:
    static constexpr int kMaxLength = 512;   // of affixes, n-grams and parts of cluster names, in characters
    static constexpr size_t kMaxSteps = 32;  // functions inside functions

    WordFunction() = default;
    // Throws InputFault for steps that do not fit, or exceed the limits.
    explicit WordFunction(std::vector<Step> steps);

    void values(std::string_view text, Values out) const;
    std::vector<std::string> texts(std::string_view text) const {
        std::vector<std::string> texts;
        values(text, Values(texts));
        return texts;
    }
    bool is_identity() const { return steps_.empty(); }
    const std::vector<Step>& steps() const { return steps_; }

private:
    std::vector<Step> steps_;
};

// The letter of a word in a capitals pattern: A all capitals, C capital first, M capital inside, l lower case,
// d digits without letters, . other.
char capital_class(std::string_view text);

}  // namespace tagpool
