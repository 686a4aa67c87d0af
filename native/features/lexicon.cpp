#include "features/lexicon.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

VectorLexicon::VectorLexicon(RowLexicon words, std::vector<float> vectors, uint32_t width)
    : words_(std::move(words)), vectors_(std::move(vectors)), width_(width) {
    if (width == 0 || vectors_.size() % width != 0)
        throw InputFault(concat("expected vectors of width ", width, ", got ", vectors_.size(), " numbers"));
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

PhraseLexicon PhraseLexicon::restore(std::vector<std::string> names, const std::vector<std::vector<uint16_t>>& list_sets,
                                     const std::vector<Entry>& entries) {
    PhraseLexicon out;
    out.names_ = std::move(names);
    for (const auto& set : list_sets) {
        for (const uint16_t list : set)
            if (list >= out.names_.size()) throw InputFault("damaged model: a gazetteer refers to an unknown list");
        out.add_list_set(set);
    }
    for (const auto& [hash, list_set] : entries) {
        if (hash == 0 || list_set >= out.list_sets_.size()) throw InputFault("damaged model: a gazetteer has an invalid entry");
        out.insert(hash) = list_set;
        out.phrase_count_ += out.list_sets_[list_set].size();
    }
    return out;
}

}  // namespace tagpool
