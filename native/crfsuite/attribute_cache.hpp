// AttributeWeights: attributes that were met before, each with its text and its weights side by side. Attributes come again and again; in a
// file of CRFsuite's the way from a text to its weights leads to six places, here to two. Also kept is which ones are not known at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "crfsuite/attributes.hpp"
#include "base/fault.hpp"

namespace tagpool {

class AttributeWeights {
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kMost = size_t{16} << 20;  // bytes; then all is forgotten, and begun again

    struct Weight {
        double value;
        uint32_t label;
    };
    // What is kept of an attribute; the numbers follow each other: values, then labels.
    class View {
    public:
        explicit View(const char* at) : at_(at) { std::memcpy(&count_, at + 4, 4); }
        uint32_t count() const { return count_; }
        double value(uint32_t i) const { return read<double>(kHead + size_t{i} * 8); }
        uint16_t label(uint32_t i) const { return read<uint16_t>(kHead + size_t{count_} * 8 + size_t{i} * 2); }

    private:
        template <class Number>
        Number read(size_t at) const {
            Number out;
            std::memcpy(&out, at_ + at, sizeof(Number));
            return out;
        }
        const char* at_;
        uint32_t count_;
    };

    // Of a text with kJenkinsPadding zeros behind it.
    static uint64_t hash(std::string_view text) {
        static_assert(kJenkinsPadding >= 8);
        uint64_t out = text.size() + 1;
        for (size_t i = 0; i < text.size(); i += 8) out = mixed(out ^ word_at(text.data() + i));
        return mixed(out ^ kSecond);
    }

    // Looking up goes in steps, so that those who look up many need not wait for memory: each of these asks for what the next one reads.
    void prefetch(uint64_t hash) const { __builtin_prefetch(slots_.data() + first_slot(hash)); }
    void prefetch_record(uint64_t hash) const {
        const Slot& slot = slots_[first_slot(hash)];
        if (slot.record == kFree) return;
        __builtin_prefetch(records_.data() + slot.record);
        __builtin_prefetch(records_.data() + slot.record + 56);  // few are longer
    }
    // Where the attribute is kept, kNone if it is not; valid until `forget_if_full`.
    uint32_t find(uint64_t hash, std::string_view text) const {
        for (size_t at = first_slot(hash); slots_[at].record != kFree; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].tag == tag_of(hash) && is(slots_[at].record, text)) return slots_[at].record;
        return kNone;
    }
    View operator[](uint32_t record) const { return View(records_.data() + record); }

    // Keeps an attribute that is not there yet.
    uint32_t add(uint64_t hash, std::string_view text, const std::vector<Weight>& weights) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        const size_t size = kHead + weights.size() * 10 + text.size();
        if (records_.size() + size > UINT32_MAX / 2) throw InputFault("the texts of a few features take more than 2 GB");
        const auto record = static_cast<uint32_t>(records_.size());
        records_.resize(record + (size + 15) / 8 * 8);  // at least eight zeros less one behind the text
        char* out = records_.data() + record;
        const uint32_t head[2] = {static_cast<uint32_t>(text.size()), static_cast<uint32_t>(weights.size())};
        std::memcpy(out, head, kHead);
        out += kHead;
        for (const Weight& weight : weights) out = write(out, weight.value);
        for (const Weight& weight : weights) out = write(out, static_cast<uint16_t>(weight.label));
        if (!text.empty()) std::memcpy(out, text.data(), text.size());
        put(hash, record);
        ++count_;
        return record;
    }

    void forget_if_full() {
        if (records_.size() < kMost) return;
        records_.clear();
        slots_.assign(kFewest, Slot{0, kFree});
        count_ = 0;
    }

private:
    static constexpr uint32_t kFree = UINT32_MAX;
    static constexpr size_t kHead = 8, kFewest = 1024;
    static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xd1b54a32d192ed03u;
    struct Slot {
        uint32_t tag, record;
    };

    static uint64_t word_at(const char* text) {
        uint64_t word;
        std::memcpy(&word, text, 8);
        return word;
    }
    // Both halves of a long product.
    static uint64_t mixed(uint64_t x) {
        const auto product = static_cast<unsigned __int128>(x ^ kSecond) * kFirst;
        return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    }
    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
    size_t first_slot(uint64_t hash) const { return hash & (slots_.size() - 1); }

    template <class Number>
    static char* write(char* out, Number number) {
        std::memcpy(out, &number, sizeof(Number));
        return out + sizeof(Number);
    }

    // Whether a record is of this text, which has zeros behind it like those of the record.
    bool is(uint32_t record, std::string_view text) const {
        const char* const at = records_.data() + record;
        uint32_t head[2];
        std::memcpy(head, at, kHead);
        if (head[0] != text.size()) return false;
        const char* const kept = at + kHead + size_t{head[1]} * 10;
        for (size_t i = 0; i < text.size(); i += 8)
            if (word_at(kept + i) != word_at(text.data() + i)) return false;
        return true;
    }

    void put(uint64_t hash, uint32_t record) {
        size_t at = first_slot(hash);
        while (slots_[at].record != kFree) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {tag_of(hash), record};
    }

    void grow() {
        slots_.assign(slots_.size() * 2, Slot{0, kFree});
        for (size_t record = 0; record < records_.size();) {
            uint32_t head[2];
            std::memcpy(head, records_.data() + record, kHead);
            const size_t size = kHead + size_t{head[1]} * 10;
            put(hash({records_.data() + record + size, head[0]}), static_cast<uint32_t>(record));
            record += (size + head[0] + 15) / 8 * 8;
        }
    }

    std::vector<char> records_;  // sizes of text and weights, values, labels, text, zeros
    std::vector<Slot> slots_ = std::vector<Slot>(kFewest, Slot{0, kFree});
    size_t count_ = 0;
};

}  // namespace tagpool
