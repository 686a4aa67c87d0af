// Cqdb: a dictionary of a CRFsuite file, text <-> number, read in place (docs/reference/crfsuite-format.md).
//
// The file may be damaged: every offset is checked before it is used, and a wrong one throws InputFault.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/little_endian.hpp"
#include "base/portable.hpp"

namespace tagpool {

class Cqdb {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    Cqdb() = default;
    // `bytes` begin with the dictionary and must outlive it. `what` names its contents in error messages.
    Cqdb(std::string_view bytes, const char* what);

    // Largest number + 1.
    uint32_t size() const { return size_; }
    std::string_view text(uint32_t number) const;

    // A lookup has three steps: `first_slot`, `record_at`, `number_at`. Prefetching between them lets many lookups overlap.
    struct Slot {
        uint32_t hash, table, index, left;  // index in the table; entries left to visit
    };
    Slot first_slot(uint32_t hash) const {
        const uint32_t table = hash % kTables, count = count_of(table);
        return {hash, table, count ? (hash >> 8) % count : 0, std::min(count, kMaxProbes)};
    }
    void prefetch(const Slot& slot) const {
        if (slot.left) prefetch_line(bytes_.data() + begin_of(slot.table) + size_t{slot.index} * 8);
    }
    // Offset of the next record with the hash, 0 if it is missing. Advances the slot past it.
    uint32_t record_at(Slot& slot) const;
    void prefetch_record(uint32_t record) const { prefetch_line(bytes_.data() + record); }
    // Number of the record if it has this text, else kNone.
    uint32_t number_at(uint32_t record, std::string_view text) const;

private:
    static constexpr uint32_t kTables = 256;
    static constexpr uint32_t kMaxProbes = 4096;  // half of a table's slots are free; a hostile file has none
    static constexpr size_t kHead = 24, kRecords = kHead + kTables * 8;

    uint32_t begin_of(uint32_t table) const { return read_u32(bytes_.data() + kHead + size_t{table} * 8); }
    uint32_t count_of(uint32_t table) const { return read_u32(bytes_.data() + kHead + size_t{table} * 8 + 4); }
    // Text of a record.
    std::string_view key(uint32_t record) const;
    [[noreturn]] void fail(const std::string& message) const;

    std::string_view bytes_;
    const char* what_ = "";
    uint32_t size_ = 0, backward_ = 0;
};

// Appends a dictionary of texts, numbered in this order. The texts must be distinct.
void append_cqdb(std::string& file, std::span<const std::string_view> texts);

}  // namespace tagpool
