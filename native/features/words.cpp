#include "features/words.hpp"

#include "base/fault.hpp"
#include "features/functions/decoded_word.hpp"

namespace tagpool {
namespace {

void check_step(const Step& step, bool is_last) {
    const Function& function = *step.function;
    const auto fail = [&](const std::string& problem) { throw InputFault(concat("function \"", function.name, "\" ", problem)); };
    if (!is_last && function.count > Function::Count::at_most_one) fail("has several values; no other function applies to it");
    if (step.a < 0 || step.b < 0 || step.a > WordFunction::kMaxLength || step.b > WordFunction::kMaxLength)
        fail(concat("has a length outside 0 to ", WordFunction::kMaxLength, ": ", step.a, "..", step.b));
    if (function.arguments == "lengths" && step.a < 1) fail("needs a length from 1 on");
    if (function.arguments == "range" && (step.a < 1 || step.b < step.a)) fail(concat("has the empty range ", step.a, "..", step.b));
    if (function.needs_lexicon() != static_cast<bool>(step.lexicon)) fail(step.lexicon ? "has no lexicon" : "needs a lexicon");
}

}  // namespace

WordFunction::WordFunction(std::vector<Step> steps) : steps_(std::move(steps)) {
    if (steps_.size() > kMaxSteps) throw InputFault(concat("functions are nested more than ", kMaxSteps, " deep"));
    for (const Step& step : steps_) check_step(step, &step == &steps_.back());
}

void WordFunction::values(std::string_view text, Values out) const {
    if (steps_.empty()) return out.add(text);
    std::vector<std::string> values;
    for (size_t i = 0; i + 1 < steps_.size(); ++i) {
        std::vector<std::string> next;
        Values collected(next);
        steps_[i].function->apply(text, steps_[i], collected);
        if (next.empty()) return;
        values = std::move(next);
        text = values[0];
    }
    steps_.back().function->apply(text, steps_.back(), out);
}

char capital_class(std::string_view text) {
    const DecodedWord word(text);
    const size_t upper = word.count(kUpper), letters = word.count(kLetter);
    if (upper >= 2 && upper == letters) return 'A';
    if (upper > 0) return word.is(0, kUpper) ? 'C' : 'M';
    if (letters > 0) return 'l';
    return word.count(kDigit) > 0 ? 'd' : '.';
}

}  // namespace tagpool
