#include "features/frozen_index.hpp"

#include <algorithm>

#include "base/fault.hpp"
#include "base/json.hpp"

namespace tagpool {
namespace {

std::string index_text(uint32_t capacity, uint64_t seed, size_t hash_size) {
    return "{\"capacity\":" + std::to_string(capacity) + ",\"seed\":" + std::to_string(seed) + ",\"hash_size\":" + std::to_string(hash_size) + "}";
}

}  // namespace

FrozenIndex::FrozenIndex(const Tensors& tensors, const std::string& name) {
    const Json index = Json::parse(tensors.text(name + ".index"));
    capacity_ = static_cast<uint32_t>(index.at("capacity").as_integer(0, UINT32_MAX));
    seed_ = static_cast<uint64_t>(index.at("seed").as_integer(0, INT32_MAX));
    hash_size_ = static_cast<uint32_t>(index.at("hash_size").as_integer(0, UINT32_MAX));
    places_ = tensors.array<uint32_t>(name + ".places");
    if (places_.empty() || places_.size() > UINT32_MAX || (hash_size_ && places_.size() != hash_size_)) throw InputFault("the index of features cannot be");
    if (hash_size_) return;
    fingerprints_ = tensors.array<uint32_t>(name + ".fingerprints");
    // A search begins below the capacity and ends at the first free slot: there must be one behind.
    if (fingerprints_.size() != places_.size() || capacity_ == 0 || places_.size() <= capacity_ || fingerprints_.back() != 0)
        throw InputFault("the index of features cannot be");
    for (size_t slot = 0; slot < places_.size(); ++slot)
        if ((fingerprints_[slot] == 0) != (places_[slot] == kNone)) throw InputFault("the index of features cannot be");
}

void FrozenIndex::write(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& places, const std::string& name, Tensors& to) {
    std::vector<uint32_t> order;
    for (uint32_t feature = 0; feature < keys.size(); ++feature)
        if (places[feature] != kNone) order.push_back(feature);
    const auto capacity = static_cast<uint32_t>(std::max<uint64_t>(order.size() * uint64_t{10} / 7, 16));
    for (uint64_t seed = 0;; ++seed) {
        // In the order of their homes, each feature takes the first slot that is free.
        std::vector<uint64_t> mixed(keys.size());
        for (uint32_t feature : order) mixed[feature] = mix(keys[feature], seed);
        std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return mixed[a] < mixed[b]; });
        std::vector<uint32_t> fingerprints, placed;
        bool distinct = true;
        const auto fill = [&](size_t count) {
            if (fingerprints.size() >= count) return;
            fingerprints.resize(count, 0);
            placed.resize(count, kNone);
        };
        for (uint32_t feature : order) {
            fill(home(mixed[feature], capacity));
            const uint32_t own = fingerprint(mixed[feature]);
            for (size_t before = fingerprints.size(); distinct && before-- > 0 && fingerprints[before] != 0;) distinct = fingerprints[before] != own;
            fingerprints.push_back(own);
            placed.push_back(places[feature]);
        }
        if (!distinct) continue;
        fill(capacity + size_t{1});
        fill(fingerprints.size() + 1);
        to.set(name + ".index", index_text(capacity, seed, 0));
        to.add(name + ".fingerprints", std::move(fingerprints));
        to.add(name + ".places", std::move(placed));
        return;
    }
}

void FrozenIndex::write_numbered(std::vector<uint32_t> places, const std::string& name, Tensors& to) {
    to.set(name + ".index", index_text(0, 0, places.size()));
    to.add(name + ".places", std::move(places));
}

Encoding placed_by(const FrozenIndex& slots, const Encoding& numbered) {
    Encoding out;
    out.sentences = numbered.sentences;
    out.ids.reserve_more(numbered.ids.size());
    for (size_t token = 0; token < numbered.token_count(); ++token) {
        for (uint64_t i = numbered.starts[token]; i < numbered.starts[token + 1]; ++i) {
            if (numbered.ids[i] >= slots.size()) throw InputFault("the encoding has features this model does not know");
            const uint32_t place = slots.place(numbered.ids[i]);
            if (place == FrozenIndex::kNone) continue;
            out.ids.push_unchecked(place);
            if (!numbered.values.empty()) out.values.push_back(numbered.values[i]);
        }
        out.end_token();
    }
    return out;
}

}  // namespace tagpool
