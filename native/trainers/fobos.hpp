// FOBOS, forward-backward splitting (Duchi and Singer 2009), in mini-batches and double precision:
//
//     w <- w - eta_t g_t,  then the proximal step of the penalty with length eta_t * batch / sentences,  eta_t = eta_0 / sqrt(1 + t/T),
// t the steps taken, T those of an epoch. The penalty is that of the summed objective; the group of a weight is all weights of its feature
// (of its row, for transitions). Proximal steps are lazy: they are applied when a feature occurs again, with the same result (penalty.hpp).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt_check.hpp"
#include "base/buffer.hpp"
#include "kernels/kernels.hpp"
#include "trainers/penalty.hpp"
#include "base/thread_pool.hpp"
#include "base/random.hpp"
#include "dataset/row_masks.hpp"
#include "dataset/training_set.hpp"
#include "dataset/weight_groups.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

struct FobosOptions {
    std::string penalty = "l1";
    double strength = 1, ridge = 0;
    double step = 0;  // eta_0; 0: calibrated
    uint64_t seed = 1;
    size_t batch = 8;
    unsigned threads = 1;  // the result does not depend on it
};

class Fobos {
public:
    using Number = double;

    // `example_weights` has one number for each sentence of a chain, else for each token; empty: all are 1.
    Fobos(std::shared_ptr<const TrainingSet> set, bool chain, const FobosOptions& options, std::vector<float> example_weights);

    size_t parameter_count() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    // Restarts from these parameters instead of zero.
    void start_from(const double* parameters);
    // Trains on all sentences in a new order; returns the mean loss before each step, or infinity as soon as training diverges. An
    // exception from `interrupt` ends the epoch between two steps.
    double epoch(InterruptCheck interrupt);
    std::vector<double> parameters();
    double step() const { return step_; }

private:
    const float* example_weights() const { return example_weights_.empty() ? nullptr : example_weights_.data(); }
    double pass(const std::vector<uint32_t>& order, double bound, InterruptCheck interrupt);
    double batch_gradients(const uint32_t* sentences, size_t count, ThreadPool& pool);
    void descend(const uint32_t* sentences, size_t count, double eta);
    void catch_up(WeightGroup& group);
    void catch_up_sentence(size_t sentence);
    void catch_up_all();
    void calibrate(InterruptCheck interrupt);

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    FobosOptions options_;
    std::vector<float> example_weights_;
    double step_;
    Random random_;
    Penalty penalty_;
    RowMasks masks_;
    Buffer<double> weights_;
    WeightGroups groups_;
    size_t steps_ = 0;

    // Work space of a batch.
    EdgeTable<double> edges_;
    std::vector<ChainScratch<double>> scratch_;            // by worker
    std::vector<double> nodes_, edge_gradients_, losses_;  // by token; by sentence
    std::vector<AlignedVector<double>> triples_;           // by sentence: gradients
    std::vector<size_t> first_tokens_;
};

static_assert(Trainer<Fobos>);

}  // namespace tagpool
