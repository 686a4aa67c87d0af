// AttributeCache: attributes that were looked up before, each with its text and weights side by side. A lookup in a CRFsuite file takes six
// cache misses, here two. Unknown attributes are cached, too, without weights.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "base/portable.hpp"
#include "crfsuite/attributes.hpp"

namespace tagpool {

class AttributeCache {
public:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kMaximum = size_t{16} << 20;  // bytes; a full cache is cleared

    struct Weight {
        double value;
        uint32_t label;
    };
    // Weights of one attribute: [count] values, then [count] labels.
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

    // The text must be followed by kJenkinsPadding zeros.
    static uint64_t hash(std::string_view text) {
        static_assert(kJenkinsPadding >= 8);
        uint64_t out = text.size() + 1;
        for (size_t i = 0; i < text.size(); i += 8) out = mix(out ^ word_at(text.data() + i));
        return mix(out ^ kSecond);
    }

    // A lookup has three steps: prefetch, prefetch_record, find. Each step prefetches the memory of the next, so that many lookups overlap.
    void prefetch(uint64_t hash) const { prefetch_line(slots_.data() + first_slot(hash)); }
    void prefetch_record(uint64_t hash) const {
        const Slot& slot = slots_[first_slot(hash)];
        if (slot.record == kFree) return;
        prefetch_line(records_.data() + slot.record);
        prefetch_line(records_.data() + slot.record + 56);  // enough for most records
    }
    // Record of an attribute, valid until `clear_if_full`; kNone if it is missing.
    uint32_t find(uint64_t hash, std::string_view text) const {
        for (size_t at = first_slot(hash); slots_[at].record != kFree; at = (at + 1) & (slots_.size() - 1))
            if (slots_[at].tag == tag_of(hash) && has_text(slots_[at].record, text)) return slots_[at].record;
        return kNone;
    }
    View operator[](uint32_t record) const { return View(records_.data() + record); }

    // Adds a new attribute.
    uint32_t add(uint64_t hash, std::string_view text, const std::vector<Weight>& weights) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        const size_t size = kHead + weights.size() * 10 + text.size();
        if (records_.size() + size > UINT32_MAX / 2) throw InputFault("the features of a sentence take more than 2 GB; use shorter feature names");
        const auto record = static_cast<uint32_t>(records_.size());
        records_.resize(record + (size + 15) / 8 * 8);  // at least seven zeros after the text
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

    void clear_if_full() {
        if (records_.size() < kMaximum) return;
        records_.clear();
        slots_.assign(kMinimum, Slot{0, kFree});
        count_ = 0;
    }

private:
    static constexpr uint32_t kFree = UINT32_MAX;
    static constexpr size_t kHead = 8, kMinimum = 1024;
    static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15u, kSecond = 0xd1b54a32d192ed03u;
    struct Slot {
        uint32_t tag, record;
    };

    static uint64_t word_at(const char* text) {
        uint64_t word;
        std::memcpy(&word, text, 8);
        return word;
    }
    // Combines both halves of a 128-bit product.
    static uint64_t mix(uint64_t x) {
        const WideProduct product = multiply_wide(x ^ kSecond, kFirst);
        return product.low ^ product.high;
    }
    static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
    size_t first_slot(uint64_t hash) const { return hash & (slots_.size() - 1); }

    template <class Number>
    static char* write(char* out, Number number) {
        std::memcpy(out, &number, sizeof(Number));
        return out + sizeof(Number);
    }

    // Compares 8 bytes at a time; both texts are followed by zeros.
    bool has_text(uint32_t record, std::string_view text) const {
        const char* const at = records_.data() + record;
        uint32_t head[2];
        std::memcpy(head, at, kHead);
        if (head[0] != text.size()) return false;
        const char* const stored = at + kHead + size_t{head[1]} * 10;
        for (size_t i = 0; i < text.size(); i += 8)
            if (word_at(stored + i) != word_at(text.data() + i)) return false;
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

    std::vector<char> records_;  // for each: text size, number of weights, values, labels, text, zeros
    std::vector<Slot> slots_ = std::vector<Slot>(kMinimum, Slot{0, kFree});
    size_t count_ = 0;
};

}  // namespace tagpool
