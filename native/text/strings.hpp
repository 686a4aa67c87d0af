// StringTable: interns strings to consecutive ids and stores their hashes.
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
    uint32_t find(std::string_view text) const { return find(text, hash_bytes(text)); }  // kNone if absent
    // The same with the hash of the text, for a string of another table.
    uint32_t find(std::string_view text, uint64_t hash) const { return slots_.empty() ? kNone : slots_[find_slot(text, hash)]; }

    std::string_view operator[](uint32_t id) const { return std::string_view(bytes_).substr(ends_[id], ends_[id + 1] - ends_[id]); }
    uint64_t hash(uint32_t id) const { return hashes_[id]; }
    const std::vector<uint64_t>& hashes() const { return hashes_; }
    uint32_t size() const { return static_cast<uint32_t>(hashes_.size()); }
    size_t byte_count() const { return bytes_.size(); }
    // All strings, concatenated, and a [size + 1] array: string i is bytes()[ends()[i]..ends()[i + 1]].
    const char* bytes() const { return bytes_.data(); }
    const uint64_t* ends() const { return ends_.data(); }

private:
    // The slot of this text, or the free slot where it belongs.
    size_t find_slot(std::string_view text, uint64_t hash) const;
    void grow();

    std::string bytes_;
    std::vector<uint64_t> ends_ = {0};
    std::vector<uint64_t> hashes_;  // a [size] array
    std::vector<uint32_t> slots_;   // ids by open addressing, kNone = free; at most two thirds full
};

}  // namespace tagpool
