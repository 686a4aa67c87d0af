// Conjunctions of two features that the online learner has induced: the bit array F of dynamic feature induction (Choi 2016).
//
// A conjunction is unordered and identified by its slot in F; conjunctions with the same slot are one feature. Each feature has a 32-bit
// hash, and the hash of a conjunction is the exclusive or of both.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/buffer.hpp"

namespace tagpool {

// View of F: one bit per slot, or per 2^shift adjacent slots. Fewer bits stay in the cache, but have false positives.
struct ConjunctionSet {
    const uint64_t* bits = nullptr;
    uint32_t slots = 0, shift = 0;

    // Hash of a feature from its key; never 0, which marks features without conjunctions.
    static uint32_t hash_of(uint64_t key) {
        const auto upper = static_cast<uint32_t>(key >> 32);
        return upper + (upper == 0);
    }
    uint32_t slot(uint32_t a, uint32_t b) const { return static_cast<uint32_t>(uint64_t{a ^ b} * slots >> 32); }
    bool may_have(uint32_t slot) const { return bits[slot >> shift >> 6] >> (slot >> shift & 63) & 1; }

    // Appends the slots of `one` with each of `count` others that may be in F.
    void join(uint32_t one, const uint32_t* others, size_t count, Buffer<uint32_t>& out) const {
        out.reserve_more(count + kRoom);
        uint32_t* const begin = out.data() + out.size();
        out.extend_written(static_cast<size_t>(joining_.with_one(*this, one, others, count, begin) - begin));
    }
    // The same for all pairs of `count` features.
    void join_all(const uint32_t* hashes, size_t count, Buffer<uint32_t>& out) const {
        out.reserve_more(count * (count + 1) / 2 + kRoom);
        uint32_t* const begin = out.data() + out.size();
        out.extend_written(static_cast<size_t>(joining_.all(*this, hashes, count, begin) - begin));
    }

private:
    static constexpr size_t kRoom = 8;  // unused numbers that may be written after the output

    // Implementations for the widest available vectors. They return the end of the output.
    struct Joining {
        uint32_t* (*with_one)(const ConjunctionSet& view, uint32_t one, const uint32_t* others, size_t count, uint32_t* out);
        uint32_t* (*all)(const ConjunctionSet& view, const uint32_t* hashes, size_t count, uint32_t* out);
    };
    static Joining joining();
    static const Joining joining_;
};

// Bits of a growing F, about eight per conjunction.
class ConjunctionBits {
public:
    explicit ConjunctionBits(uint32_t slots) : slots_(slots) { make({}); }

    ConjunctionSet view() const { return {bits_.data(), slots_, shift_}; }
    // Adds the last of all slots in F.
    void add_last(const std::vector<uint32_t>& in_f) {
        if (shift_ > 0 && in_f.size() * kEach > size_t{slots_} >> shift_) make(in_f);
        else set(in_f.back());
    }
    void make(const std::vector<uint32_t>& in_f) {
        shift_ = 0;
        while (size_t{slots_} >> (shift_ + 1) >= std::max(kLeast, in_f.size() * kEach)) ++shift_;
        bits_.assign((size_t{slots_} >> shift_) / 64 + 1, 0);
        for (const uint32_t slot : in_f) set(slot);
    }

private:
    static constexpr size_t kEach = 8, kLeast = size_t{1} << 18;

    void set(uint32_t slot) { bits_[slot >> shift_ >> 6] |= uint64_t{1} << (slot >> shift_ & 63); }

    uint32_t slots_, shift_ = 0;
    AlignedVector<uint64_t> bits_;
};

}  // namespace tagpool
