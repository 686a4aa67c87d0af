#include "trainers/objective.hpp"

#include <algorithm>

#include "base/thread_pool.hpp"
#include "base/vectors.hpp"

namespace tagpool {
namespace {

constexpr size_t kFewParts = 8;

// Factors of free weights for twins_by_weight; empty: all are 1.
std::vector<float> twin_scales(const TrainingSet& set, const FreeWeights& free, bool chain) {
    if (!set.weights().twins_by_weight()) return {};
    std::vector<float> by_place(set.weight_count(), 0.0f), scales(free.size());
    set.layout(chain).each([&](size_t, size_t place, float factor) { by_place[place] = factor; });
    free.each(0, free.size(), [&](size_t i, size_t place) { scales[i] = by_place[place]; });
    return scales;
}

}  // namespace

Objective::Objective(const std::shared_ptr<const TrainingSet>& set, bool chain, double l2, std::vector<float> example_weights, unsigned threads)
    : Trainer(set, chain, std::move(example_weights)), free_(*set, chain), l2_(l2), threads_(std::max(threads, 1u)),
      scales_(twin_scales(*set, free_, chain)), scratch_(threads_) {
    set_->require_items(true);
    weights_.assign(set_->weight_count(), 0);
    gradient_.assign(set_->weight_count(), 0);
    copies_.assign(std::min<size_t>(set_->parts() - 1, threads_ == 1 ? 1 : wave()) * set_->shared_count(), 0);
    edge_gradients_.assign(set_->parts() * set_->edge_size(), 0);
    losses_.assign(set_->parts(), 0);
}

Objective::Objective(const std::shared_ptr<const TrainingSet>& set, bool chain, double l2, SumParts sum_parts)
    : Trainer(set, chain, {}), free_(*set, chain), sum_parts_(std::move(sum_parts)), l2_(l2), threads_(1), scales_(twin_scales(*set, free_, chain)) {
    weights_.assign(set_->weight_count(), 0);
    gradient_.assign(set_->weight_count(), 0);
}

double Objective::operator()(const double* parameters, double* gradient) {
    const bool by_weight = set_->weights().twins_by_weight();
    layout().each(
        [&](size_t i, size_t place, float factor) { weights_[place] = static_cast<double>(by_weight ? factor * factor : factor) * parameters[i]; });
    const double loss = evaluate_loss();
    // Each twin has an equal part of the gradient.
    layout().each([&](size_t i, size_t place, float factor) {
        gradient[i] = gradient_[place] / static_cast<double>(by_weight ? 1.0f : factor) + l2_ * parameters[i];
    });
    return loss + 0.5 * l2_ * dot(parameters, parameters, parameter_count());
}

double Objective::evaluate(const double* weights, double* gradient) {
    for_blocks(free_.size(), threads_,
               [&](size_t begin, size_t end) { free_.each(begin, end, [&](size_t i, size_t place) { weights_[place] = scale(i) * weights[i]; }); });
    const double loss = evaluate_loss();
    return loss + finish(weights, gradient);
}

LbfgsResult Objective::minimise(LbfgsOptions options, InterruptCheck interrupt, const Report& report, StateReader* state) {
    if (!(options.l1 >= 0)) throw InputFault("l1: expected a number of 0 or more, got " + std::to_string(options.l1));
    options.threads = threads_;
    const Evaluate evaluate_and_poll = [&](const double* at, double* gradient) {
        const double value = evaluate(at, gradient);
        interrupt.poll();
        return value;
    };
    const Report report_with_state = [&](const LbfgsIteration& now) {
        struct Access {  // ends with the report, also by an exception
            const std::function<std::string()>*& pointer;
            ~Access() { pointer = nullptr; }
        } access{write_state_};
        write_state_ = now.write_state;
        return !report || report(now);
    };
    if (options.search != LbfgsSearch::tagpool) return minimise_classic(evaluate_and_poll, point_, options, report);
    return (options.l1 > 0 ? minimise_owlqn : minimise_lbfgs)(evaluate_and_poll, point_, options, report_with_state, state);
}

std::string Objective::state() const {
    if (!write_state_) throw InputFault("the state of a minimiser exists only while it reports an iteration");
    return (*write_state_)();
}

std::vector<double> Objective::parameters() {
    std::vector<double> out(parameter_count());
    each_parameter([&](size_t i, double parameter) { out[i] = parameter; });
    return out;
}

// The loss; leaves its gradient in gradient_.
double Objective::evaluate_loss() {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    if (!sum_parts_) return evaluate_here();
    std::vector<double> free(free_.size());
    free_.each(0, free.size(), [&](size_t i, size_t place) { free[i] = weights_[place]; });
    double loss = 0;
    size_t part = 0;
    sum_parts_(free.data(), [&](const PartSum& sum) {
        add_elsewhere(part++, sum);
        loss += sum.loss;
    });
    if (part != set_->parts()) throw InputFault("expected " + counted(set_->parts(), "part") + ", got " + std::to_string(part));
    return loss;
}

void Objective::add_elsewhere(size_t part, const PartSum& sum) {
    if (part >= set_->parts()) throw InputFault("got more than " + counted(set_->parts(), "part"));
    if (part == 0) std::copy(sum.shared, sum.shared + set_->shared_count(), gradient_.begin());
    else
        for (size_t i = 0; i < set_->shared_count(); ++i) gradient_[i] += sum.shared[i];
    const double* next = sum.own;
    for (const auto& [first, last] : set_->weights().own_places(part)) {
        std::copy(next, next + (last - first), gradient_.data() + first);
        next += last - first;
    }
    double* const edges = gradient_.data() + set_->transitions_begin();
    for (size_t i = 0; i < set_->edge_size(); ++i) edges[i] += sum.edges[i];
}

double Objective::evaluate_here() {
    const TrainingSet& set = *set_;
    if (chain_) kernels().doubles.make_edges(set, {weights_.data(), 1, 1.0}, edges_);
    const size_t edges = set.edge_size(), shared = set.shared_count();
    const Examples all = examples();
    for (size_t first = 0; first < set.parts(); first += wave()) {
        const size_t count = std::min(wave(), set.parts() - first), before = first > 0 ? 0 : 1;  // the first part has no copy
        parallel_for(count, threads_, [&](size_t number, unsigned worker) {
            const size_t part = first + number;
            double* const copy = part == 0 ? gradient_.data() : copies_.data() + (threads_ == 1 ? 0 : (number - before) * shared);
            double* const edge_gradients = edge_gradients_.data() + part * edges;
            if (part > 0) std::fill_n(copy, shared, 0.0);
            std::fill_n(edge_gradients, edges, 0.0);
            losses_[part] =
                kernels().objective.add_gradient(all, weights_.data(), edges_, part, {copy, gradient_.data(), edge_gradients}, scratch_[worker]);
            if (threads_ == 1 && part > 0)  // the parts run in order: one copy is enough, with the same sums
                for (size_t i = 0; i < shared; ++i) gradient_[i] += copy[i];
        });
        if (threads_ > 1) add_copies(count - before);
    }
    double* const edge_gradient = gradient_.data() + set.transitions_begin();
    double loss = 0;
    for (size_t part = 0; part < set.parts(); ++part) {
        loss += losses_[part];
        for (size_t i = 0; i < edges; ++i) edge_gradient[i] += edge_gradients_[part * edges + i];
    }
    return loss;
}

// Parts at a time: a few in all, or one for each thread, so that their copies need little memory.
size_t Objective::wave() const { return std::max<size_t>(set_->parts() <= kFewParts ? set_->parts() : threads_, 1); }

// Sums the gradients of the parts, in order.
void Objective::add_copies(size_t copies) {
    const size_t shared = set_->shared_count();
    for_blocks(shared, threads_, [&](size_t begin, size_t end) {
        for (size_t copy = 0; copy < copies; ++copy)
            for (size_t i = begin; i < end; ++i) gradient_[i] += copies_[copy * shared + i];
    });
}

// The penalty; adds its gradient to that of the loss.
double Objective::finish(const double* weights, double* gradient) {
    return 0.5 * l2_ * sum_blocks(free_.size(), threads_, [&](size_t begin, size_t end) {
               free_.each(begin, end, [&](size_t i, size_t place) { gradient[i] = scale(i) * gradient_[place] + l2_ * weights[i]; });
               return dot(weights + begin, weights + begin, end - begin);
           });
}

}  // namespace tagpool
