// RowTagger: tags a dev set with the weights of a training, without a copy of them. Every feature has a weight for every label.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "features/encoding.hpp"

namespace tagpool {

class RowTagger {
public:
    // `encoding` has the features of the sentences by number; throws InputFault for unknown ones.
    RowTagger(const Encoding& encoding, uint32_t features, uint32_t labels, std::vector<uint8_t> forbidden);

    // Numbers behind the weights that `tag` may read.
    size_t padding() const;
    // Writes the best label of each token. `weights` has a row for each feature, and then at least `padding()` numbers; `edges` has the
    // transitions, first and last labels.
    void tag(std::span<const float> weights, std::span<const float> edges, unsigned threads, int32_t* out) const;
    size_t token_count() const { return placed_.token_count(); }

private:
    Encoding placed_;  // feature k at k * labels
    uint32_t features_, labels_;
    std::vector<uint8_t> forbidden_;
};

}  // namespace tagpool
