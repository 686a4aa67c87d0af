#include "text/strings.hpp"

#include "base/fault.hpp"

namespace tagpool {

size_t StringTable::find_slot(std::string_view text, uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot] != kNone) {
        const uint32_t id = slots_[slot];
        if (hashes_[id] == hash && (*this)[id] == text) break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

void StringTable::grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, kNone);
    const size_t mask = slots_.size() - 1;
    for (uint32_t id = 0; id < size(); ++id) {
        size_t slot = hashes_[id] & mask;
        while (slots_[slot] != kNone) slot = (slot + 1) & mask;
        slots_[slot] = id;
    }
}

uint32_t StringTable::intern(std::string_view text) {
    if (size_t{size()} * 3 >= slots_.size() * 2) grow();
    const uint64_t hash = hash_bytes(text);
    const size_t slot = find_slot(text, hash);
    if (slots_[slot] != kNone) return slots_[slot];
    if (size() == kNone - 1) throw InputFault("more than 4 billion distinct strings in one column");
    const uint32_t id = size();
    slots_[slot] = id;
    bytes_.append(text);
    ends_.push_back(bytes_.size());
    hashes_.push_back(hash);
    return id;
}

}  // namespace tagpool
