#include "features/index.hpp"

#include "base/fault.hpp"

namespace tagpool {

size_t FeatureIndex::capacity_for(uint32_t count) {
    size_t capacity = 64;
    while (capacity * 2 <= size_t{count} * 3) capacity *= 2;
    return capacity;
}

void FeatureIndex::grow() {
    if (size_ == kNone - 1) throw InputFault("more than 4 billion features; use fewer templates or a hash size");
    Buffer<Slot> old;
    std::swap(old, slots_);
    slots_.fill(old.empty() ? 64 : old.size() * 2, Slot{0, kNone});
    for (const Slot& slot : old)
        if (slot.id != kNone) slots_[find_slot(slot.key)] = slot;
}

void FeatureIndex::renumber(const std::vector<uint32_t>& new_ids, uint32_t count) {
    Buffer<Slot> old;
    std::swap(old, slots_);
    slots_.fill(capacity_for(count), Slot{0, kNone});
    for (const Slot& slot : old)
        if (slot.id != kNone && new_ids[slot.id] != kNone) slots_[find_slot(slot.key)] = Slot{slot.key, new_ids[slot.id]};
    size_ = count;
}

std::vector<uint64_t> FeatureIndex::keys() const {
    std::vector<uint64_t> keys(size_);
    for (const Slot& slot : slots_)
        if (slot.id != kNone) keys[slot.id] = slot.key;
    return keys;
}

}  // namespace tagpool
