// Elitist: n experts trained jointly as one logarithmic opinion pool (Wang and Manning 2013), by FOBOS in mini-batches:
//
//     minimise (1 - mu) NLL_pool + mu sum_j NLL_j + penalty,   p_pool(y | x) ~ prod_j p_j(y | x)^alpha_j,
//
// the penalty of the summed objective: l1, or elitist, (l/2) sum_g (sum_j |w_gj|)^2 with a group g for every weight of a single model.
// The experts' normalisers cancel, so the pool is one model with the weights sum_j alpha_j W_j: with G its gradient, that of expert j is
// alpha_j G, and that of alpha_j is <G, W_j>. With mu = 0 a step therefore takes one forward-backward, whatever n.
//
// Learned alpha take a gradient step with the weights (the mean over the tokens of the batch) and are then projected onto the simplex.
// A group of the penalty has one weight of each expert.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainers/proximal_trainer.hpp"

namespace tagpool {

struct ElitistOptions {
    std::string penalty = "elitist";  // or "elitist-approximate", "l1"
    double strength = 1, mu = 0;
    StepOptions steps;
    std::vector<double> alpha = {};  // [experts]
    bool learn_alpha = false;
};

class Elitist final : public ProximalTrainer {
public:
    using Number = double;

    Elitist(const std::shared_ptr<const TrainingSet>& set, bool chain, const ElitistOptions& options, std::vector<float> example_weights);

    size_t experts() const { return experts_; }
    // Weights of expert 0, 1, ..., then alpha.
    size_t parameter_count() const { return experts_ * layout().size() + experts_; }
    std::vector<double> parameters();
    // Restarts from these parameters instead of random ones.
    void start_from(const double* parameters);

    template <class State>
    void visit_state(State& state) {
        ProximalTrainer::visit_state(state, 1);
        state.array("alpha", alpha_.data(), alpha_.size());
    }

private:
    // Model 0 is the pool, model j + 1 is expert j.
    std::function<void()> make_undo(const Order&) override {
        return [this] { begin(); };
    }
    void update_groups(Batch batch, ThreadPool& pool) override;
    void update_all(ThreadPool& pool) override;
    void apply_gradient(Batch batch, double eta, ThreadPool& pool) override;
    void finish_pass(bool diverged, ThreadPool& pool) override;

    void begin();
    void prefetch(const WeightGroup& group) const;
    std::array<double*, kMaxExperts> members_of(const WeightGroup& group);
    void update(WeightGroup& group);
    void add_gradients(Batch batch, size_t model, double by);
    void clear_pool();
    void update_alpha(double by, ThreadPool& pool);

    const size_t experts_;
    const bool learn_alpha_;
    const std::vector<double> first_alpha_;
    std::vector<double> start_, alpha_;  // `start_` is empty: random
    // The weights of the pool are computed when a group occurs. After a step their memory holds the pending gradient, which is applied to the
    // experts when the group occurs again.
    std::vector<double> step_sizes_;  // by step and expert, of the pending gradient

    uint32_t round_ = 0;
    std::vector<uint32_t> last_round_;  // by group: the last batch in which it occurred
    std::vector<uint32_t> in_batch_;    // groups that occur in the batch
    std::vector<double> slopes_;        // by block of groups and expert
};

}  // namespace tagpool
