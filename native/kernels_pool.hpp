// The kernels of experts that are trained together (elitist.hpp). Chosen together with the others (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "penalty.hpp"
#include "training_set.hpp"

namespace tagpool {

// Elitist steps that were put off, for groups of `size` weights that lie across arrays (penalty.hpp).
struct AcrossSteps {
    size_t size;
    bool exact;
    double by;             // length times strength of the first step
    const double* shares;  // what k nonzero weights lose of their sum in the other steps, for each of them; null: there are none
};

struct PoolKernels {
    // Does the steps to groups [0, count), members[m][i] being weight m of group i. Where the first step leaves a weight that the others
    // would take, only the first is done: `rest` gets these groups' numbers, and their count is returned.
    size_t (*catch_up)(const AcrossSteps& steps, double* const* members, size_t count, uint32_t* rest);
    // pooled = sum_m alpha[m] * members[m].
    void (*mix)(const double* alpha, double* const* members, size_t size, size_t count, double* pooled);
    // members[m] -= by * alpha[m] * gradient; where `slopes` is not null, <gradient, members[m]> of before is added to slopes[m].
    void (*share_out)(double by, const double* alpha, double* const* members, size_t size, size_t count, const double* gradient, double* slopes);
    // weights += by * the gradients of a sentence's nodes; only the free ones (RowMasks; null: all are).
    void (*add_nodes)(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights);
};

}  // namespace tagpool
