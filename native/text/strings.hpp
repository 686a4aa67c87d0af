// StringTable: strings interned to consecutive ids, with their hash kept, so that nothing is hashed twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"

namespace tagpool {

class StringTable {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    uint32_t intern(std::string_view text);
    uint32_t find(std::string_view text) const;

    std::string_view operator[](uint32_t id) const {
        return std::string_view(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]);
    }
    uint64_t hash(uint32_t id) const { return hashes_[id]; }
    const std::vector<uint64_t>& hashes() const { return hashes_; }
    uint32_t size() const { return static_cast<uint32_t>(hashes_.size()); }

private:
    // The slot that holds this text, or the free one where it belongs.
    size_t slot_of(std::string_view text, uint64_t hash) const;
    void grow();

    std::string bytes_;                  // all strings, one after another
    std::vector<uint64_t> ends_ = {0};   // ends_[i]..ends_[i + 1] is string i
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> slots_;        // open addressing, kNone = free; at most two thirds full
};

}  // namespace tagpool
