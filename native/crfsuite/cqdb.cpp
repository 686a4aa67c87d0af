#include "crfsuite/cqdb.hpp"

#include <array>
#include <vector>

#include "base/fault.hpp"
#include "crfsuite/jenkins.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kByteOrder = 0x62445371;
constexpr size_t kRecordHead = 8;  // number and text size

uint32_t hash_of(std::string_view text, std::string& scratch) {
    scratch.assign(text).append(kJenkinsPadding, '\0');
    return jenkins_hash(scratch.data(), text.size());
}

}  // namespace

Cqdb::Cqdb(std::string_view bytes, const char* what) : bytes_(bytes), what_(what) {
    if (bytes_.size() < kRecords || bytes_.substr(0, 4) != "CQDB") fail("does not begin with CQDB");
    const uint32_t size = read_u32(bytes_.data() + 4);
    if (size < kRecords || size > bytes_.size()) fail("is truncated");
    bytes_ = bytes_.substr(0, size);
    if (read_u32(bytes_.data() + 12) != kByteOrder) fail("has another byte order");
    size_ = read_u32(bytes_.data() + 16);
    backward_ = read_u32(bytes_.data() + 20);
    if (backward_ > size || size_ > (size - backward_) / 4) fail("has numbers beyond its end");
    for (uint32_t table = 0; table < kTables; ++table)
        if (const uint32_t count = count_of(table); count > 0 && (begin_of(table) > size || count > (size - begin_of(table)) / 8))
            fail("has tables beyond its end");
}

void Cqdb::fail(const std::string& message) const { throw InputFault(std::string("damaged: the dictionary of ") + what_ + " " + message); }

std::string_view Cqdb::key(uint32_t record) const {
    if (record < kRecords || record > bytes_.size() - kRecordHead) fail("has a record outside its bounds");
    const uint32_t size = read_u32(bytes_.data() + record + 4);
    if (size == 0 || size > bytes_.size() - kRecordHead - record) fail("has a text beyond its end");
    return bytes_.substr(record + kRecordHead, size - 1);
}

std::string_view Cqdb::text(uint32_t number) const {
    if (number >= size_) fail("has no number " + std::to_string(number));
    const uint32_t record = read_u32(bytes_.data() + backward_ + size_t{number} * 4);
    if (record == 0) fail("has no text for number " + std::to_string(number));
    return key(record);
}

uint32_t Cqdb::record_at(Slot& slot) const {
    const uint32_t count = count_of(slot.table);
    const char* const begin = bytes_.data() + begin_of(slot.table);
    while (slot.left > 0) {
        const char* const entry = begin + size_t{slot.index} * 8;
        const uint32_t record = read_u32(entry + 4);
        if (record == 0) return 0;
        slot.index = slot.index + 1 == count ? 0 : slot.index + 1;
        --slot.left;
        if (read_u32(entry) == slot.hash) return record;
    }
    return 0;
}

uint32_t Cqdb::number_at(uint32_t record, std::string_view text) const {
    if (key(record) != text) return kNone;
    const uint32_t number = read_u32(bytes_.data() + record);
    if (number >= size_) fail("has a number beyond its size");
    return number;
}

void append_cqdb(std::string& file, std::span<const std::string_view> texts) {
    constexpr uint32_t kTables = 256;
    struct Entry {
        uint32_t hash, record;
    };
    std::array<std::vector<Entry>, kTables> tables;
    std::vector<uint32_t> records;
    records.reserve(texts.size());
    const size_t begin = file.size();  // offsets are relative to here
    const auto here = [&] { return static_cast<uint32_t>(file.size() - begin); };
    file.append("CQDB");
    file.resize(begin + 24 + kTables * 8);
    std::string scratch;
    for (uint32_t number = 0; number < texts.size(); ++number) {
        const uint32_t hash = hash_of(texts[number], scratch);
        tables[hash % kTables].push_back({hash, here()});
        records.push_back(here());
        append_u32(file, number);
        append_u32(file, static_cast<uint32_t>(texts[number].size() + 1));
        file.append(texts[number]).push_back('\0');
        if (file.size() - begin > UINT32_MAX / 2)
            throw InputFault("the texts are too long: a CRFsuite file has at most 4 GB; use fewer or shorter features");
    }
    for (uint32_t table = 0; table < kTables; ++table) {
        // Half of the slots stay free, which keeps searches short.
        const auto count = static_cast<uint32_t>(tables[table].size() * 2);
        std::vector<Entry> places(count, Entry{0, 0});
        for (const Entry& entry : tables[table]) {
            uint32_t index = (entry.hash >> 8) % count;
            while (places[index].record != 0) index = (index + 1) % count;
            places[index] = entry;
        }
        write_u32(file.data() + begin + 24 + size_t{table} * 8, count ? here() : 0);
        write_u32(file.data() + begin + 24 + size_t{table} * 8 + 4, count);
        for (const Entry& entry : places) {
            append_u32(file, entry.hash);
            append_u32(file, entry.record);
        }
    }
    const uint32_t backward = records.empty() ? 0 : here();
    for (uint32_t record : records) append_u32(file, record);
    const uint32_t head[5] = {here(), 0, kByteOrder, static_cast<uint32_t>(records.size()), backward};
    for (size_t i = 0; i < 5; ++i) write_u32(file.data() + begin + 4 + i * 4, head[i]);
}

}  // namespace tagpool
