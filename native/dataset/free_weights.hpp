// FreeWeights: the free weights of a training set in the order of memory, without padding. Minimisers work on this vector.
#pragma once
#include <algorithm>
#include <vector>

#include "dataset/training_set.hpp"

namespace tagpool {

class FreeWeights {
public:
    FreeWeights(const TrainingSet& set, bool chain) : labels_(set.labels()), stride_(set.stride()) {
        if (set.all_cells()) rows_ = set.row_count();  // rows are computed; only the places after them are stored
        std::vector<bool> free(set.weight_count());
        set.layout(chain).each([&](size_t, size_t place, float) { free[place] = true; });
        for (size_t place = rows_ * stride_; place < free.size(); ++place)
            if (free[place]) others_.push_back(static_cast<uint32_t>(place));
    }

    size_t size() const { return rows_ * labels_ + others_.size(); }

    // Calls visit(i, place) for the weights i in [begin, end).
    template <class Visit>
    void each(size_t begin, size_t end, Visit&& visit) const {
        const size_t in_rows = rows_ * labels_;
        for (size_t i = begin; i < std::min(end, in_rows);) {
            const size_t row = i / labels_, stop = std::min({end, in_rows, (row + 1) * labels_}), shift = row * (stride_ - labels_);
            for (; i < stop; ++i) visit(i, i + shift);
        }
        for (size_t i = std::max(begin, in_rows); i < end; ++i) visit(i, size_t{others_[i - in_rows]});
    }

private:
    size_t labels_, stride_, rows_ = 0;
    std::vector<uint32_t> others_;
};

}  // namespace tagpool
