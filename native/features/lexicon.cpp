#include "features/lexicon.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

void WordLexicon::add(std::string_view word, std::string_view value) {
    if (words_.intern(word) == value_of_.size()) value_of_.push_back(values_.intern(value));
}

std::string_view WordLexicon::value(std::string_view word) const {
    const uint32_t id = words_.find(word);
    return id == StringTable::kNone ? std::string_view() : values_[value_of_[id]];
}

void RowLexicon::add(std::string_view word, uint32_t row) {
    if (words_.intern(word) == rows_.size()) rows_.push_back(row);
}

int32_t RowLexicon::row(std::string_view word) const {
    const uint32_t id = words_.find(word);
    return id == StringTable::kNone ? -1 : static_cast<int32_t>(rows_[id]);
}

VectorLexicon::VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width)
    : words_(std::move(words)), vectors_(std::move(vectors)), width_(width) {
    if (width == 0 || vectors_.size() % width != 0)
        throw InputFault("expected vectors of width " + std::to_string(width) + ", got " + std::to_string(vectors_.size()) + " numbers");
    for (uint32_t i = 0; i < words_.size(); ++i)
        if (static_cast<size_t>(words_.row(words_.word(i))) >= vectors_.size() / width)
            throw InputFault("the word \"" + std::string(words_.word(i)) + "\" has no vector");
}

const float* VectorLexicon::vector(std::string_view word) const {
    const int32_t row = words_.row(word);
    return row < 0 ? nullptr : vectors_.data() + static_cast<size_t>(row) * width_;
}

uint64_t PhraseLexicon::extend(uint64_t phrase, uint64_t word_hash) {
    const uint64_t hash = combine(phrase, word_hash);
    return hash == 0 ? 1 : hash;  // 0 marks a free slot
}

uint16_t PhraseLexicon::add_list(std::string_view name) {
    const auto known = std::find(names_.begin(), names_.end(), name);
    if (known != names_.end()) return static_cast<uint16_t>(known - names_.begin());
    if (names_.size() == kMaxLists) throw InputFault("more than 65,535 lists in one gazetteer");
    names_.emplace_back(name);
    return static_cast<uint16_t>(names_.size() - 1);
}

void PhraseLexicon::grow() {
    std::vector<Entry> old(slots_.empty() ? 1024 : slots_.size() * 2, Entry{0, 0});
    old.swap(slots_);
    const size_t mask = slots_.size() - 1;
    for (const Entry& entry : old) {
        if (entry.hash == 0) continue;
        size_t slot = entry.hash & mask;
        while (slots_[slot].hash != 0) slot = (slot + 1) & mask;
        slots_[slot] = entry;
    }
}

PhraseLexicon::Entry& PhraseLexicon::insert(uint64_t phrase) {
    if (used_ * 3 >= slots_.size() * 2) grow();
    const size_t mask = slots_.size() - 1;
    size_t slot = phrase & mask;
    while (slots_[slot].hash != 0 && slots_[slot].hash != phrase) slot = (slot + 1) & mask;
    if (slots_[slot].hash == 0) {
        slots_[slot].hash = phrase;
        ++used_;
    }
    return slots_[slot];
}

const PhraseLexicon::Entry* PhraseLexicon::find(uint64_t phrase) const {
    if (slots_.empty()) return nullptr;
    const size_t mask = slots_.size() - 1;
    for (size_t slot = phrase & mask; slots_[slot].hash != 0; slot = (slot + 1) & mask)
        if (slots_[slot].hash == phrase) return &slots_[slot];
    return nullptr;
}

uint32_t PhraseLexicon::with_list(uint32_t lists, uint16_t list) {
    std::vector<uint16_t> set = lists == 0 ? std::vector<uint16_t>() : list_sets_[lists - 1];
    const auto position = std::lower_bound(set.begin(), set.end(), list);
    if (position != set.end() && *position == list) return lists;
    set.insert(position, list);
    const uint32_t id = list_set_keys_.intern({reinterpret_cast<const char*>(set.data()), set.size() * sizeof(uint16_t)});
    if (id == list_sets_.size()) list_sets_.push_back(std::move(set));
    return id + 1;
}

void PhraseLexicon::add(uint16_t list, const std::vector<std::string>& words) {
    if (words.empty()) return;
    uint64_t phrase = start();
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        phrase = extend(phrase, hash_bytes(words[i]));
        insert(phrase);
    }
    Entry& entry = insert(extend(phrase, hash_bytes(words.back())));
    const uint32_t lists = with_list(entry.lists, list);
    if (lists != entry.lists) ++phrases_;
    entry.lists = lists;
}

std::vector<PhraseLexicon::Entry> PhraseLexicon::entries() const {
    std::vector<Entry> used;
    for (const Entry& entry : slots_)
        if (entry.hash != 0) used.push_back(entry);
    return used;
}

PhraseLexicon PhraseLexicon::restore(std::vector<std::string> names, const std::vector<std::vector<uint16_t>>& list_sets,
                                     const std::vector<Entry>& entries) {
    PhraseLexicon out;
    out.names_ = std::move(names);
    out.list_sets_ = list_sets;
    for (const auto& set : list_sets) {
        out.list_set_keys_.intern({reinterpret_cast<const char*>(set.data()), set.size() * sizeof(uint16_t)});
        for (uint16_t list : set)
            if (list >= out.names_.size()) throw InputFault("damaged model: a gazetteer refers to an unknown list");
    }
    for (const Entry& entry : entries) {
        if (entry.hash == 0 || entry.lists > list_sets.size()) throw InputFault("damaged model: a gazetteer has an invalid entry");
        out.insert(entry.hash).lists = entry.lists;
        if (entry.lists) out.phrases_ += list_sets[entry.lists - 1].size();
    }
    return out;
}

}  // namespace tagpool
