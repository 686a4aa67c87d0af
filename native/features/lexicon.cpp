#include "features/lexicon.hpp"

#include <algorithm>
#include <functional>

#include "base/fault.hpp"

namespace tagpool {

VectorLexicon::VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width)
    : words_(std::move(words)), vectors_(std::move(vectors)), width_(width) {
    if (width == 0 || width > kMaxWidth || vectors_.size() % width != 0)
        throw InputFault(concat("expected vectors of width 1 to ", kMaxWidth, ", got width ", width, " and ", vectors_.size(), " numbers"));
    for (uint32_t i = 0; i < words_.size(); ++i)
        if (static_cast<size_t>(words_.row(words_.word(i))) >= vectors_.size() / width)
            throw InputFault("the word \"" + std::string(words_.word(i)) + "\" has no vector");
}

uint16_t PhraseLexicon::add_list(std::string_view name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return static_cast<uint16_t>(known - names_.begin());
    if (names_.size() == kMaxLists) throw InputFault("more than 65,535 lists in one gazetteer");
    names_.emplace_back(name);
    return static_cast<uint16_t>(names_.size() - 1);
}

uint32_t& PhraseLexicon::insert(uint64_t phrase) {
    const uint32_t id = phrases_.insert(phrase);
    if (id == list_set_of_.size()) list_set_of_.push_back(0);
    return list_set_of_[id];
}

uint32_t PhraseLexicon::add_list_set(std::vector<uint16_t> set) {
    const uint32_t id = list_set_keys_.intern({reinterpret_cast<const char*>(set.data()), set.size() * sizeof(uint16_t)}) + 1;
    if (id == list_sets_.size()) list_sets_.push_back(std::move(set));
    return id;
}

void PhraseLexicon::add(uint16_t list, const std::vector<std::string>& words) {
    if (words.empty()) return;
    uint64_t phrase = start();
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        phrase = extend(phrase, hash_bytes(words[i]));
        insert(phrase);
    }
    uint32_t& list_set = insert(extend(phrase, hash_bytes(words.back())));
    std::vector<uint16_t> lists = list_sets_[list_set];
    const auto position = std::lower_bound(lists.begin(), lists.end(), list);
    if (position != lists.end() && *position == list) return;
    lists.insert(position, list);
    list_set = add_list_set(std::move(lists));
    ++phrase_count_;
}

std::vector<PhraseLexicon::Entry> PhraseLexicon::entries() const {
    std::vector<Entry> entries;
    for (const uint64_t hash : phrases_.keys()) entries.emplace_back(hash, list_set_of_[entries.size()]);
    std::sort(entries.begin(), entries.end());
    return entries;
}

PhraseLexicon::PhraseLexicon(std::vector<std::string> names, size_t phrases) : names_(std::move(names)) {
    if (phrases >= FeatureIndex::kNone) throw InputFault("damaged model: a gazetteer has more than 4 billion phrases");
    phrases_.reserve(static_cast<uint32_t>(phrases));
    list_set_of_.reserve(phrases);
}

void PhraseLexicon::restore_list_set(std::span<const uint16_t> lists) {
    // Increasing lists mean that a match is reported once.
    if (std::adjacent_find(lists.begin(), lists.end(), std::greater_equal()) != lists.end() || lists.empty() || lists.back() >= names_.size())
        throw InputFault("damaged model: a gazetteer refers to an unknown list");
    if (add_list_set({lists.begin(), lists.end()}) + 1 != list_sets_.size()) throw InputFault("damaged model: a gazetteer has a set twice");
}

void PhraseLexicon::restore(uint64_t hash, uint32_t list_set) {
    const size_t count = list_set_of_.size();
    if (hash == 0 || list_set >= list_sets_.size()) throw InputFault("damaged model: a gazetteer has an invalid entry");
    insert(hash) = list_set;
    if (list_set_of_.size() == count) throw InputFault("damaged model: a gazetteer has a phrase twice");
    phrase_count_ += list_sets_[list_set].size();
}

}  // namespace tagpool
