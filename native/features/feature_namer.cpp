#include "features/feature_namer.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

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

std::vector<std::string> write_names(const Program& program, const Columns& columns, const std::vector<Origin>& origins, uint32_t first) {
    std::vector<uint32_t> order;
    for (uint32_t id = first; id < origins.size(); ++id)
        if (origins[id].token != Origin::kNowhere) order.push_back(id);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const auto position = [&](uint32_t id) { return std::tuple(origins[id].token, origins[id].template_number, id); };
        return position(a) < position(b);
    });
    std::vector<std::string> names(origins.size() - first);
    FeatureNamer namer(program, columns);
    for (uint32_t id : order) names[id - first] = namer.name(origins[id]);
    return names;
}

}  // namespace tagpool
