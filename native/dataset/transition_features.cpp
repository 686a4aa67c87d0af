#include "dataset/transition_features.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {
namespace {

// Calls visit(token) for every token that has one before it in its sentence, in their order.
template <class Visit>
void each_step(const std::vector<uint32_t>& sentences, Visit&& visit) {
    for (size_t sentence = 0; sentence + 1 < sentences.size(); ++sentence)
        for (size_t token = sentences[sentence] + size_t{1}; token < sentences[sentence + 1]; ++token) visit(token, sentences[sentence]);
}

void keep_distinct(std::vector<uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

Arcs::Arcs(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride, uint32_t order,
           const Encoding* history, uint32_t features, const KnownArcs& known) {
    if (order != 1 && order != 2) throw InputFault("expected an order of 1 or 2, got " + std::to_string(order));
    if (history && history->sentences != sentences) throw InputFault("the transition features are not those of the same sentences");
    if (order == 2) {
        find_states(sentences, gold, labels, stride, known);
        find_trigrams(sentences, gold, known);
    }
    if (history) find_triples(sentences, gold, labels, stride, *history, features, known);
}

void Arcs::find_states(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                       const KnownArcs& known) {
    const bool all_known = std::all_of(gold.begin(), gold.end(), [](int32_t label) { return label >= 0; });
    std::vector<uint8_t> there(size_t{labels} * labels, !all_known);
    if (all_known)
        each_step(sentences, [&](size_t token, size_t) { there[static_cast<size_t>(gold[token - 1]) * labels + static_cast<size_t>(gold[token])] = 1; });
    if (known.states.size() % 2 != 0) throw InputFault("the known states are no pairs");
    for (size_t i = 0; i < known.states.size(); i += 2) {
        if (known.states[i] >= labels || known.states[i + 1] >= labels) throw InputFault("a known state is out of range");
        there[size_t{known.states[i]} * labels + known.states[i + 1]] = 1;
    }
    states_ = PairStates(labels, stride, std::move(there));
}

void Arcs::find_trigrams(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, const KnownArcs& known) {
    // state * 2^16 + next label
    const auto key_of = [&](size_t token, size_t first) -> uint64_t {
        const bool begins = token == first + 1;
        if (gold[token] < 0 || gold[token - 1] < 0 || (!begins && gold[token - 2] < 0)) return UINT64_MAX;
        const uint32_t before = begins ? states_.labels : static_cast<uint32_t>(gold[token - 2]);
        return uint64_t{states_.number(before, static_cast<uint32_t>(gold[token - 1]))} << 16 | static_cast<uint64_t>(gold[token]);
    };
    std::vector<uint64_t> keys;
    each_step(sentences, [&](size_t token, size_t first) {
        if (const uint64_t key = key_of(token, first); key != UINT64_MAX) keys.push_back(key);
    });
    if (known.trigrams.size() % 3 != 0) throw InputFault("the known trigrams are not of three labels each");
    for (size_t i = 0; i < known.trigrams.size(); i += 3) {
        const uint32_t a = known.trigrams[i], b = known.trigrams[i + 1], c = known.trigrams[i + 2], labels = states_.labels;
        if (a > labels || b >= labels || c >= labels || states_.number(a, b) == PairStates::kNone || states_.number(b, c) == PairStates::kNone)
            throw InputFault("a known trigram is out of range, or leads where no state is");
        keys.push_back(uint64_t{states_.number(a, b)} << 16 | c);
    }
    keep_distinct(keys);
    trigram_starts_.assign(states_.size() + 1, 0);
    for (uint64_t key : keys) {
        ++trigram_starts_[(key >> 16) + 1];
        trigram_labels_.push_back(static_cast<uint16_t>(key & 0xFFFF));
    }
    for (size_t state = 0; state < states_.size(); ++state) trigram_starts_[state + 1] += trigram_starts_[state];
    gold_trigram_.assign(gold.size(), kNone);
    each_step(sentences, [&](size_t token, size_t first) {
        const auto found = std::lower_bound(keys.begin(), keys.end(), key_of(token, first));
        if (found != keys.end()) gold_trigram_[token] = static_cast<uint32_t>(found - keys.begin());
    });
}

void Arcs::find_triples(const std::vector<uint32_t>& sentences, const std::vector<int32_t>& gold, uint32_t labels, uint32_t stride,
                        const Encoding& history, uint32_t features, const KnownArcs& known) {
    std::vector<uint64_t> keys;  // feature * 2^32 + cell
    if (known.triple_features.size() != known.triple_pairs.size()) throw InputFault("the known transition features have not one pair each");
    for (size_t i = 0; i < known.triple_features.size(); ++i) {
        const uint32_t pair = known.triple_pairs[i];
        if (known.triple_features[i] >= features || pair >= size_t{labels} * labels) throw InputFault("a known transition feature is out of range");
        keys.push_back(uint64_t{known.triple_features[i]} << 32 | (pair / labels * stride + pair % labels));
    }
    size_t compact = 1 << 20;
    each_step(sentences, [&](size_t token, size_t) {
        if (gold[token] < 0 || gold[token - 1] < 0) return;
        const auto cell = static_cast<uint64_t>(gold[token - 1]) * stride + static_cast<uint64_t>(gold[token]);
        for (uint64_t i = history.starts[token]; i < history.starts[token + 1]; ++i) {
            if (history.ids[i] >= features) throw InputFault("a transition feature is out of range");
            keys.push_back(uint64_t{history.ids[i]} << 32 | cell);
        }
        if (keys.size() < compact) return;
        keep_distinct(keys);
        compact = std::max(compact, 2 * keys.size());
    });
    keep_distinct(keys);
    if (keys.size() > UINT32_MAX / 2) throw InputFault("more than 2 billion weights of transition features; use fewer of them");
    triple_starts_.assign(size_t{features} + 1, 0);
    for (uint64_t key : keys) {
        ++triple_starts_[(key >> 32) + 1];
        triple_cells_.push_back(static_cast<uint32_t>(key));
    }
    for (size_t feature = 0; feature < features; ++feature) triple_starts_[feature + 1] += triple_starts_[feature];
    starts_.fill(gold.size() + 1, 0);
    const bool valued = !history.values.empty();
    size_t sentence = 0;
    for (size_t token = 0; token < gold.size(); ++token) {
        while (sentences[sentence + 1] <= token) ++sentence;
        for (uint64_t i = history.starts[token]; token > sentences[sentence] && i < history.starts[token + 1]; ++i) {
            const uint32_t feature = history.ids[i];
            if (feature >= features || triple_starts_[feature] == triple_starts_[feature + 1]) continue;
            features_.push_back(feature);
            if (valued) values_.push_back(history.values[i]);
        }
        starts_[token + 1] = features_.size();
    }
}

uint32_t Arcs::trigram(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t state = states_.number(a, b);
    if (state == PairStates::kNone) return kNone;
    const auto begin = trigram_labels_.begin() + trigram_starts_[state], end = trigram_labels_.begin() + trigram_starts_[state + 1];
    const auto found = std::lower_bound(begin, end, static_cast<uint16_t>(c));
    return found == end || *found != c ? kNone : static_cast<uint32_t>(found - trigram_labels_.begin());
}

std::vector<uint16_t> Arcs::trigrams() const {
    std::vector<uint16_t> out;
    for (uint32_t state = 0; state < states_.size(); ++state)
        for (uint32_t i = trigram_starts_[state]; i < trigram_starts_[state + 1]; ++i) {
            out.push_back(static_cast<uint16_t>(states_.before(state)));
            out.push_back(static_cast<uint16_t>(states_.last(state)));
            out.push_back(trigram_labels_[i]);
        }
    return out;
}

std::vector<uint32_t> Arcs::triple_features() const {
    std::vector<uint32_t> out(triple_count());
    for (uint32_t feature = 0; feature + 1 < triple_starts_.size(); ++feature)
        std::fill(out.begin() + triple_starts_[feature], out.begin() + triple_starts_[feature + 1], feature);
    return out;
}

std::vector<uint32_t> Arcs::triple_pairs(uint32_t labels, uint32_t stride) const {
    std::vector<uint32_t> out;
    for (const uint32_t cell : triple_cells_) out.push_back(cell / stride * labels + cell % stride);
    return out;
}

}  // namespace tagpool
