// Averaged stochastic gradient descent for the objective (Bottou 2010; Xu 2011), in single precision and in mini-batches.
//
//     w_{t+1} = (w_t - eta_t g_t) / (1 + eta_t l),   g_t: sum of the gradients of the batch,   l = l2 * batch / sentences,
//     eta_t = eta_0 / (1 + eta_0 * l2 / sentences * sentences seen)^0.75.
// Updates are lazy. Shrinking changes only a divisor: w = weights / divisor. The average is (seconds + fraction * weights) /
// average_divisor, and a step changes a second only where it changes the weight.
//
// Threads share a batch in two rounds. In the first, each thread owns a shard of the weights (shards.hpp): it applies the pending gradient of
// the previous batch, in the order of that batch, and scores this one. In the second, each thread owns sentences. The result is the same
// bits for every number of threads, and weights stay in the cache of one core.
#pragma once
#include <memory>
#include <vector>

#include "base/interrupt_check.hpp"
#include "base/buffer.hpp"
#include "dataset/dropout.hpp"
#include "kernels/kernels.hpp"
#include "dataset/averaged_weights.hpp"
#include "base/thread_pool.hpp"
#include "base/random.hpp"
#include "dataset/row_masks.hpp"
#include "dataset/shards.hpp"
#include "dataset/training_set.hpp"
#include "trainers/trainer.hpp"

namespace tagpool {

struct SgdOptions {
    double l2 = 1;
    double step = 0;          // eta_0; 0: calibrated
    size_t average_from = 1;  // epochs before averaging begins
    uint64_t seed = 1;
    size_t batch = 8;         // sentences in a step
    unsigned threads = 1;
    double dropout = 0;                 // dropout.hpp
    std::vector<uint16_t> groups = {};  // of features that are dropped together
};

class Sgd {
public:
    using Number = float;

    // `example_weights` has one number for each sentence of a chain, else for each token; empty: all are 1.
    Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights);

    size_t parameter_count() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    // Restarts from these parameters instead of zero.
    void start_from(const float* parameters);
    // Trains on all sentences in a new order; returns the mean loss before each step, or infinity as soon as training diverges. An
    // exception from `interrupt` ends the epoch between two steps.
    double epoch(InterruptCheck interrupt);
    // Averaged parameters (before averaging begins: the current ones), and current parameters.
    std::vector<float> parameters() const;
    std::vector<float> current() const;
    double step() const { return step_; }

private:
    struct Batch {
        const uint32_t* sentences = nullptr;
        size_t count = 0;
        std::vector<size_t> first_tokens;  // of each sentence within the batch; the last is the total
        double step = 0, second = 0;       // step of weights, and of seconds
        uint64_t first_visit = 0;          // sentences seen before
        bool both = false;
    };

    const float* example_weights() const { return example_weights_.empty() ? nullptr : example_weights_.data(); }
    size_t length(size_t sentence) const { return set_->sentences_[sentence + 1] - set_->sentences_[sentence]; }
    double pass(const std::vector<uint32_t>& order, bool average, double bound, InterruptCheck interrupt);
    void lay_out(Batch& batch);
    double learn(Batch& batch, ThreadPool& pool);
    void score_and_descend(const Batch& batch, ThreadPool& pool);
    double differentiate(const Batch& batch, ThreadPool& pool);
    void descend(size_t shard);
    Shards::List rows(const Batch& batch, size_t i, size_t shard) const;
    void descend_edges();
    void finish_batch();
    void calibrate(InterruptCheck interrupt);
    double uniform_loss(const std::vector<uint32_t>& sentences) const;
    void restore(const std::vector<uint32_t>& sample, const std::vector<float>& start);
    void settle();

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    SgdOptions options_;
    std::vector<float> example_weights_;
    double shrink_, step_;
    Random random_;
    AveragedWeights weights_;
    RowMasks masks_;
    std::shared_ptr<const Shards> shards_;
    Dropout dropout_;
    double divisor_ = 1, average_divisor_ = 1, fraction_ = 0;
    size_t epochs_ = 0, seen_ = 0, averaged_steps_ = 0;
    bool from_zero_ = true;

    // Work space of a batch. nodes_, edge_gradients_ and triples_ hold the pending gradient of the previous batch until its weights are loaded
    // again.
    Batch pending_;
    EdgeTable<float> edges_;
    std::vector<ChainScratch<float>> scratch_;     // by worker
    std::vector<double> losses_;                   // by sentence
    std::vector<AlignedVector<float>> triples_;    // by sentence: gradients, one for each visit of Arcs::each_triple
    AlignedVector<float> nodes_;                   // by token: gradients
    std::vector<float> edge_gradients_;            // by sentence
    std::vector<uint8_t> moves_;                   // by token
    AlignedVector<float> parts_[Shards::kCount];   // by token
    Dropout::Kept kept_[Shards::kCount];           // by sentence, of the batch that was scored last
    std::vector<uint32_t> longest_first_;
};

static_assert(Trainer<Sgd>);

}  // namespace tagpool
