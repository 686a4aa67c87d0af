// The kernels of experts that are trained together (elitist.hpp). Chosen together with the others (kernels.hpp).
#pragma once
#include <cstddef>
#include <cstdint>

#include "trainers/penalty.hpp"
#include "dataset/training_set.hpp"

namespace tagpool {

// Steps that were put off, for groups of `size` weights that lie across arrays (penalty.hpp).
struct AcrossSteps {
    size_t size;
    double threshold;       // of all steps together, where weights stand alone; else
    const double* factors;  // not null: elitist; the threshold of the first step is the sum of the k chosen weights times factors[k - 1]
    bool exact;
    const double* shares;   // what k nonzero weights lose of their sum in the other steps, for each of them; null: there are none
    const double* moves;    // how far the members go against the gradient before all that
    const double* alpha;
};

struct PoolKernels {
    // Does the steps to groups [0, count), members[m][i] being weight m of group i. `pooled` holds a gradient:
    //     members[m] -= moves[m] * pooled,  the steps,  pooled = sum_m alpha[m] * members[m].
    // Where the first step leaves a weight that the others would take, only the first is done: `rest` gets these groups' numbers, and their
    // count is returned.
    size_t (*catch_up)(const AcrossSteps& steps, double* const* members, size_t count, double* pooled, uint32_t* rest);
    // pooled = sum_m alpha[m] * members[m].
    void (*mix)(const double* alpha, double* const* members, size_t size, size_t count, double* pooled);
    // Adds <gradient, members[m]> to slopes[m].
    void (*add_slopes)(double* const* members, size_t size, size_t count, const double* gradient, double* slopes);
    // weights += by * the gradients of a sentence's nodes; only the free ones (RowMasks; null: all are).
    void (*add_nodes)(const TrainingSet& set, const uint8_t* masks, size_t sentence, double by, const double* nodes, double* weights);
};

}  // namespace tagpool
