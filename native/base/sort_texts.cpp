#include "base/sort_texts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/portable.hpp"

namespace tagpool {
namespace {

struct Entry {
    uint64_t key;  // eight bytes of the text, the first one highest; 0 behind its end
    std::string_view text;
};

uint64_t key_at(std::string_view text, size_t depth) {
    if (depth >= text.size()) return 0;
    uint64_t key = 0;
    std::memcpy(&key, text.data() + depth, std::min(sizeof(key), text.size() - depth));
    if constexpr (std::endian::native == std::endian::little) key = reverse_bytes(key);
    return key;
}

// Sorts texts that have their first `depth` bytes in common.
void sort_from(std::span<Entry> entries, size_t depth) {
    const auto by_text = [](const Entry& a, const Entry& b) { return a.text < b.text; };
    constexpr size_t kFew = 8, kDeep = 512;  // deeper calls could exceed the stack
    if (entries.size() <= kFew || depth >= kDeep) return std::sort(entries.begin(), entries.end(), by_text);
    for (Entry& entry : entries) entry.key = key_at(entry.text, depth);
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
        bool ends = false;  // some text ends inside the key: it may equal that of a text with zeros
        for (; end < entries.size() && entries[end].key == entries[begin].key; ++end) ends |= entries[end].text.size() <= depth + sizeof(uint64_t);
        const std::span<Entry> equal = entries.subspan(begin, end - begin);
        if (equal.size() == 1) continue;
        if (ends) std::sort(equal.begin(), equal.end(), by_text);
        else sort_from(equal, depth + sizeof(uint64_t));
    }
}

}  // namespace

void sort_texts(std::vector<std::string_view>& texts) {
    std::vector<Entry> entries;
    entries.reserve(texts.size());
    for (const std::string_view text : texts) entries.push_back({0, text});
    sort_from(entries, 0);
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = entries[i].text;
}

}  // namespace tagpool
