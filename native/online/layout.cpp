#include "online/layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fault.hpp"
#include "features/frozen_index.hpp"
#include "features/program_file.hpp"
#include "model/forbidden_edges.hpp"
#include "model/weights.hpp"

namespace tagpool {
namespace {

std::string online_text(const Induced& induced) {
    std::string backs;
    for (const auto& offsets : induced.history.backs) {
        std::string list;
        for (const uint8_t back : offsets) list += concat(list.empty() ? "" : ",", back);
        backs += (backs.empty() ? "[" : ",[") + list + "]";
    }
    return concat("{\"slots\":", induced.slots, ",\"backs\":[", backs, "]}");
}

// Numbers of features in the index, as described in model.hpp.
struct FeatureNumbers {
    std::vector<uint32_t> numbers, joined_places, joined_hashes;
};

FeatureNumbers number_features(const Induced& induced, const std::vector<uint32_t>& places) {
    FeatureNumbers out;
    const auto joined = static_cast<uint32_t>(std::count_if(induced.hashes.begin(), induced.hashes.end(), [](uint32_t hash) { return hash != 0; }));
    for (size_t i = 0; i < induced.hashes.size(); ++i) {
        if (induced.hashes[i]) {
            out.numbers.push_back(static_cast<uint32_t>(out.joined_places.size()));
            out.joined_places.push_back(places[i]);
            out.joined_hashes.push_back(induced.hashes[i]);
        } else {
            out.numbers.push_back(places[i] == BlockWeights::kNowhere ? FrozenIndex::kNone : joined + places[i]);
        }
    }
    return out;
}

void write_history(const OnlineTrained& trained, const uint32_t* numbers, Tensors& to) {
    const Induced& induced = trained.induced;
    std::vector<uint64_t> keys;
    for (size_t i = 0; i < induced.history_features.size(); ++i) {
        size_t next = i * induced.width();
        keys.push_back(induced.history.key(induced.history_features[i], [&](size_t) { return induced.history_labels[next++]; }));
    }
    FrozenIndex::write(keys, {numbers, numbers + keys.size()}, "labelled", to);
    to.add("history.templates", induced.history.templates);
    if (!trained.history) return;
    expect_size(trained.history_keys.size(), induced.history.templates.size(), "keys of features with previous labels");
    std::vector<uint32_t> numbers_of_keys(trained.history_keys.size());
    std::iota(numbers_of_keys.begin(), numbers_of_keys.end(), 0u);
    FrozenIndex::write(trained.history_keys, numbers_of_keys, "history", to);
    write_program(*trained.history, "history", to);
}

}  // namespace

Tensors make_tensors(OnlineTrained trained) {
    Induced& induced = trained.induced;
    const size_t labels = trained.labels.size(), singles = induced.numbers.size(), features = induced.hashes.size();
    if (labels != induced.labels)
        throw InputFault("expected weights of " + std::to_string(labels) + " labels, got " + std::to_string(induced.labels));
    if (std::any_of(induced.weights.begin(), induced.weights.end(), [](float weight) { return !std::isfinite(weight); }))
        throw InputFault("a weight is not a finite number");
    Tensors tensors;
    write_labels(trained.labels, tensors);
    tensors.set("online", online_text(induced));
    BlockWeights blocks = make_blocks(labels, induced.begins, induced.weight_labels.data(), std::move(induced.weights), !trained.keys.empty());
    FeatureNumbers numbered = number_features(induced, blocks.places);
    std::vector<uint32_t> by_feature(induced.features, FrozenIndex::kNone);
    for (size_t i = 0; i < singles; ++i) by_feature[induced.numbers[i]] = numbered.numbers[i];
    if (trained.keys.empty()) FrozenIndex::write_numbered(std::move(by_feature), "features", tensors);
    else FrozenIndex::write(trained.keys, by_feature, "features", tensors);
    if (!induced.history.backs.empty()) write_history(trained, numbered.numbers.data() + singles, tensors);
    std::vector<uint64_t> conjunction_keys;
    for (const uint32_t slot : induced.conjunction_slots) conjunction_keys.push_back(combine(slot, 1));
    const std::vector<uint32_t> conjunction_places(blocks.places.begin() + static_cast<std::ptrdiff_t>(features), blocks.places.end());
    FrozenIndex::write(conjunction_keys, conjunction_places, "pairs", tensors);
    // Conjunctions without weights have no effect and get no bit.
    std::vector<uint64_t> bits((size_t{induced.slots} + 63) / 64, 0);
    for (size_t i = 0; i < induced.conjunction_slots.size(); ++i)
        if (const uint32_t slot = induced.conjunction_slots[i]; conjunction_places[i] != FrozenIndex::kNone)
            bits[slot / 64] |= uint64_t{1} << (slot % 64);
    tensors.add("pairs.bits", std::move(bits));
    tensors.add("joined.places", std::move(numbered.joined_places));
    tensors.add("joined.hashes", std::move(numbered.joined_hashes));
    ModelWeights::write(std::move(blocks), labels, tensors);
    write_forbidden(std::move(trained.forbidden), labels, tensors);
    if (trained.program) write_program(*trained.program, "program", tensors);
    return tensors;
}

}  // namespace tagpool
