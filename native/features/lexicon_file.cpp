#include "features/lexicon_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <span>

#include "base/fault.hpp"
#include "base/utf8.hpp"

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

constexpr size_t kUnusedSets = 1 << 16;

// Throws InputFault for hashes that were chosen so that a hash table of them would take quadratic time: in every block of slots, fewer
// hashes than slots may belong there. The table is at most two thirds full.
template <class HashOf>
void check_spread(size_t count, HashOf&& hash_of, const std::string& name) {
    constexpr size_t kBlock = 1024;
    const size_t slots = std::bit_ceil(count + count / 2 + 1);
    if (slots <= kBlock) return;
    std::vector<uint16_t> counts(slots / kBlock);
    for (size_t i = 0; i < count; ++i)
        if (++counts[(hash_of(i) & (slots - 1)) / kBlock] == kBlock) throw InputFault("damaged model: the hashes of \"" + name + "\" collide");
}

// Strings of a model file, which are valid UTF-8.
class Strings {
public:
    Strings(const Tensors& from, const std::string& name) : ends_(from.array<uint64_t>(name + ".ends")) {
        const auto bytes = from.array<uint8_t>(name + ".bytes");
        all_ = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        if (!std::is_sorted(ends_.begin(), ends_.end()) || (ends_.empty() ? 0 : ends_.back()) != all_.size())
            throw InputFault("damaged model: the texts of \"" + name + "\" are out of order");
        bool is_valid = find_invalid_utf8(all_) == std::string_view::npos;
        for (const uint64_t end : ends_) is_valid &= end == all_.size() || !is_continuation(static_cast<unsigned char>(all_[end]));
        if (!is_valid || ends_.size() >= StringTable::kNone) throw InputFault("damaged model: the texts of \"" + name + "\" are not UTF-8");
        check_spread(size(), [this](size_t i) { return hash_bytes((*this)[i]); }, name);
    }
    size_t size() const { return ends_.size(); }
    std::string_view operator[](size_t i) const {
        const uint64_t begin = i ? ends_[i - 1] : 0;
        return all_.substr(begin, ends_[i] - begin);
    }

private:
    std::string_view all_;
    std::span<const uint64_t> ends_;
};

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
    const Strings words(from, name + ".words"), values(from, name + ".values");
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
    const Strings lists(from, name + ".lists");
    if (lists.size() > PhraseLexicon::kMaxLists) throw InputFault("damaged model: gazetteer \"" + name + "\" has more than 65,535 lists");
    std::vector<std::string> names;
    for (size_t i = 0; i < lists.size(); ++i) names.emplace_back(lists[i]);
    const auto hashes = from.array<uint64_t>(name + ".hashes");
    const auto sets = from.array<uint32_t>(name + ".sets");
    if (hashes.size() != sets.size())
        throw InputFault(concat("damaged model: gazetteer \"", name, "\" has ", hashes.size(), " phrases, but ", sets.size(), " sets"));
    const auto members = from.array<uint16_t>(name + ".set_members");
    const auto ends = from.array<uint64_t>(name + ".set_ends");
    // Adding a phrase to a list adds at most one set.
    if (!std::is_sorted(ends.begin(), ends.end()) || (ends.empty() ? 0 : ends.back()) != members.size() ||
        ends.size() > 4 * hashes.size() + kUnusedSets)
        throw InputFault("damaged model: the lists of gazetteer \"" + name + "\" are out of order");
    check_spread(hashes.size(), [&](size_t i) { return hashes[i]; }, name);
    auto lexicon = std::make_shared<PhraseLexicon>(std::move(names), hashes.size());
    for (size_t i = 0; i < ends.size(); ++i) {
        const uint64_t begin = i ? ends[i - 1] : 0;
        lexicon->restore_list_set(members.subspan(begin, ends[i] - begin));
    }
    for (size_t i = 0; i < hashes.size(); ++i) lexicon->restore(hashes[i], sets[i]);
    return lexicon;
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
    const Strings texts(from, name + ".words");
    for (size_t row = 0; row < texts.size(); ++row) words.add(texts[row], static_cast<uint32_t>(row));
    return std::make_shared<const VectorLexicon>(std::move(words), std::vector<float>(vectors.begin(), vectors.end()),
                                                 static_cast<uint32_t>(shape[1]));
}

}  // namespace tagpool
