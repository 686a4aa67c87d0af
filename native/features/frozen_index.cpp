#include "features/frozen_index.hpp"

#include <algorithm>

#include "base/fault.hpp"
#include "base/json.hpp"
#include "base/simd.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kFree[] = {0};   // fingerprints of an index by feature id
constexpr size_t kRunBlock = 1024;  // slots; every block has a free one, which bounds searches

// Whether exactly the free slots have no place, and every block of slots has a free one. The last slot must be free.
TAGPOOL_CLONES bool has_valid_slots(const uint32_t* fingerprints, const uint32_t* places, size_t count) {
    uint32_t bad = 0;
    for (size_t begin = 0; begin < count; begin += kRunBlock) {
        const size_t end = std::min(begin + kRunBlock, count);
        uint32_t is_any_free = 0;
        for (size_t slot = begin; slot < end; ++slot) {
            const uint32_t is_free = fingerprints[slot] == 0;
            bad |= is_free ^ static_cast<uint32_t>(places[slot] == UINT32_MAX);
            is_any_free |= is_free;
        }
        bad |= is_any_free ^ 1;
    }
    return bad == 0 && fingerprints[count - 1] == 0;
}

std::string index_text(uint32_t capacity, uint64_t seed) { return concat("{\"capacity\":", capacity, ",\"seed\":", seed, "}"); }

}  // namespace

FrozenIndex::FrozenIndex(const Tensors& tensors, const std::string& name) {
    const auto require = [&name](bool condition, const std::string& problem) {
        if (!condition) throw InputFault("damaged model: index \"" + name + "\" " + problem);
    };
    const Json index = Json::parse(tensors.text(name + ".index"));
    capacity_ = static_cast<uint32_t>(index.at("capacity").as_integer(0, UINT32_MAX));
    seed_ = static_cast<uint64_t>(index.at("seed").as_integer(0, INT32_MAX));
    const Json* hash_size = index.find("hash_size");
    if (hash_size && hash_size->as_number() != 0) throw InputFault("the model was written with hash_size, which was removed; train it again");
    places_ = tensors.array<uint32_t>(name + ".places");
    const std::string slots = std::to_string(places_.size()) + " slots";
    require(!places_.empty() && places_.size() <= UINT32_MAX, "has " + slots);
    if (capacity_ == 0) {
        fingerprints_ = kFree;
        return;
    }
    fingerprints_ = tensors.array<uint32_t>(name + ".fingerprints");
    require(fingerprints_.size() == places_.size(), "has " + slots + ", but " + std::to_string(fingerprints_.size()) + " fingerprints");
    // A search begins below the capacity and ends at the first free slot, so the last slot must be free.
    require(places_.size() > capacity_, "has " + slots + ", expected more than its capacity " + std::to_string(capacity_));
    require(has_valid_slots(fingerprints_.data(), places_.data(), places_.size()),
            "has a slot with only a fingerprint or only a place, or too few free slots");
}

bool FrozenIndex::fill(const std::vector<uint32_t>& features, const std::vector<uint64_t>& mixed, const std::vector<uint32_t>& places,
                       uint32_t capacity, Arrays& out) {
    const auto pad = [&](size_t size) {
        if (out.fingerprints.size() >= size) return;
        out.fingerprints.resize(size, 0);
        out.places.resize(size, kNone);
    };
    for (const uint32_t feature : features) {
        pad(home(mixed[feature], capacity));
        const uint32_t print = fingerprint(mixed[feature]);
        for (size_t slot = out.fingerprints.size(); slot-- > 0 && out.fingerprints[slot] != 0;)
            if (out.fingerprints[slot] == print) return false;
        out.fingerprints.push_back(print);
        out.places.push_back(places[feature]);
    }
    pad(capacity + size_t{1});
    pad(out.fingerprints.size() + 1);
    return has_valid_slots(out.fingerprints.data(), out.places.data(), out.places.size());
}

void FrozenIndex::write(const std::vector<uint64_t>& keys, const std::vector<uint32_t>& places, const std::string& name, Tensors& to) {
    std::vector<uint32_t> features;
    for (uint32_t feature = 0; feature < keys.size(); ++feature)
        if (places[feature] != kNone) features.push_back(feature);
    const auto capacity = static_cast<uint32_t>(std::max<uint64_t>(features.size() * uint64_t{10} / 7, 16));
    for (uint64_t seed = 0;; ++seed) {
        std::vector<uint64_t> mixed(keys.size());
        for (const uint32_t feature : features) mixed[feature] = mix(keys[feature], seed);
        std::sort(features.begin(), features.end(), [&](uint32_t a, uint32_t b) { return mixed[a] < mixed[b]; });
        Arrays arrays;
        if (!fill(features, mixed, places, capacity, arrays)) continue;
        to.set(name + ".index", index_text(capacity, seed));
        to.add(name + ".fingerprints", std::move(arrays.fingerprints));
        to.add(name + ".places", std::move(arrays.places));
        return;
    }
}

void FrozenIndex::write_numbered(std::vector<uint32_t> places, const std::string& name, Tensors& to) {
    to.set(name + ".index", index_text(0, 0));
    to.add(name + ".places", std::move(places));
}

Encoding replace_ids_by_places(const FrozenIndex& index, const Encoding& encoding) {
    return replace_ids(encoding, [&](uint32_t id) {
        if (id >= index.size()) throw InputFault("the encoding has features that the model does not have; encode with the model's encoder");
        return index.place(id);
    });
}

}  // namespace tagpool
