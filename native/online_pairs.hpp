// Pairs of features that the online learner has joined: the bit array F of dynamic feature induction (Choi 2016).
//
// A pair is unordered and known by a slot of F alone: pairs that share a slot are one feature. Each feature has a hash of 32 bits; the
// exclusive or of two hashes is the pair's, whichever comes first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagpool {

// F, wherever its bits lie.
struct PairView {
    const uint64_t* bits = nullptr;
    uint32_t slots = 0;

    // The hash of a feature that is known by this key; never 0, which stands for a feature that no pair has.
    static uint32_t hash_of(uint64_t key) {
        const auto upper = static_cast<uint32_t>(key >> 32);
        return upper + (upper == 0);
    }
    uint32_t slot(uint32_t a, uint32_t b) const { return static_cast<uint32_t>(uint64_t{a ^ b} * slots >> 32); }
    bool has(uint32_t slot) const { return bits[slot / 64] >> (slot % 64) & 1; }

    // Appends the slots in F of `one` with each of `count` others. Few pairs are in F, but which ones cannot be foreseen: so nothing branches.
    void join(uint32_t one, const uint32_t* others, size_t count, std::vector<uint32_t>& out) const {
        size_t size = out.size();
        out.resize(size + count + 1);
        for (size_t i = 0; i < count; ++i) {
            const uint32_t found = slot(one, others[i]);
            out[size] = found;
            size += has(found);
        }
        out.resize(size);
    }
    // Of each feature with those behind it.
    void join_all(const uint32_t* hashes, size_t count, std::vector<uint32_t>& out) const {
        for (size_t i = 0; i + 1 < count; ++i) join(hashes[i], hashes + i + 1, count - i - 1, out);
    }
};

}  // namespace tagpool
