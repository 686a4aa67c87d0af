#include "text/sort_texts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace tagpool {
namespace {

static_assert(std::endian::native == std::endian::little);

// A text and eight of its bytes as a big-endian number. Most comparisons need only the numbers.
struct KeyedText {
    uint64_t key;
    std::string_view text;
};

constexpr size_t kBytes = sizeof(uint64_t);

uint64_t key_at(std::string_view text, size_t depth) {
    uint64_t bytes = 0;
    if (text.size() > depth) std::memcpy(&bytes, text.data() + depth, std::min(kBytes, text.size() - depth));
    return __builtin_bswap64(bytes);
}

// Sorts texts that have their first `depth` bytes in common.
void sort_from(std::span<KeyedText> items, size_t depth) {
    for (KeyedText& item : items) item.key = key_at(item.text, depth);
    std::sort(items.begin(), items.end(), [](const KeyedText& a, const KeyedText& b) { return a.key < b.key; });
    for (size_t begin = 0, end; begin < items.size(); begin = end) {
        end = begin + 1;
        bool all_longer = items[begin].text.size() > depth + kBytes;
        for (; end < items.size() && items[end].key == items[begin].key; ++end) all_longer &= items[end].text.size() > depth + kBytes;
        const std::span<KeyedText> same = items.subspan(begin, end - begin);
        // The zeros that pad the key of a shorter text may be real bytes of another one.
        if (same.size() > 8 && all_longer) sort_from(same, depth + kBytes);
        else if (same.size() > 1) std::sort(same.begin(), same.end(), [](const KeyedText& a, const KeyedText& b) { return a.text < b.text; });
    }
}

}  // namespace

void sort_texts(std::vector<std::string_view>& texts) {
    std::vector<KeyedText> items;
    items.reserve(texts.size());
    for (const std::string_view text : texts) items.push_back({0, text});
    sort_from(items, 0);
    for (size_t i = 0; i < texts.size(); ++i) texts[i] = items[i].text;
}

}  // namespace tagpool
