// FeatureIndex: a hash table from 64-bit feature hashes to consecutive ids, by open addressing.
#pragma once
#include <cstdint>
#include <vector>

#include "base/buffer.hpp"
#include "base/portable.hpp"

namespace tagpool {

class FeatureIndex {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    // The id of a feature; a new one gets the next id.
    uint32_t insert(uint64_t key) {
        if (size_t{size_} * 3 >= slots_.size() * 2) grow();
        Slot& slot = slots_[find_slot(key)];
        if (slot.id == kNone) {
            slot.key = key;
            slot.id = size_++;
        }
        return slot.id;
    }
    uint32_t find(uint64_t key) const { return slots_.empty() ? kNone : slots_[find_slot(key)].id; }
    void prefetch(uint64_t key) const {
        if (!slots_.empty()) prefetch_line(&slots_[key & (slots_.size() - 1)]);
    }
    uint32_t size() const { return size_; }
    // Makes room for `count` features; only for an empty index.
    void reserve(uint32_t count) { slots_.fill(capacity_for(count), Slot{0, kNone}); }

    // Gives features new ids and removes those whose new id is kNone. `count` is the number of remaining features.
    void renumber(const std::vector<uint32_t>& new_ids, uint32_t count);

    // The hashes by id.
    std::vector<uint64_t> keys() const;

private:
#pragma pack(push, 4)  // 12 bytes
    struct Slot {
        uint64_t key;
        uint32_t id;  // kNone: free
    };
#pragma pack(pop)

    size_t find_slot(uint64_t key) const {
        const size_t mask = slots_.size() - 1;
        size_t i = key & mask;
        while (slots_[i].id != kNone && slots_[i].key != key) i = (i + 1) & mask;
        return i;
    }
    static size_t capacity_for(uint32_t count);
    void grow();

    Buffer<Slot> slots_;  // a power of two; at most two thirds are used
    uint32_t size_ = 0;
};

}  // namespace tagpool
