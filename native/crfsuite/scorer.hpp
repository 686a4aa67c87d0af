// Scorer: scores, best labels and marginals of a training sentence, in the order of CRFsuite's additions, so that rounding is the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "crfsuite/cells.hpp"
#include "crfsuite/instances.hpp"

namespace tagpool {

class Scorer {
public:
    Scorer(const Instances& instances, const Cells& cells)
        : instances_(instances), cells_(cells), labels_(cells.label_count()), transitions_(labels_ * labels_) {}

    // Computes the scores of a sentence with `scale` times the weights; the calls below are for this sentence.
    void set(uint32_t sentence, const double* weights, double scale);
    size_t length() const { return length_; }
    const int32_t* gold() const { return instances_.gold().data() + first_; }

    // Writes the best labels and returns their score; of equal scores, those with the smaller label at the last difference.
    double decode(std::vector<int32_t>& path);
    double score(const int32_t* path) const;

    // Log of the sum over all label sequences; keeps what add_expectations() needs.
    double sum_paths();
    // Adds `gain` times the observed minus the expected values to the weights.
    void add_expectations(double* weights, double gain);

    // Calls visit(weight, value) for the weights on a path.
    template <class Visit>
    void each_on_path(const int32_t* path, Visit&& visit) const {
        const Encoding& all = instances_.all();
        for (size_t t = 0; t < length_; ++t) {
            const auto label = static_cast<size_t>(path[t]);
            for (uint64_t entry = all.starts[first_ + t]; entry < all.starts[first_ + t + 1]; ++entry)
                if (const size_t cell = cells_.find(all.ids[entry], label); cell != Cells::kNone) visit(cell, instances_.value(entry));
            if (t == 0) continue;
            const auto before = static_cast<size_t>(path[t - 1]);
            if (cells_.has_transition(before, label)) visit(cells_.transition(before, label), 1.0);
        }
    }

private:
    void sum_forwards();
    void sum_backwards();

    const Instances& instances_;
    const Cells& cells_;
    size_t labels_, first_ = 0, length_ = 0;  // first_: number of the first token
    std::vector<double> states_;              // a [T][L] matrix, as the next four
    std::vector<double> forward_, backward_, exponentials_;
    std::vector<double> transitions_;                 // an [L][L] matrix, as the next two
    std::vector<double> exp_transitions_, expected_;  // exp_transitions_ has its transpose behind it
    std::vector<double> scales_, row_;                // [T], [L]
};

}  // namespace tagpool
