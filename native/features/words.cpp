#include "features/words.hpp"

#include "features/functions/decoded_word.hpp"

namespace tagpool {

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
