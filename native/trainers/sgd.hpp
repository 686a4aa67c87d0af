// Averaged stochastic gradient descent for the objective (Bottou 2010; Xu 2011), in single precision and in mini-batches.
//
//     w_{t+1} = (w_t - eta_t g_t) / (1 + eta_t l),   g_t: sum of the gradients of the batch,   l = l2 * batch / sentences,
//     eta_t = eta_0 / (1 + eta_0 * l2 / sentences * sentences seen)^0.75.
// Shrinking touches no weight: w = weights / divisor. Neither does averaging: the average is (seconds + fraction * weights) /
// average_divisor, and a step adds to the seconds only where it adds to the weights.
//
// Threads share a batch in two rounds. In the first each weight belongs to one thread (shards.hpp): it receives what the last batch
// asked for, in the order of that batch, and says what it has to say of this one. In the second each sentence belongs to one thread. So the
// result is the same bits whatever the number of threads, and the weights stay in the cache of the thread they belong to.
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

namespace tagpool {

struct SgdOptions {
    double l2 = 1;
    double step = 0;          // eta_0; 0: calibrated
    size_t average_from = 1;  // epochs before averaging begins
    uint64_t seed = 1;
    size_t batch = 8;         // sentences a step
    unsigned threads = 1;
    double dropout = 0;                 // dropout.hpp
    std::vector<uint16_t> groups = {};  // of features that are left out together
};

class Sgd {
public:
    // `example_weights` is empty (all 1), or one a sentence in chains, one a token without.
    Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights);

    size_t parameter_count() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    // Starts anew from these parameters instead of zero.
    void start_from(const float* parameters);
    // One pass over the sentences in a new order; returns the mean loss met on the way (before each step), or infinity, at once, if the
    // weights have run away. An exception from `interrupt` ends the pass between two steps.
    double epoch(InterruptCheck interrupt);
    // The averaged parameters (the plain ones before averaging has begun), and the plain ones.
    std::vector<float> parameters() const;
    std::vector<float> current() const;
    double step() const { return step_; }

private:
    struct Batch {
        const uint32_t* sentences = nullptr;
        size_t count = 0;
        std::vector<size_t> first_tokens;  // of each sentence, within the batch; at the end how many there are
        double step = 0, second = 0;       // of the weights, and of the seconds
        uint64_t first_visit = 0;          // how many sentences were met before
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
    double cost_of_nothing(const std::vector<uint32_t>& sentences) const;
    void restore(const std::vector<uint32_t>& sample, const std::vector<float>& start);
    void settle();

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    SgdOptions options_;
    std::vector<float> example_weights_;
    double shrink_, step_;
    Random random_;
    PairedWeights weights_;
    RowMasks masks_;
    std::shared_ptr<const Shards> shards_;
    Dropout dropout_;
    double divisor_ = 1, average_divisor_ = 1, fraction_ = 0;
    size_t epochs_ = 0, seen_ = 0, averaged_steps_ = 0;
    bool from_zero_ = true;

    // Work space of a batch. What the last one asked for waits in nodes_, edge_gradients_ and triples_ until the weights are next in hand.
    Batch waiting_;
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

}  // namespace tagpool
