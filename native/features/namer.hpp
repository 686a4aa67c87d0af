// FeatureNamer: writes the names of features from their origins.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "features/atoms.hpp"
#include "features/origin.hpp"

namespace tagpool {

// Escapes "|" inside values if it separates the values of a conjunction, so that names are unambiguous.
inline void append_value(std::string& name, const std::string& text, bool escape) {
    for (char c : text) {
        if (escape && (c == '|' || c == '\\')) name.push_back('\\');
        name.push_back(c);
    }
}

class FeatureNamer {
public:
    FeatureNamer(const Program& program, const Columns& columns) : program_(program), sentences_(columns.sentences), values_(program, columns) {
        std::map<std::string_view, bool> is_conjunction;
        for (const Template& source : program.templates) is_conjunction[source.key] |= source.terms.size() > 1;
        for (const Template& source : program.templates) escapes_.push_back(is_conjunction[source.key]);
    }

    // Fastest for origins sorted by token, then template: the values are computed once for source.
    std::string name(const Origin& origin) {
        const auto after = std::upper_bound(sentences_.begin(), sentences_.end(), origin.token);
        const auto sentence = static_cast<uint32_t>(after - sentences_.begin() - 1);
        if (sentence != sentence_) values_.enter(sentence_ = sentence);
        const Template& source = program_.templates[origin.template_number];
        if (origin.token != token_ || &source != template_) {
            texts_.resize(source.terms.size());
            for (size_t i = 0; i < texts_.size(); ++i) values_.texts(source.terms[i].atom, int64_t{origin.token} + source.terms[i].offset, texts_[i]);
            token_ = origin.token;
            template_ = &source;
        }
        indices_.resize(texts_.size());
        uint32_t rest = origin.ordinal;
        for (size_t i = texts_.size(); i-- > 0;) {
            indices_[i] = rest % texts_[i].size();
            rest /= static_cast<uint32_t>(texts_[i].size());
        }
        std::string name = source.key + "=";
        for (size_t i = 0; i < texts_.size(); ++i) {
            if (i > 0) name.push_back('|');
            append_value(name, texts_[i][indices_[i]], escapes_[origin.template_number]);
        }
        return name;
    }

private:
    const Program& program_;
    const std::vector<uint32_t>& sentences_;
    AtomValues values_;
    std::vector<bool> escapes_;  // a [templates] array: true if a conjunction has the same key
    uint32_t sentence_ = UINT32_MAX, token_ = Origin::kNowhere;
    const Template* template_ = nullptr;
    std::vector<std::vector<std::string>> texts_;  // the values of each term of template_ at token_
    std::vector<size_t> indices_;                  // the value of each term in the combination
};

}  // namespace tagpool
