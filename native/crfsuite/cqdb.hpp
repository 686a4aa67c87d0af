// Cqdb: the dictionaries of a CRFsuite file, text <-> number, used where they lie (docs/crfsuite-format.md).
//
// A dictionary may be damaged anywhere: every place is checked before it is read, and what does not fit is an InputFault.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/little_endian.hpp"

namespace tagpool {

class Cqdb {
public:
    static constexpr uint32_t kNone = UINT32_MAX;

    Cqdb() = default;
    // `bytes` begin with the dictionary, and outlive it; `what` it is of, for messages.
    Cqdb(std::string_view bytes, const char* what);

    // One more than the largest number.
    uint32_t size() const { return size_; }
    std::string_view text(uint32_t number) const;

    // Looking a text up goes in steps, so that those who look up many need not wait for memory: `first_slot`, then `record_at` from there
    // on, then `number_at` of the record. The text must have kJenkinsPadding zeros behind it where it is hashed.
    struct Slot {
        uint32_t hash, table, index, left;  // index within the table; how many of its entries were not looked at yet
    };
    Slot first_slot(uint32_t hash) const {
        const uint32_t table = hash % kTables, count = count_of(table);
        return {hash, table, count ? (hash >> 8) % count : 0, count};
    }
    void prefetch(const Slot& slot) const {
        if (slot.left) __builtin_prefetch(bytes_.data() + begin_of(slot.table) + size_t{slot.index} * 8);
    }
    // Where the next record of that hash lies, 0 if there is none; the slot is left behind it.
    uint32_t record_at(Slot& slot) const;
    void prefetch_record(uint32_t record) const { __builtin_prefetch(bytes_.data() + record); }
    // The number of the record if it is of this text, else kNone.
    uint32_t number_at(uint32_t record, std::string_view text) const;

private:
    static constexpr uint32_t kTables = 256;
    static constexpr size_t kHead = 24, kRecords = kHead + kTables * 8;

    uint32_t begin_of(uint32_t table) const { return read_u32(bytes_.data() + kHead + size_t{table} * 8); }
    uint32_t count_of(uint32_t table) const { return read_u32(bytes_.data() + kHead + size_t{table} * 8 + 4); }
    // The text of a record.
    std::string_view key(uint32_t record) const;
    [[noreturn]] void fail(const std::string& message) const;

    std::string_view bytes_;
    const char* what_ = "";
    uint32_t size_ = 0, backward_ = 0;
};

// Appends a dictionary of texts numbered in this order. They must differ.
void append_cqdb(std::string& file, std::span<const std::string_view> texts);

}  // namespace tagpool
