#include "features/encode.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/fault.hpp"
#include "base/tensors.hpp"
#include "features/extract.hpp"
#include "features/feature_namer.hpp"
#include "features/program_file.hpp"

namespace tagpool {
namespace {

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
    if (!known_.empty() || (fitted_.empty() && names_.size() != feature_count()))
        throw InputFault("features can only be removed directly after fitting without known features");
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
    if (names_.size() > 0) names_.filter([&](size_t id) { return new_ids[id] != FeatureIndex::kNone; });
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

const NameList& Encoder::names() {
    if (fitted_.empty()) return names_;
    std::vector<std::string> texts = std::move(known_);
    texts.resize(origins_.size());
    for (const Fitted& fitted : fitted_) {
        std::vector<std::string> written = write_names(program_, *fitted.columns, origins_, 0, fitted.first_token);
        for (size_t id = 0; id < written.size(); ++id)
            if (!written[id].empty()) texts[id] = std::move(written[id]);
    }
    for (const std::string& name : texts) names_.push_back(name);
    known_.clear();
    fitted_.clear();
    return names_;
}

// Fitting in slices --------------------------------------------------------------------------------------------------------

void Encoder::begin() {
    index_ = FeatureIndex();
    counts_.clear();
    origins_.clear();
    known_.clear();
    names_.clear();
    fitted_.clear();
}

Encoding Encoder::fit_next(const Columns& columns) {
    const uint32_t first = feature_count();
    Encoding out = encode_with(NumberingResolver{index_, origins_}, program_, columns);
    counts_.resize(feature_count());
    for (uint32_t id : out.ids) ++counts_[id];
    for (const std::string& name : write_names(program_, columns, origins_, first)) names_.push_back(name);
    return out;
}

std::vector<uint32_t> Encoder::merge(std::string_view dictionary) {
    Encoder next(program_, 1);
    next.restore(dictionary);
    const std::vector<uint64_t> keys = next.keys();
    std::vector<uint32_t> ids;
    ids.reserve(keys.size());
    for (uint32_t i = 0; i < keys.size(); ++i) {
        const uint32_t id = index_.insert(keys[i]);
        if (id == origins_.size()) {
            origins_.push_back(next.origins_[i]);
            counts_.push_back(0);
            names_.push_back(next.names_[i]);
        }
        counts_[id] += next.counts_[i];
        ids.push_back(id);
    }
    return ids;
}

std::vector<uint32_t> Encoder::finish() {
    if (!fitted_.empty()) throw InputFault("the encoder was fitted at once");
    Encoding nothing;
    std::vector<uint32_t> counts = counts_;
    const std::vector<uint32_t> new_ids = prune(nothing, counts, index_, minimum_count_);
    if (index_.size() < new_ids.size()) renumber(new_ids);
    return new_ids;
}

std::string Encoder::state() {
    const NameList& list = names();
    std::vector<uint64_t> lengths;
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string_view name = list[i];
        lengths.push_back(name.size());
        bytes.insert(bytes.end(), name.begin(), name.end());
    }
    Tensors out;
    out.add("keys", keys());
    out.add("counts", counts_);
    out.add("templates", template_numbers());
    out.add("lengths", std::move(lengths));
    out.add("names", std::move(bytes));
    write_program(program_, "program", out);
    return out.write();
}

std::unique_ptr<Encoder> Encoder::from_state(std::string_view block, uint32_t minimum_count) {
    const auto copy = std::make_shared<const std::string>(block);
    auto encoder = std::make_unique<Encoder>(read_program(Tensors::read(*copy, copy), "program"), minimum_count);
    encoder->restore(*copy);
    encoder->block_ = copy;
    return encoder;
}

void Encoder::restore(std::string_view block) {
    const Tensors state = Tensors::read(block, nullptr);
    const auto keys = state.array<uint64_t>("keys"), lengths = state.array<uint64_t>("lengths");
    const auto counts = state.array<uint32_t>("counts");
    const auto templates = state.array<uint16_t>("templates");
    const auto bytes = state.array<uint8_t>("names");
    begin();
    counts_.assign(counts.begin(), counts.end());
    expect_size(counts_.size(), keys.size(), "counts");
    expect_size(templates.size(), keys.size(), "templates");
    expect_size(lengths.size(), keys.size(), "names");
    index_.reserve(static_cast<uint32_t>(keys.size()));
    size_t at = 0;
    for (uint32_t id = 0; id < keys.size(); ++id) {
        if (index_.insert(keys[id]) != id) throw InputFault("a feature occurs twice in the dictionary");
        if (templates[id] >= program_.templates.size()) throw InputFault("a template of the dictionary is out of range");
        if (lengths[id] > bytes.size() - at) throw InputFault("the names of the dictionary are too short");
        origins_.push_back({Origin::kNowhere, 0, templates[id]});
        names_.push_back({reinterpret_cast<const char*>(bytes.data()) + at, lengths[id]});
        at += lengths[id];
    }
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
    const std::vector<std::string> names = write_names(program_, selected, origins, 0);
    const size_t begin = encoding.sentences[sentence - first], end = encoding.sentences[sentence - first + 1];
    Description out(end - begin);
    for (size_t token = begin; token < end; ++token)
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            out[token - begin].emplace_back(names[encoding.ids[i]], encoding.value(i));
    return out;
}

}  // namespace tagpool
