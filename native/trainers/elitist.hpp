// Elitist: n experts trained jointly as one logarithmic opinion pool (Wang and Manning 2013), by FOBOS in mini-batches:
//
//     minimise (1 - mu) NLL_pool + mu sum_j NLL_j + penalty,   p_pool(y | x) ~ prod_j p_j(y | x)^alpha_j,
//
// the penalty of the summed objective: l1, or elitist, (l/2) sum_g (sum_j |w_gj|)^2 with a group g for every weight of a single model.
// The experts' normalisers cancel, so the pool is one model with the weights sum_j alpha_j W_j: with G its gradient, that of expert j is
// alpha_j G, and that of alpha_j is <G, W_j>. With mu = 0 a step therefore takes one forward-backward, whatever n.
//
// Learned alpha take a gradient step with the weights (the mean over the tokens of the batch) and are then projected onto the simplex.
// Step sizes and lazy proximal steps are those of Fobos.
#pragma once
#include <array>
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

struct ElitistOptions {
    std::string penalty = "elitist";  // or "elitist-approximate", "l1"
    double strength = 1, mu = 0;
    std::vector<double> alpha;  // [experts]
    bool learn_alpha = false;
    double step = 0;      // eta_0; 0: calibrated
    double spread = 0.1;  // weights begin uniform in [-spread, spread]
    uint64_t seed = 1;
    size_t batch = 8;
    unsigned threads = 1;  // the result does not depend on it
};

class Elitist {
public:
    using Number = double;

    // `example_weights` has one number for each sentence of a chain, else for each token; empty: all are 1.
    Elitist(std::shared_ptr<const TrainingSet> set, bool chain, const ElitistOptions& options, std::vector<float> example_weights);
    Elitist(const Elitist&) = delete;
    Elitist& operator=(const Elitist&) = delete;

    size_t experts() const { return experts_; }
    // Weights of expert 0, 1, ..., then alpha.
    size_t parameter_count() const { return experts_ * expert_size() + experts_; }
    std::vector<double> parameters();
    // Restarts from these parameters instead of random ones.
    void start_from(const double* parameters);
    // Trains on all sentences in a new order; returns the mean loss before each step, or infinity as soon as training diverges. An
    // exception from `interrupt` ends the epoch between two steps.
    double epoch(InterruptCheck interrupt);
    double step() const { return step_; }

private:
    const float* example_weights() const { return example_weights_.empty() ? nullptr : example_weights_.data(); }
    size_t expert_size() const { return chain_ ? set_->places().size() : set_->pair_count(); }
    // Models of a step: 0 is the pool; with mu > 0, j + 1 is expert j.
    size_t models() const { return options_.mu > 0 ? experts_ + 1 : 1; }
    double* weights(size_t model) { return weights_[model].data(); }

    void begin();
    double pass(const std::vector<uint32_t>& order, double bound, InterruptCheck interrupt);
    void update_groups(const uint32_t* sentences, size_t count, ThreadPool& pool);
    void prefetch(const WeightGroup& group);
    std::array<double*, kMostAcross> members_of(const WeightGroup& group);
    void catch_up(WeightGroup& group);
    void catch_up_all(ThreadPool& pool);
    double differentiate(const uint32_t* sentences, size_t count, ThreadPool& pool);
    void descend(const uint32_t* sentences, size_t count, double eta, ThreadPool& pool);
    void add_gradients(const uint32_t* sentences, size_t count, size_t model, double by);
    void clear_pool();
    void move_alpha(double by, ThreadPool& pool);
    void calibrate(InterruptCheck interrupt);

    std::shared_ptr<const TrainingSet> set_;
    bool chain_;
    ElitistOptions options_;
    size_t experts_;
    std::vector<float> example_weights_;
    std::vector<double> start_, alpha_;  // `start_` is empty: random
    double step_;
    Random random_;
    Penalty penalty_;
    RowMasks masks_;
    WeightGroups groups_;
    // By model. The weights of the pool are computed when a group occurs. After a step their memory holds the pending gradient, which is
    // applied to the experts when the group occurs again.
    std::vector<Buffer<double>> weights_;
    std::vector<double> moves_;  // by step and expert: step size of the pending gradient
    size_t steps_ = 0;

    // Work space of a batch.
    uint32_t round_ = 0;
    std::vector<uint32_t> met_in_, met_;             // by group: the last round it occurred in; the groups of this round
    std::vector<EdgeTable<double>> edges_;           // by model
    std::vector<ChainScratch<double>> scratch_;      // by worker
    std::vector<double> nodes_, edge_gradients_;     // by model, then token or sentence
    std::vector<double> losses_, slopes_;            // by model and sentence; by block of groups and expert
    std::vector<AlignedVector<double>> triples_;     // by model and sentence: gradients
    std::vector<size_t> first_tokens_;
};

static_assert(Trainer<Elitist>);

}  // namespace tagpool
