#include "features/encode.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/fault.hpp"
#include "features/extract.hpp"

namespace tagpool {
namespace {

// Escapes "|" inside values if it separates the values of a conjunction, so that names are unambiguous.
void append_value(std::string& name, const std::string& text, bool escape) {
    for (char c : text) {
        if (escape && (c == '|' || c == '\\')) name.push_back('\\');
        name.push_back(c);
    }
}

// FeatureNamer: writes the names of features from their origins.
class FeatureNamer {
public:
    FeatureNamer(const Program& program, const Columns& columns) : program_(program), sentences_(columns.sentences), values_(program, columns) {
        std::map<std::string_view, bool> is_conjunction;
        for (const Template& source : program.templates) is_conjunction[source.key] |= source.terms.size() > 1;
        for (const Template& source : program.templates) escapes_.push_back(is_conjunction[source.key]);
    }

    // Fastest for origins sorted by token, then template: the values are then computed once for both.
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

template <class Resolver>
Encoding encode_with(Resolver resolver, const Program& program, const Columns& columns, uint32_t first_sentence = 0) {
    Encoding out;
    Extractor<Resolver>(program, columns, resolver, out, first_sentence).run();
    return out;
}

}  // namespace

Encoder::Encoder(Program program, uint32_t minimum_count) : program_(std::move(program)), minimum_count_(minimum_count) { program_.check(); }

Encoding Encoder::fit(std::shared_ptr<const Columns> columns, std::vector<std::string> known) {
    index_ = FeatureIndex();
    names_.clear();
    origins_.clear();
    index_.reserve(static_cast<uint32_t>(std::min<size_t>(columns->token_count(), 1u << 26)));
    for (const std::string& name : known) {
        if (index_.insert(key_of(program_, name)) != origins_.size()) throw InputFault("the known feature \"" + name + "\" occurs twice");
        const std::string_view key = std::string_view(name).substr(0, name.find('='));
        const auto has_key = [key](const Template& candidate) { return candidate.key == key; };
        const auto number = std::find_if(program_.templates.begin(), program_.templates.end(), has_key) - program_.templates.begin();
        if (number == std::ssize(program_.templates)) throw InputFault("no template has the key of the known feature \"" + name + "\"");
        origins_.push_back({Origin::kNowhere, 0, static_cast<uint16_t>(number)});
    }
    Encoding out = encode_with(NumberingResolver{index_, origins_}, program_, *columns);
    counts_ = count_features(out, feature_count());
    if (minimum_count_ > 1) {
        std::vector<uint32_t> counts = counts_;
        std::fill_n(counts.begin(), known.size(), minimum_count_);
        renumber(prune(out, counts, index_, minimum_count_));
    }
    known_ = std::move(known);
    fitted_.assign(1, {std::move(columns), 0});
    return out;
}

Encoding Encoder::extend(std::shared_ptr<const Columns> columns) {
    if (fitted_.empty()) throw InputFault("features can only be added directly after fitting");
    const uint32_t before = feature_count();
    const size_t first_token = fitted_.back().first_token + fitted_.back().columns->token_count();
    if (first_token + columns->token_count() >= Origin::kNowhere) throw InputFault("the corpora have too many tokens for one encoder");
    Encoding out = encode_with(NumberingResolver{index_, origins_}, program_, *columns);
    for (uint32_t id = before; id < feature_count(); ++id) origins_[id].token += static_cast<uint32_t>(first_token);
    std::vector<uint32_t> counts = count_features(out, feature_count());
    counts_.resize(feature_count());
    for (uint32_t id = 0; id < feature_count(); ++id) counts_[id] += counts[id];
    if (minimum_count_ > 1) {
        std::fill_n(counts.begin(), before, minimum_count_);
        renumber(prune(out, counts, index_, minimum_count_));
    }
    fitted_.push_back({std::move(columns), static_cast<uint32_t>(first_token)});
    return out;
}

void Encoder::keep(const std::vector<uint8_t>& marks, Encoding& encoding) {
    if (!known_.empty() || fitted_.empty()) throw InputFault("features can only be removed directly after fitting without known features");
    expect_size(marks.size(), feature_count(), "marks");
    for (const uint32_t id : encoding.ids)
        if (id >= marks.size()) throw InputFault("the encoding has a feature id out of range");
    std::vector<uint32_t> counts;
    for (const uint8_t mark : marks) counts.push_back(mark != 0);
    renumber(prune(encoding, counts, index_, 1));
}

void Encoder::renumber(const std::vector<uint32_t>& new_ids) {
    uint32_t count = 0;
    for (uint32_t id = 0; id < new_ids.size(); ++id) {
        if (new_ids[id] == FeatureIndex::kNone) continue;
        origins_[new_ids[id]] = origins_[id];
        counts_[new_ids[id]] = counts_[id];
        ++count;
    }
    origins_.resize(count);
    counts_.resize(count);
}

Encoding Encoder::encode(const Columns& columns) const { return encode_with(FindingResolver<FeatureIndex>{index_}, program_, columns); }

std::vector<uint16_t> Encoder::template_numbers() const {
    std::vector<uint16_t> numbers;
    numbers.reserve(origins_.size());
    for (const Origin& origin : origins_) numbers.push_back(origin.template_number);
    return numbers;
}

const std::vector<std::string>& Encoder::names() {
    if (fitted_.empty()) return names_;
    std::vector<uint32_t> order;
    for (uint32_t id = 0; id < origins_.size(); ++id)
        if (origins_[id].token != Origin::kNowhere) order.push_back(id);
    std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
        const auto position = [this](uint32_t id) { return std::tuple(origins_[id].token, origins_[id].template_number, id); };
        return position(a) < position(b);
    });
    names_ = std::move(known_);
    names_.resize(origins_.size());
    auto next = order.begin();
    for (const Fitted& fitted : fitted_) {
        FeatureNamer namer(program_, *fitted.columns);
        const size_t end = fitted.first_token + fitted.columns->token_count();
        for (; next != order.end() && origins_[*next].token < end; ++next) {
            Origin origin = origins_[*next];
            origin.token -= fitted.first_token;
            names_[*next] = namer.name(origin);
        }
    }
    fitted_.clear();
    return names_;
}

// A name is the template's key, "=", and the values; in a conjunction they are separated by "|", which is escaped inside them.
uint64_t Encoder::key_of(const Program& program, std::string_view name) {
    const size_t equals = name.find('=');
    const std::string_view template_key = name.substr(0, equals);
    uint64_t key = hash_bytes(template_key);
    if (equals == std::string_view::npos) return key;
    const std::string_view values = name.substr(equals + 1);
    const bool is_conjunction = std::any_of(program.templates.begin(), program.templates.end(),
                                            [&](const Template& candidate) { return candidate.key == template_key && candidate.terms.size() > 1; });
    if (!is_conjunction) return combine(key, hash_bytes(values));
    std::string value;
    for (size_t i = 0; i <= values.size(); ++i) {
        if (i == values.size() || values[i] == '|') {
            key = combine(key, hash_bytes(value));
            value.clear();
        } else {
            if (values[i] == '\\' && i + 1 < values.size()) ++i;
            value.push_back(values[i]);
        }
    }
    return key;
}

Encoder::Description Encoder::describe(const Columns& columns, uint32_t sentence) const {
    // Templates that look at the document need all of its sentences.
    uint32_t first = sentence, last = sentence + 1;
    if (program_.looks_at_documents()) std::tie(first, last) = columns.document_of(sentence);
    std::vector<uint32_t> selection(last - first);
    std::iota(selection.begin(), selection.end(), first);
    const Columns selected = columns.select(selection);
    FeatureIndex index;
    std::vector<Origin> origins;
    const Encoding encoding = encode_with(NumberingResolver{index, origins}, program_, selected, first);
    FeatureNamer namer(program_, selected);
    std::vector<std::string> names;
    for (const Origin& origin : origins) names.push_back(namer.name(origin));
    const size_t begin = encoding.sentences[sentence - first], end = encoding.sentences[sentence - first + 1];
    Description out(end - begin);
    for (size_t token = begin; token < end; ++token)
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            out[token - begin].emplace_back(names[encoding.ids[i]], encoding.value(i));
    return out;
}

}  // namespace tagpool
