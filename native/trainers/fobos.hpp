// Fobos: the proximal trainer of one model. The group of a weight is all weights of its feature (of its row, for transitions).
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trainers/proximal_trainer.hpp"

namespace tagpool {

struct FobosOptions {
    std::string penalty = "l1";
    double strength = 1, ridge = 0;
    StepOptions steps;
};

class Fobos final : public ProximalTrainer {
public:
    using Number = double;

    Fobos(const std::shared_ptr<const TrainingSet>& set, bool chain, const FobosOptions& options, std::vector<float> example_weights);

    // Restarts from these parameters instead of zero.
    void start_from(const double* parameters);
    std::vector<double> parameters();

private:
    double train(InterruptCheck interrupt) override;
    std::function<void()> make_undo(const Order& sample) override;
    void update_groups(Batch batch, ThreadPool& pool) override;
    void update_all(ThreadPool& pool) override;
    void apply_gradient(Batch batch, double eta, ThreadPool& pool) override;
    void finish_pass(bool, ThreadPool&) override {}

    void update_all();
    void update(WeightGroup& group);
};

}  // namespace tagpool
