#include "dataset/packed_sentences.hpp"

#include <cstring>

#include "base/fault.hpp"

namespace tagpool {
namespace {

// A pack has the numbers of sentences and tokens, the lengths of sentences, the labels, the rows, and perhaps those of the history.
// Rows are their number of entries, whether there are values, the lengths of rows, the ids and the values.

class Packer {
public:
    template <class T>
    void put(const T* values, size_t count) {
        if (count) bytes_.append(reinterpret_cast<const char*>(values), count * sizeof(T));
    }
    void number(uint64_t value) { put(&value, 1); }
    void rows(const Encoding& encoding, size_t begin, size_t end) {
        const uint64_t first = encoding.starts[begin], last = encoding.starts[end];
        number(last - first);
        number(!encoding.values.empty());
        for (size_t token = begin; token < end; ++token) {
            const auto length = static_cast<uint32_t>(encoding.starts[token + 1] - encoding.starts[token]);
            put(&length, 1);
        }
        put(encoding.ids.data() + first, last - first);
        if (!encoding.values.empty()) put(encoding.values.data() + first, last - first);
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

    const char* take(size_t count, size_t size) {
        if (count > bytes_.size() / size) throw InputFault("packed sentences are damaged");
        const char* const data = bytes_.data();
        bytes_.remove_prefix(count * size);
        return data;
    }
    template <class T>
    T one(const char* data, size_t i = 0) const {
        T value;
        std::memcpy(&value, data + i * sizeof(T), sizeof(T));
        return value;
    }
    uint64_t number() { return one<uint64_t>(take(1, sizeof(uint64_t))); }
    void rows(size_t tokens, Encoding& out) {
        const uint64_t entries = number(), valued = number();
        const char* const lengths = take(tokens, sizeof(uint32_t));
        uint64_t at = out.ids.size();
        const uint64_t end = at + entries;
        if (valued && out.values.empty()) out.values.fill(at, 1.0f);
        out.starts.reserve_more(tokens);
        for (size_t token = 0; token < tokens; ++token) out.starts.push_unchecked(at += one<uint32_t>(lengths, token));
        if (at != end) throw InputFault("packed sentences are damaged");
        append(out.ids, take(entries, sizeof(uint32_t)), entries);
        if (valued) append(out.values, take(entries, sizeof(float)), entries);
        else if (!out.values.empty())
            for (uint64_t i = 0; i < entries; ++i) out.values.push_back(1.0f);
    }
    bool empty() const { return bytes_.empty(); }

private:
    template <class T>
    static void append(Buffer<T>& to, const char* data, size_t count) {
        to.reserve_more(count);
        if (count) std::memcpy(to.data() + to.size(), data, count * sizeof(T));
        to.extend_written(count);
    }

    std::string_view bytes_;
};

}  // namespace

std::string pack_sentences(const Encoding& encoding, const int32_t* gold, const Encoding* history, size_t first, size_t last) {
    const size_t begin = encoding.sentences[first], end = encoding.sentences[last];
    Packer out;
    out.number(last - first);
    out.number(end - begin);
    for (size_t sentence = first; sentence < last; ++sentence) {
        const uint32_t length = encoding.sentences[sentence + 1] - encoding.sentences[sentence];
        out.put(&length, 1);
    }
    out.put(gold + begin, end - begin);
    out.rows(encoding, begin, end);
    if (history) out.rows(*history, begin, end);
    return out.take();
}

PackedSentences unpack_sentences(const std::vector<std::string_view>& packs) {
    PackedSentences out;
    for (const std::string_view pack : packs) {
        Unpacker from(pack);
        const uint64_t sentences = from.number(), tokens = from.number();
        const char* const lengths = from.take(sentences, sizeof(uint32_t));
        for (size_t i = 0; i < sentences; ++i) out.encoding.sentences.push_back(out.encoding.sentences.back() + from.one<uint32_t>(lengths, i));
        const char* const gold = from.take(tokens, sizeof(int32_t));
        for (size_t i = 0; i < tokens; ++i) out.gold.push_back(from.one<int32_t>(gold, i));
        if (out.encoding.sentences.back() != out.gold.size()) throw InputFault("packed sentences are damaged");
        from.rows(tokens, out.encoding);
        const bool has_history = !from.empty();
        if (has_history) from.rows(tokens, out.history);
        if (&pack != &packs.front() && has_history != out.has_history) throw InputFault("packed sentences are damaged");
        out.has_history = has_history;
    }
    if (out.has_history) out.history.sentences = out.encoding.sentences;
    return out;
}

}  // namespace tagpool
