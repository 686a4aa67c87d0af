// FrozenIndex: the immutable index of a model, from feature hashes to the places of their weights, used directly in a mapped file.
//
// Open addressing without wrap-around. The home slot of a hash is its upper half scaled to the capacity; its lower half is the
// fingerprint (0 = free slot). Fingerprints and places are separate arrays, since most searches are for unknown features and read only
// fingerprints. An unknown feature is mistaken for a known one with a probability of about 10^-9. Features of the model are never
// confused: writing tries seeds until fingerprints in the same run of slots differ.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/portable.hpp"
#include "base/tensors.hpp"
#include "features/encoding.hpp"
#include "features/index.hpp"

namespace tagpool {

class FrozenIndex {
public:
    static constexpr uint32_t kNone = FeatureIndex::kNone;

    FrozenIndex() = default;
    // Reads the arrays `name`.fingerprints and `name`.places and the metadata `name`.index, which `tensors` keeps alive. Throws
    // InputFault if a search could leave the arrays.
    FrozenIndex(const Tensors& tensors, const std::string& name);

    uint32_t size() const { return static_cast<uint32_t>(places_.size()); }
    // The place of a slot; kNone if it is free.
    uint32_t place(uint32_t slot) const { return places_[slot]; }
    std::span<const uint32_t> places() const { return places_; }
    // Calls visit(place) for the used slots.
    template <class Visit>
    void for_each_place(Visit&& visit) const {
        for (const uint32_t place : places_)
            if (place != kNone) visit(place);
    }
    uint32_t find(uint64_t key) const {
        const uint32_t slot = find_slot(key);
        return slot == kNone ? kNone : places_[slot];
    }
    // The slot of a feature; kNone if it is unknown.
    uint32_t find_slot(uint64_t key) const {
        const uint64_t mixed = mix(key, seed_);
        const uint32_t expected = fingerprint(mixed);
        for (uint32_t slot = home(mixed, capacity_);; ++slot) {
            const uint32_t actual = fingerprints_[slot];
            if (actual == expected) return slot;
            if (actual == 0) return kNone;
        }
    }
    void prefetch_place(uint32_t slot) const { prefetch_line(&places_[slot]); }
    [[gnu::always_inline]] void prefetch(uint64_t key) const { prefetch_line(&fingerprints_[home(mix(key, seed_), capacity_)]); }
    // Prefetches the place, too, for searches that are likely to succeed.
    [[gnu::always_inline]] void prefetch_all(uint64_t key) const {
        const uint32_t slot = home(mix(key, seed_), capacity_);
        prefetch_line(&fingerprints_[slot]);
        prefetch_line(&places_[slot]);
    }

    // Writes an index of features to a model, without those whose place is kNone. `keys` and `places` are [features] arrays.
    static void write(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& places, const std::string& name, Tensors& to);
    // Writes an index by feature id, which is the slot; `find` returns kNone for every hash.
    static void write_numbered(std::vector<uint32_t> places, const std::string& name, Tensors& to);

private:
    struct Arrays {
        std::vector<uint32_t> fingerprints, places;  // [slots] arrays
    };
    // Puts features, sorted by `mixed`, into the first free slots from their homes. False if two in the same run have
    // equal fingerprints, or a run is too long.
    static bool fill(const std::vector<uint32_t>& features, const std::vector<uint64_t>& mixed, const std::vector<uint32_t>& places,
                     uint32_t capacity, Arrays& out);
    static uint64_t mix(uint64_t key, uint64_t seed) { return seed ? combine(key, seed) : key; }
    static uint32_t home(uint64_t mixed, uint32_t capacity) { return static_cast<uint32_t>((mixed >> 32) * capacity >> 32); }
    static uint32_t fingerprint(uint64_t mixed) {
        const auto lower = static_cast<uint32_t>(mixed);
        return lower + (lower == 0);
    }

    std::span<const uint32_t> fingerprints_, places_;  // [slots] arrays
    uint32_t capacity_ = 0;                            // 0: an index by feature id
    uint64_t seed_ = 0;
};

// Replaces the feature ids of an encoding by places, for an index by id. Drops features without a place; throws InputFault for ids
// out of range.
Encoding replace_ids_by_places(const FrozenIndex& index, const Encoding& encoding);

}  // namespace tagpool
