#include "features/given.hpp"

#include <algorithm>

#include "base/fault.hpp"

namespace tagpool {

void GivenFeatures::freeze(Encoding& encoding, uint32_t minimum) {
    if (index_.size() != names_.size()) throw InputFault("two features have the same 64-bit hash; rename one of them");
    counts_ = count_features(encoding, index_.size());
    if (minimum > 1) {
        const std::vector<uint32_t> known_counts(counts_.begin(), counts_.begin() + known_count_);
        std::fill_n(counts_.begin(), known_count_, minimum);
        const std::vector<uint32_t> new_ids = prune(encoding, counts_, index_, minimum);
        StringTable names;
        for (uint32_t id = 0; id < new_ids.size(); ++id)
            if (new_ids[id] != FeatureIndex::kNone) names.intern(names_[id]);
        names_ = std::move(names);
        std::copy(known_counts.begin(), known_counts.end(), counts_.begin());
    }
    frozen_ = true;
}

}  // namespace tagpool
