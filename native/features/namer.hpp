// Namer: the names of features, written from where they were met.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "features/atoms.hpp"
#include "features/encode.hpp"

namespace tagpool {

// In a conjunction "|" separates the values, so that it is escaped inside them (and inside those of a single term that shares
// the conjunction's name): a name says exactly which feature it is.
inline void append_value(std::string& name, const std::string& text, bool escape) {
    for (char c : text) {
        if (escape && (c == '|' || c == '\\')) name.push_back('\\');
        name.push_back(c);
    }
}

class Namer {
public:
    Namer(const Program& program, const Columns& columns)
        : program_(program), sentences_(columns.sentences), values_(program, columns) {
        std::map<std::string_view, bool> joined;
        for (const Template& each : program.templates) joined[each.key] |= each.terms.size() > 1;
        for (const Template& each : program.templates) escapes_.push_back(joined[each.key]);
    }

    // Cheapest for tokens in order, a token's templates in order: what belongs together is computed once.
    std::string name(const Origin& origin) {
        const auto after = std::upper_bound(sentences_.begin(), sentences_.end(), origin.token);
        const auto sentence = static_cast<uint32_t>(after - sentences_.begin() - 1);
        if (sentence != sentence_) values_.enter(sentence_ = sentence);
        const Template& each = program_.templates[origin.template_number];
        if (origin.token != token_ || &each != template_) {
            texts_.resize(each.terms.size());
            for (size_t i = 0; i < texts_.size(); ++i)
                values_.texts(each.terms[i].atom, int64_t{origin.token} + each.terms[i].offset, texts_[i]);
            token_ = origin.token;
            template_ = &each;
        }
        chosen_.resize(texts_.size());
        uint32_t rest = origin.ordinal;
        for (size_t i = texts_.size(); i-- > 0;) {
            chosen_[i] = rest % texts_[i].size();
            rest /= static_cast<uint32_t>(texts_[i].size());
        }
        std::string name = each.key + "=";
        for (size_t i = 0; i < texts_.size(); ++i) {
            if (i > 0) name.push_back('|');
            append_value(name, texts_[i][chosen_[i]], escapes_[origin.template_number]);
        }
        return name;
    }

private:
    const Program& program_;
    const std::vector<uint32_t>& sentences_;
    AtomValues values_;
    std::vector<bool> escapes_;  // by template: whether its name is that of a conjunction
    uint32_t sentence_ = UINT32_MAX, token_ = Origin::kNowhere;
    const Template* template_ = nullptr;
    std::vector<std::vector<std::string>> texts_;  // by term
    std::vector<size_t> chosen_;
};

}  // namespace tagpool
