// Substrings of words.
#pragma once
#include <algorithm>
#include <unordered_set>

#include "base/fault.hpp"
#include "features/functions/function.hpp"

namespace tagpool {

// Adds all distinct substrings with lengths from step.a (at least 1) to step.b characters.
inline void add_ngrams(std::string_view text, const Step& step, Values& out) {
    constexpr size_t kShort = 64;
    size_t short_starts[kShort + 1];
    std::vector<size_t> long_starts;
    if (text.size() > kShort) long_starts.resize(text.size() + 1);
    size_t* const starts = long_starts.empty() ? short_starts : long_starts.data();  // offsets of characters, and the end
    size_t size = 0;
    for (size_t i = 0; i < text.size(); ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts[size++] = i;
    starts[size] = text.size();
    const auto gram = [&](size_t i, size_t n) { return text.substr(starts[i], starts[i + n] - starts[i]); };
    // The prefix of a repeated substring is repeated, too. So only positions with a repeated substring are compared at the next length.
    bool repeated[kShort];
    std::fill_n(repeated, kShort, true);
    std::unordered_set<std::string_view> seen_in_long_word;
    for (size_t n = static_cast<size_t>(std::max(step.a, 1)); n <= static_cast<size_t>(step.b) && n <= size; ++n) {
        for (size_t i = 0; i + n <= size; ++i) {
            const std::string_view current = gram(i, n);
            if (size > kShort) {
                if (!seen_in_long_word.insert(current).second) continue;
            } else if (repeated[i]) {
                const auto is_equal = [&](size_t j) { return text[starts[j]] == current[0] && gram(j, n) == current; };
                size_t j = 0;
                while (j < i && !is_equal(j)) ++j;
                repeated[i] = j < i;
                if (repeated[i]) continue;
            }
            out.add(current);
        }
    }
}

inline void add_edge_ngrams(std::string_view text, const Step& step, Values& out) { add_ngrams(concat("<", text, ">"), step, out); }

}  // namespace tagpool
