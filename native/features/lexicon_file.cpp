#include "features/lexicon_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/fault.hpp"

namespace tagpool {
namespace {

void write_strings(Tensors& to, const std::string& name, const std::vector<std::string_view>& strings) {
    std::vector<uint8_t> bytes;
    std::vector<uint64_t> ends;
    for (std::string_view text : strings) {
        bytes.insert(bytes.end(), text.begin(), text.end());
        ends.push_back(bytes.size());
    }
    to.add(name + ".bytes", std::move(bytes));
    to.add(name + ".ends", std::move(ends));
}

std::vector<std::string_view> read_strings(const Tensors& from, const std::string& name) {
    const auto bytes = from.array<uint8_t>(name + ".bytes");
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::string_view> out;
    size_t begin = 0;
    for (const uint64_t end : from.array<uint64_t>(name + ".ends")) {
        if (end < begin || end > all.size()) throw InputFault("damaged model: the texts of \"" + name + "\" are out of order");
        out.push_back(all.substr(begin, end - begin));
        begin = end;
    }
    return out;
}

}  // namespace

void write_lexicon(const WordLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> words, values;
    std::map<std::string_view, uint32_t> numbers;
    std::vector<uint32_t> value_of;
    for (uint32_t i = 0; i < lexicon.size(); ++i) {
        words.push_back(lexicon.word(i));
        const auto [number, inserted] = numbers.emplace(lexicon.value_at(i), static_cast<uint32_t>(values.size()));
        if (inserted) values.push_back(lexicon.value_at(i));
        value_of.push_back(number->second);
    }
    write_strings(to, name + ".words", words);
    write_strings(to, name + ".values", values);
    to.add(name + ".value_of", std::move(value_of));
}

std::shared_ptr<const WordLexicon> read_word_lexicon(const Tensors& from, const std::string& name) {
    const auto words = read_strings(from, name + ".words"), values = read_strings(from, name + ".values");
    const auto value_of = from.array<uint32_t>(name + ".value_of");
    if (value_of.size() != words.size())
        throw InputFault(concat("damaged model: lexicon \"", name, "\" has ", words.size(), " words, but ", value_of.size(), " values"));
    auto lexicon = std::make_shared<WordLexicon>();
    for (size_t i = 0; i < words.size(); ++i) {
        if (value_of[i] >= values.size()) throw InputFault("damaged model: lexicon \"" + name + "\" refers to an unknown value");
        lexicon->add(words[i], values[value_of[i]]);
    }
    return lexicon;
}

void write_lexicon(const PhraseLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> lists;
    for (uint16_t i = 0; i < lexicon.list_count(); ++i) lists.push_back(lexicon.list_name(i));
    write_strings(to, name + ".lists", lists);
    std::vector<uint64_t> hashes, ends;
    std::vector<uint32_t> sets;
    std::vector<uint16_t> members;
    for (const auto& [hash, list_set] : lexicon.entries()) {
        hashes.push_back(hash);
        sets.push_back(list_set);
    }
    for (const auto& set : std::span(lexicon.list_sets()).subspan(1)) {
        members.insert(members.end(), set.begin(), set.end());
        ends.push_back(members.size());
    }
    to.add(name + ".hashes", std::move(hashes));
    to.add(name + ".sets", std::move(sets));
    to.add(name + ".set_ends", std::move(ends));
    to.add(name + ".set_members", std::move(members));
}

std::shared_ptr<const PhraseLexicon> read_phrase_lexicon(const Tensors& from, const std::string& name) {
    std::vector<std::string> lists;
    for (std::string_view list : read_strings(from, name + ".lists")) lists.emplace_back(list);
    const auto hashes = from.array<uint64_t>(name + ".hashes");
    const auto sets = from.array<uint32_t>(name + ".sets");
    if (hashes.size() != sets.size())
        throw InputFault(concat("damaged model: gazetteer \"", name, "\" has ", hashes.size(), " phrases, but ", sets.size(), " sets"));
    const auto members = from.array<uint16_t>(name + ".set_members");
    std::vector<std::vector<uint16_t>> list_sets;
    size_t begin = 0;
    for (const uint64_t end : from.array<uint64_t>(name + ".set_ends")) {
        if (end < begin || end > members.size()) throw InputFault("damaged model: the lists of gazetteer \"" + name + "\" are out of order");
        list_sets.emplace_back(members.begin() + static_cast<std::ptrdiff_t>(begin), members.begin() + static_cast<std::ptrdiff_t>(end));
        begin = end;
    }
    std::vector<PhraseLexicon::Entry> entries;
    for (size_t i = 0; i < hashes.size(); ++i) entries.emplace_back(hashes[i], sets[i]);
    return std::make_shared<const PhraseLexicon>(PhraseLexicon::restore(std::move(lists), list_sets, entries));
}

void write_lexicon(const VectorLexicon& lexicon, const std::string& name, Tensors& to) {
    std::vector<std::string_view> words;
    std::vector<float> vectors;
    vectors.reserve(size_t{lexicon.size()} * lexicon.width());
    for (uint32_t i = 0; i < lexicon.size(); ++i) {
        words.push_back(lexicon.word(i));
        const float* const vector = lexicon.vector(lexicon.word(i));
        vectors.insert(vectors.end(), vector, vector + lexicon.width());
    }
    write_strings(to, name + ".words", words);
    auto matrix = std::make_shared<const std::vector<float>>(std::move(vectors));
    to.add(name + ".vectors", Type::f32, {lexicon.size(), lexicon.width()}, matrix->data(), matrix);
}

std::shared_ptr<const VectorLexicon> read_vector_lexicon(const Tensors& from, const std::string& name) {
    const auto vectors = from.array<float>(name + ".vectors");
    const std::vector<size_t>& shape = from.find(name + ".vectors")->shape;
    if (shape.size() != 2 || shape[1] > UINT32_MAX || !std::all_of(vectors.begin(), vectors.end(), [](float value) { return std::isfinite(value); }))
        throw InputFault("damaged model: the vectors of \"" + name + "\" are not a matrix of finite numbers");
    RowLexicon words;
    uint32_t row = 0;
    for (const std::string_view word : read_strings(from, name + ".words")) words.add(word, row++);
    return std::make_shared<const VectorLexicon>(std::move(words), std::vector<float>(vectors.begin(), vectors.end()),
                                                 static_cast<uint32_t>(shape[1]));
}

}  // namespace tagpool
