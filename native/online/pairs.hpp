// Pairs of features that the online learner has joined: the bit array F of dynamic feature induction (Choi 2016).
//
// A pair is unordered and known by a slot of F alone: pairs that share a slot are one feature. Each feature has a hash of 32 bits; the
// exclusive or of two hashes is the pair's, whichever comes first.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/buffer.hpp"

namespace tagpool {

// F, wherever its bits lie: one for each slot, or for 2^shift slots that follow one another. With fewer bits more of them stay in a cache; what
// they let through is then to be looked up.
struct PairView {
    const uint64_t* bits = nullptr;
    uint32_t slots = 0, shift = 0;

    // The hash of a feature that is known by this key; never 0, which stands for a feature that no pair has.
    static uint32_t hash_of(uint64_t key) {
        const auto upper = static_cast<uint32_t>(key >> 32);
        return upper + (upper == 0);
    }
    uint32_t slot(uint32_t a, uint32_t b) const { return static_cast<uint32_t>(uint64_t{a ^ b} * slots >> 32); }
    bool may_have(uint32_t slot) const { return bits[slot >> shift >> 6] >> (slot >> shift & 63) & 1; }

    // Appends the slots that may be in F of `one` with each of `count` others.
    void join(uint32_t one, const uint32_t* others, size_t count, Buffer<uint32_t>& out) const {
        out.reserve_more(count + kRoom);
        uint32_t* const begin = out.data() + out.size();
        out.extend_written(static_cast<size_t>(joining_.with_one(*this, one, others, count, begin) - begin));
    }
    // Of each feature with those behind it.
    void join_all(const uint32_t* hashes, size_t count, Buffer<uint32_t>& out) const {
        out.reserve_more(count * (count + 1) / 2 + kRoom);
        uint32_t* const begin = out.data() + out.size();
        out.extend_written(static_cast<size_t>(joining_.all(*this, hashes, count, begin) - begin));
    }

private:
    static constexpr size_t kRoom = 8;  // what is written may be followed by so many numbers that mean nothing

    // With the widest vectors there are. They return the end of what they have written.
    struct Joining {
        uint32_t* (*with_one)(const PairView& view, uint32_t one, const uint32_t* others, size_t count, uint32_t* out);
        uint32_t* (*all)(const PairView& view, const uint32_t* hashes, size_t count, uint32_t* out);
    };
    static Joining joining();
    static const Joining joining_;
};

// The bits of a growing F: about eight for each pair in it.
class PairBits {
public:
    explicit PairBits(uint32_t slots) : slots_(slots) { make({}); }

    PairView view() const { return {bits_.data(), slots_, shift_}; }
    // Adds the last of all slots that are in F.
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
