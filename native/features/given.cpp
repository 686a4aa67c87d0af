#include "features/given.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

void GivenFeatures::freeze(Encoding& encoding, uint32_t minimum) {
    if (index_.size() != names_.size()) throw InputFault("two different features have the same 64-bit hash");
    counts_ = count_features(encoding, index_.size());
    if (minimum > 1) {
        std::vector<uint32_t> real(counts_.begin(), counts_.begin() + known_);
        std::fill_n(counts_.begin(), known_, minimum);
        const std::vector<uint32_t> new_ids = prune(encoding, counts_, index_, minimum);
        StringTable kept;
        for (uint32_t id = 0; id < new_ids.size(); ++id)
            if (new_ids[id] != FeatureIndex::kNone) kept.intern(names_[id]);
        names_ = std::move(kept);
        std::copy(real.begin(), real.end(), counts_.begin());
    }
    frozen_ = true;
}

}  // namespace tagpool
