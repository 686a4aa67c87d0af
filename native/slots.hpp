// Slots: the frozen index of a model, feature hash -> where its weights begin. It is used straight from a mapped file.
//
// Open addressing without wrapping around: a hash's home is the upper half of its bits scaled to the capacity, and the lower half is kept
// as its fingerprint. The weights of slot s are those from start[s] to start[s + 1]; a slot without weights is free. A feature that was
// never seen is taken for another one with a probability of about 10^-9; no two features of the model are ever confused (building
// tries another seed until all fingerprints that could meet differ).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hash.hpp"
#include "index.hpp"

namespace tagpool {

struct Slot {
    uint32_t fingerprint;
    uint32_t start;
};

class Slots {
public:
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    Slots() = default;
    // `slots` has one more than there are: the last is the end. `hash_size` is 0, or what hashes are taken modulo (a slot is then its
    // remainder). Throws InputFault if the slots could lead a search astray, or point outside of `weights` weights.
    Slots(std::span<const Slot> slots, uint32_t capacity, uint64_t seed, uint32_t hash_size, size_t weights);

    uint32_t size() const { return static_cast<uint32_t>(slots_.size() - 1); }
    uint32_t start(uint32_t slot) const { return slots_[slot].start; }
    uint32_t find(uint64_t key) const {
        if (hash_size_) return static_cast<uint32_t>(key % hash_size_);
        const uint64_t mixed = mix(key, seed_);
        const auto fingerprint = static_cast<uint32_t>(mixed);
        for (uint32_t slot = home(mixed, capacity_); slots_[slot].start != slots_[slot + 1].start; ++slot)
            if (slots_[slot].fingerprint == fingerprint) return slot;
        return kNone;
    }
    void prefetch(uint64_t key) const {
        if (!hash_size_) __builtin_prefetch(&slots_[home(mix(key, seed_), capacity_)]);
    }

    // Where features go: the slot of each key (kNone where `counts`, the number of its weights, is 0).
    struct Plan {
        std::vector<Slot> slots;
        std::vector<uint32_t> slot_of;
        uint32_t capacity;
        uint64_t seed;
    };
    static Plan plan(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& counts);
    // Features known by number need no searching: slot and number are the same.
    static Plan numbered(const std::vector<uint32_t>& counts);

private:
    static uint64_t mix(uint64_t key, uint64_t seed) { return seed ? combine(key, seed) : key; }
    static uint32_t home(uint64_t mixed, uint32_t capacity) { return static_cast<uint32_t>((mixed >> 32) * capacity >> 32); }

    std::span<const Slot> slots_;
    uint32_t capacity_ = 0, hash_size_ = 0;
    uint64_t seed_ = 0;
};

}  // namespace tagpool
