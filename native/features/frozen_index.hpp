// Slots: the frozen index of a model, feature hash -> the place of its weights. It is used straight from a mapped file.
//
// Open addressing without wrapping around: a hash's home is the upper half of its bits scaled to the capacity, and the lower half is kept
// as its fingerprint (0 is a free slot). Fingerprints lie together, apart from the places, since most searches are for features that are
// not there and end among them. A feature that was never seen is taken for another one with a probability of about 10^-9; no two features
// of the model are ever confused (building tries another seed until all fingerprints that could meet differ).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/encoding.hpp"
#include "base/hash.hpp"
#include "features/index.hpp"
#include "base/tensors.hpp"

namespace tagpool {

class FrozenIndex {
public:
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    FrozenIndex() = default;
    // From the arrays and the text of a model: `name`.fingerprints, `name`.places and `name`.index, which `tensors` keep alive. Throws
    // InputFault where they could lead a search astray.
    FrozenIndex(const Tensors& tensors, const std::string& name);

    uint32_t size() const { return static_cast<uint32_t>(places_.size()); }
    // Of a slot; kNone: it is free.
    uint32_t place(uint32_t slot) const { return places_[slot]; }
    // What hashes are taken modulo, where slots are remainders (or numbers of features); 0: they are searched for.
    uint32_t hash_size() const { return hash_size_; }
    uint32_t find(uint64_t key) const {
        if (hash_size_) return places_[key % hash_size_];
        const uint64_t mixed = mix(key, seed_);
        const uint32_t wanted = fingerprint(mixed);
        for (uint32_t slot = home(mixed, capacity_);; ++slot) {
            const uint32_t met = fingerprints_[slot];
            if (met == wanted) return places_[slot];
            if (met == 0) return kNone;
        }
    }
    [[gnu::always_inline]] void prefetch(uint64_t key) const {
        if (!hash_size_) __builtin_prefetch(&fingerprints_[home(mix(key, seed_), capacity_)]);
    }
    // For searches that will succeed: the place as well.
    [[gnu::always_inline]] void prefetch_all(uint64_t key) const {
        if (hash_size_) return;
        const uint32_t slot = home(mix(key, seed_), capacity_);
        __builtin_prefetch(&fingerprints_[slot]);
        __builtin_prefetch(&places_[slot]);
    }

    // Puts an index of features into a model; those whose place is kNone are left out.
    static void write(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& places, const std::string& name, Tensors& to);
    // Features known by number (or remainder) need no searching: slot and number are the same.
    static void write_numbered(std::vector<uint32_t> places, const std::string& name, Tensors& to);

private:
    static uint64_t mix(uint64_t key, uint64_t seed) { return seed ? combine(key, seed) : key; }
    static uint32_t home(uint64_t mixed, uint32_t capacity) { return static_cast<uint32_t>((mixed >> 32) * capacity >> 32); }
    static uint32_t fingerprint(uint64_t mixed) {
        const auto lower = static_cast<uint32_t>(mixed);
        return lower + (lower == 0);
    }

    std::span<const uint32_t> fingerprints_, places_;
    uint32_t capacity_ = 0, hash_size_ = 0;
    uint64_t seed_ = 0;
};

// A corpus encoded by numbers of features as places, without the features that have none, for an index by numbers. Throws InputFault for
// features it does not know.
Encoding placed_by(const FrozenIndex& slots, const Encoding& numbered);

}  // namespace tagpool
