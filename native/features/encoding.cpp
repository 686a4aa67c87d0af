#include "features/encoding.hpp"

#include <string>

#include "base/fault.hpp"

namespace tagpool {

std::vector<uint32_t> count_features(const Encoding& encoding, uint32_t features) {
    std::vector<uint32_t> counts(features);
    for (uint32_t id : encoding.ids) ++counts[id];
    return counts;
}

Encoding cut(const Encoding& encoding, size_t first, size_t last) {
    const std::vector<uint32_t>& sentences = encoding.sentences;
    if (first > last || last >= sentences.size())
        throw InputFault("sentences to cut are out of range; there are " + std::to_string(sentences.size() - 1));
    Encoding out;
    out.ids.reserve_more(encoding.starts[sentences[last]] - encoding.starts[sentences[first]]);
    for (size_t sentence = first; sentence < last; ++sentence) {
        for (uint32_t token = sentences[sentence]; token < sentences[sentence + 1]; ++token) {
            for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) out.append(encoding.ids[i], encoding.value(i));
            out.end_token();
        }
        out.sentences.push_back(static_cast<uint32_t>(out.token_count()));
    }
    return out;
}

Encoding without_some(const Encoding& encoding, double rate, Random random) {
    Encoding out;
    out.sentences = encoding.sentences;
    out.ids.reserve_more(static_cast<size_t>((1 - rate) * static_cast<double>(encoding.ids.size())));
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            if (random.uniform() >= rate) out.append(encoding.ids[i], encoding.value(i));
        out.end_token();
    }
    return out;
}

std::vector<uint32_t> prune(Encoding& encoding, std::vector<uint32_t>& counts, FeatureIndex& index, uint32_t minimum) {
    std::vector<uint32_t> new_ids(counts.size(), FeatureIndex::kNone);
    uint32_t count = 0;
    for (uint32_t id = 0; id < counts.size(); ++id) {
        if (counts[id] < minimum) continue;
        counts[count] = counts[id];
        new_ids[id] = count++;
    }
    counts.resize(count);
    index.renumber(new_ids, count);
    uint64_t write = 0, read = 0;
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        for (const uint64_t end = encoding.starts[token + 1]; read < end; ++read) {
            const uint32_t id = new_ids[encoding.ids[read]];
            if (id == FeatureIndex::kNone) continue;
            encoding.ids[write] = id;
            if (!encoding.values.empty()) encoding.values[write] = encoding.values[read];
            ++write;
        }
        encoding.starts[token + 1] = write;
    }
    encoding.ids.truncate(write);
    if (!encoding.values.empty()) encoding.values.truncate(write);
    encoding.shrink();
    return new_ids;
}

Encoding gather(const std::vector<Selection>& selections) {
    Encoding out;
    for (const auto& [encoding, sentences, marks] : selections)
        for (const uint32_t sentence : sentences) {
            if (sentence + size_t{1} >= encoding->sentences.size()) throw InputFault("the encoding has no sentence with this number");
            for (size_t token = encoding->sentences[sentence]; token < encoding->sentences[sentence + 1]; ++token) {
                for (uint64_t i = encoding->starts[token]; i < encoding->starts[token + 1]; ++i) {
                    const uint32_t id = encoding->ids[i];
                    if (!marks.empty() && id >= marks.size()) throw InputFault("expected a mark for every feature");
                    if (marks.empty() || marks[id]) out.append(id, encoding->value(i));
                }
                out.end_token();
            }
            out.sentences.push_back(static_cast<uint32_t>(out.token_count()));
        }
    out.shrink();
    return out;
}

}  // namespace tagpool
