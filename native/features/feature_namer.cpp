#include "features/feature_namer.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace tagpool {
namespace {

// Escapes "|" inside values if it separates the values of a conjunction, so that names are unambiguous.
void append_value(std::string& name, const std::string& text, bool escape) {
    for (char c : text) {
        if (escape && (c == '|' || c == '\\')) name.push_back('\\');
        name.push_back(c);
    }
}

}  // namespace

FeatureNamer::FeatureNamer(const Program& program, const Columns& columns)
    : program_(program), sentences_(columns.sentences), values_(program, columns) {
    std::map<std::string_view, bool> is_conjunction;
    for (const Template& source : program.templates) is_conjunction[source.key] |= source.terms.size() > 1;
    for (const Template& source : program.templates) escapes_.push_back(is_conjunction[source.key]);
}

std::string FeatureNamer::name(const Origin& origin) {
    if (sentence_ == UINT32_MAX || origin.token < sentences_[sentence_] || origin.token >= sentences_[sentence_ + 1]) {
        const auto after = std::upper_bound(sentences_.begin(), sentences_.end(), origin.token);
        values_.enter(sentence_ = static_cast<uint32_t>(after - sentences_.begin() - 1));
    }
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
    size_t size = source.key.size() + texts_.size();
    for (size_t i = 0; i < texts_.size(); ++i) size += texts_[i][indices_[i]].size();
    std::string name;
    name.reserve(size);
    name.append(source.key).push_back('=');
    for (size_t i = 0; i < texts_.size(); ++i) {
        if (i > 0) name.push_back('|');
        append_value(name, texts_[i][indices_[i]], escapes_[origin.template_number]);
    }
    return name;
}

std::vector<std::string> write_names(const Program& program, const Columns& columns, const std::vector<Origin>& origins, uint32_t first,
                                     uint32_t first_token) {
    const size_t end = first_token + columns.token_count();  // kNowhere is above all tokens
    std::vector<std::pair<uint64_t, uint32_t>> order;        // token and template, then the id
    for (uint32_t id = first; id < origins.size(); ++id)
        if (const Origin& origin = origins[id]; origin.token >= first_token && origin.token < end)
            order.emplace_back(uint64_t{origin.token} << 16 | origin.template_number, id);
    std::sort(order.begin(), order.end());
    std::vector<std::string> names(origins.size() - first);
    FeatureNamer namer(program, columns);
    for (const auto& [position, id] : order) {
        Origin origin = origins[id];
        origin.token -= first_token;
        names[id - first] = namer.name(origin);
    }
    return names;
}

}  // namespace tagpool
