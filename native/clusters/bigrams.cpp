#include "clusters/bigrams.hpp"

#include <algorithm>
#include <numeric>

#include "base/fault.hpp"

namespace tagpool {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n'); }

// Sorts and counts the followers of each word, which are followers[starts[w]..starts[w + 1]].
Neighbours count_followers(const std::vector<uint64_t>& starts, std::vector<uint32_t>& followers) {
    Neighbours out;
    out.starts.push_back(0);
    for (size_t word = 0; word + 1 < starts.size(); ++word) {
        const auto begin = followers.begin() + static_cast<std::ptrdiff_t>(starts[word]);
        const auto end = followers.begin() + static_cast<std::ptrdiff_t>(starts[word + 1]);
        std::sort(begin, end);
        for (auto run = begin; run != end;) {
            const auto next = std::upper_bound(run, end, *run);
            out.words.push_back(*run);
            out.counts.push_back(static_cast<uint32_t>(next - run));
            run = next;
        }
        out.starts.push_back(out.words.size());
    }
    return out;
}

Neighbours transpose(const Neighbours& from) {
    const size_t words = from.starts.size() - 1;
    Neighbours out{std::vector<uint64_t>(words + 1), std::vector<uint32_t>(from.words.size()), std::vector<uint32_t>(from.words.size())};
    for (const uint32_t word : from.words) ++out.starts[word + 1];
    std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
    std::vector<uint64_t> next(out.starts.begin(), out.starts.end() - 1);
    for (uint32_t word = 0; word < words; ++word)
        for (uint64_t i = from.starts[word]; i < from.starts[word + 1]; ++i) {
            const uint64_t entry = next[from.words[i]]++;
            out.words[entry] = word;
            out.counts[entry] = from.counts[i];
        }
    return out;
}

}  // namespace

void SentenceText::add_word(std::string_view word) {
    const uint32_t token = tokens_.intern(word);
    if (token == word_of_.size()) {
        const std::vector<std::string> values = function_.texts(word);
        word_of_.push_back(values.empty() ? kEnd : words_.intern(values.front()));
    }
    text_.push_back(word_of_[token]);
    ++token_count_;
}

void SentenceText::end_sentence() { text_.push_back(kEnd); }

void SentenceText::add_text(std::string_view text) {
    for (size_t i = 0; i < text.size();) {
        if (text[i] == '\n') {
            end_sentence();
            ++i;
        } else if (is_blank(text[i])) {
            ++i;
        } else {
            const size_t begin = i;
            while (i < text.size() && text[i] != '\n' && !is_blank(text[i])) ++i;
            add_word(text.substr(begin, i - begin));
        }
    }
    end_sentence();
}

Bigrams SentenceText::bigrams(uint64_t minimum) const {
    if (token_count_ >= UINT32_MAX) throw InputFault("the text has more than 4,294,967,294 tokens; use a part of it");
    std::vector<uint64_t> counts(words_.size());
    for (const uint32_t name : text_)
        if (name != kEnd) ++counts[name];
    Bigrams out;
    for (uint32_t name = 0; name < words_.size(); ++name)
        if (counts[name] >= minimum) out.names.push_back(name);
    std::sort(out.names.begin(), out.names.end(),
              [&](uint32_t a, uint32_t b) { return counts[a] != counts[b] ? counts[a] > counts[b] : words_[a] < words_[b]; });
    std::vector<uint32_t> number_of(words_.size(), kEnd);
    for (uint32_t number = 0; number < out.names.size(); ++number) {
        number_of[out.names[number]] = number;
        out.counts.push_back(counts[out.names[number]]);
    }
    const auto for_each_bigram = [&](auto&& visit) {
        uint32_t before = kEnd;
        for (const uint32_t name : text_) {
            const uint32_t word = name == kEnd ? kEnd : number_of[name];
            if (before != kEnd && word != kEnd) visit(before, word);
            before = word;
        }
    };
    std::vector<uint64_t> starts(out.size() + 1);
    for_each_bigram([&](uint32_t before, uint32_t) { ++starts[before + 1]; });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<uint32_t> followers(starts.back());
    std::vector<uint64_t> next(starts.begin(), starts.end() - 1);
    for_each_bigram([&](uint32_t before, uint32_t word) { followers[next[before]++] = word; });
    out.after = count_followers(starts, followers);
    out.before = transpose(out.after);
    return out;
}

}  // namespace tagpool
