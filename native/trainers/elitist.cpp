#include "trainers/elitist.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainers/calibrate.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr size_t kBlock = 256;  // groups of a task: a constant, so that sums do not depend on the threads
constexpr size_t kAhead = 8;    // groups to prefetch

size_t block_count(size_t count) { return (count + kBlock - 1) / kBlock; }

// The nearest point with x >= 0, sum x = 1 (Duchi et al. 2008).
void project_onto_simplex(std::vector<double>& x) {
    std::vector<double> sorted(x);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0, threshold = 0;
    for (size_t k = 0; k < sorted.size(); ++k) {
        sum += sorted[k];
        const double candidate = (sum - 1) / static_cast<double>(k + 1);
        if (sorted[k] > candidate) threshold = candidate;
    }
    for (double& each : x) each = std::max(each - threshold, 0.0);
}

}  // namespace

Elitist::Elitist(std::shared_ptr<const TrainingSet> set, bool chain, const ElitistOptions& options, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), options_(options), experts_(options.alpha.size()), example_weights_(std::move(example_weights)),
      step_(options.step), random_(options.seed), penalty_(penalty_of(options.penalty, options.strength, 0, experts_)), masks_(*set_),
      groups_(*set_, chain) {
    set_->demand_tokens();
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
    if (experts_ == 0 || experts_ > kMostAcross)
        throw InputFault("alpha: expected 1 to " + std::to_string(kMostAcross) + " experts, got " + std::to_string(experts_));
    for (const double alpha : options_.alpha)
        if (!(alpha >= 0) || !std::isfinite(alpha)) throw InputFault("alpha: expected numbers of 0 or more");
    if (options_.penalty != "l1" && !options_.penalty.starts_with("elitist"))
        throw InputFault("penalty: expected l1, elitist or elitist-approximate, got " + options_.penalty);
    if (!(options_.mu >= 0 && options_.mu <= 1)) throw InputFault("mu: expected a number from 0 to 1");
    if (options_.batch == 0) throw InputFault("batch: expected at least 1 sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch * models(), 1024)));
    // Rows are worked on to the end of their last vector: what is beyond the labels stays zero.
    for (WeightGroup& group : groups_)
        if (set_->is_in_row(group.begin) || (group.begin >= set_->transitions_begin() && group.begin < set_->triples_begin()))
            group.count = set_->stride();
    weights_.resize(experts_ + 1);
    met_in_.assign(groups_.size(), 0);
    edges_.resize(models());
    scratch_.resize(options_.threads);
    losses_.resize(models() * options_.batch);
    triples_.resize(models() * options_.batch);
    edge_gradients_.assign(models() * options_.batch * set_->common_edge_size(), 0);
    first_tokens_.resize(options_.batch + 1);
    begin();
}

void Elitist::begin() {
    const size_t size = expert_size();
    random_ = Random(options_.seed);
    for (size_t model = 0; model <= experts_; ++model) weights_[model].fill(set_->weight_count(), 0.0);
    for (size_t j = 0; j < experts_; ++j)
        set_->places().each(size, [&](size_t i, size_t place, float) {
            weights_[j + 1][place] = start_.empty() ? options_.spread * (2 * random_.uniform() - 1) : start_[j * size + i];
        });
    alpha_ = options_.alpha;
    if (!start_.empty()) alpha_.assign(start_.end() - static_cast<std::ptrdiff_t>(experts_), start_.end());
    for (WeightGroup& group : groups_) group.caught_up = 0;
    penalty_.restart();
    moves_.clear();
    steps_ = 0;
}

void Elitist::start_from(const double* parameters) {
    start_.assign(parameters, parameters + parameter_count());
    step_ = options_.step;
    begin();
}

double Elitist::epoch(InterruptCheck interrupt) {
    if (step_ <= 0) calibrate(interrupt);
    if (step_ <= 0) return kNever;
    const std::vector<uint32_t> order = random_.permutation(set_->sentence_count());
    return pass(order, kNever, interrupt) / static_cast<double>(order.size());
}

// Returns the summed loss, or infinity as soon as it exceeds `bound` or is not a number.
double Elitist::pass(const std::vector<uint32_t>& order, double bound, InterruptCheck interrupt) {
    const auto sentences = static_cast<double>(set_->sentence_count());
    const double steps_an_epoch = std::ceil(sentences / static_cast<double>(options_.batch));
    ThreadPool pool(options_.threads);
    double loss = 0;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        const size_t count = std::min(options_.batch, order.size() - first);
        if (penalty_.is_full()) catch_up_all(pool);
        update_groups(order.data() + first, count, pool);
        const double met = differentiate(order.data() + first, count, pool);
        loss += met;
        if (!std::isfinite(met) || loss > bound) {
            clear_pool();
            return kNever;
        }
        const double eta = step_ / std::sqrt(1 + static_cast<double>(steps_++) / steps_an_epoch);
        descend(order.data() + first, count, eta, pool);
        penalty_.step(eta * static_cast<double>(count) / sentences);
        interrupt.poll();
    }
    catch_up_all(pool);
    return loss;
}

// Applies pending steps to the groups that occur in a batch, and computes the weights of the pool.
void Elitist::update_groups(const uint32_t* sentences, size_t count, ThreadPool& pool) {
    met_.clear();
    if (++round_ == 0) {
        std::fill(met_in_.begin(), met_in_.end(), 0u);
        round_ = 1;
    }
    const auto note = [&](uint32_t group) {
        if (met_in_[group] == round_) return;
        met_in_[group] = round_;
        met_.push_back(group);
    };
    for (size_t i = 0; i < count; ++i) groups_.each_of(sentences[i], note);
    groups_.each_common(note);
    pool.run(block_count(met_.size()), [&](size_t block, unsigned) {
        const size_t last = std::min(met_.size(), (block + 1) * kBlock);
        for (size_t i = block * kBlock; i < last; ++i) {
            if (i + 2 * kAhead < last) __builtin_prefetch(&groups_[met_[i + 2 * kAhead]]);
            if (i + kAhead < last) prefetch(groups_[met_[i + kAhead]]);
            catch_up(groups_[met_[i]]);
        }
    });
}

// Prefetches the weights of a group: they are scattered over memory.
void Elitist::prefetch(const WeightGroup& group) {
    for (Buffer<double>& each : weights_)
        for (size_t k = 0; k < group.count; k += 8) __builtin_prefetch(each.data() + group.begin + k);
}

std::array<double*, kMostAcross> Elitist::members_of(const WeightGroup& group) {
    std::array<double*, kMostAcross> out;
    for (size_t j = 0; j < experts_; ++j) out[j] = weights(j + 1) + group.begin;
    return out;
}

// Applies the pending gradient and the missed proximal steps, then computes the weights of the pool.
void Elitist::catch_up(WeightGroup& group) {
    penalty_.catch_up_across(members_of(group).data(), group.count, group.caught_up, moves_.data() + group.caught_up * experts_, alpha_.data(),
                             weights(0) + group.begin);
    group.caught_up = static_cast<uint32_t>(penalty_.steps());
}

void Elitist::catch_up_all(ThreadPool& pool) {
    pool.run(block_count(groups_.size()), [&](size_t block, unsigned) {
        const size_t last = std::min(groups_.size(), (block + 1) * kBlock);
        for (size_t i = block * kBlock; i < last; ++i) {
            if (i + kAhead < last) prefetch(groups_[i + kAhead]);
            catch_up(groups_[i]);
            groups_[i].caught_up = 0;
            std::fill_n(weights(0) + groups_[i].begin, groups_[i].count, 0.0);
        }
    });
    penalty_.restart();
    moves_.clear();
}

double Elitist::differentiate(const uint32_t* sentences, size_t count, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    const GradientKernels<double>& run = kernels().doubles;
    for (size_t i = 0; i < count; ++i)
        first_tokens_[i + 1] = first_tokens_[i] + set.sentences_[sentences[i] + 1] - set.sentences_[sentences[i]];
    const size_t nodes = first_tokens_[count] * set.stride(), edges = set.common_edge_size();
    if (nodes_.size() < models() * nodes) nodes_.resize(models() * nodes);
    if (chain_)
        for (size_t model = 0; model < models(); ++model) run.make_edges(set, {weights(model), 1, 1.0}, edges_[model]);
    pool.run(models() * count, [&](size_t task, unsigned worker) {
        const size_t model = task / count, i = task % count;
        losses_[task] = run.differentiate(set, {weights(model), 1, 1.0}, nullptr, sentences[i], chain_, example_weights(), edges_[model],
                                          nodes_.data() + model * nodes + first_tokens_[i] * set.stride(),
                                          edge_gradients_.data() + task * edges, scratch_[worker]);
        triples_[task].swap(scratch_[worker].triple_gradients);
    });
    double loss = 0;
    for (size_t task = 0; task < models() * count; ++task) loss += (task < count ? 1 - options_.mu : options_.mu) * losses_[task];
    return loss;
}

// The gradient of the pool stays pending, in the memory of its weights, until a group occurs again.
void Elitist::descend(const uint32_t* sentences, size_t count, double eta, ThreadPool& pool) {
    clear_pool();
    add_gradients(sentences, count, 0, 1.0);
    for (const double alpha : alpha_) moves_.push_back(eta * (1 - options_.mu) * alpha);
    if (options_.learn_alpha) move_alpha(eta * (1 - options_.mu) / static_cast<double>(first_tokens_[count]), pool);
    for (size_t model = 1; model < models(); ++model) add_gradients(sentences, count, model, -eta * options_.mu);
}

void Elitist::clear_pool() {
    for (const uint32_t number : met_) std::fill_n(weights(0) + groups_[number].begin, groups_[number].count, 0.0);
}

// Adds `by` times the gradient of a model to its weights.
void Elitist::add_gradients(const uint32_t* sentences, size_t count, size_t model, double by) {
    const TrainingSet& set = *set_;
    const size_t stride = set.stride(), edges = set.common_edge_size();
    double* const to = weights(model);
    const ElitistKernels& run = kernels().elitist;
    const double* const nodes = nodes_.data() + model * first_tokens_[count] * stride;
    for (size_t i = 0; i < count; ++i) {
        const double* const edge_gradients = edge_gradients_.data() + (model * count + i) * edges;
        for (size_t k = 0; chain_ && k < edges; ++k) to[set.transitions_begin() + k] += by * edge_gradients[k];
        const size_t begin = set.sentences_[sentences[i]], end = set.sentences_[sentences[i] + 1];
        const double* triple_gradient = triples_[model * count + i].data();
        for (size_t token = begin; chain_ && token < end; ++token)
            set.arcs().each_triple_at(token, [&](uint32_t triple, float) { to[set.triples_begin() + triple] += by * *triple_gradient++; });
        run.add_nodes(set, masks_.data(), sentences[i], by, nodes + first_tokens_[i] * stride, to);
    }
}

// A step of alpha against its gradient, <G, W_j>.
void Elitist::move_alpha(double by, ThreadPool& pool) {
    slopes_.assign(block_count(met_.size()) * experts_, 0.0);
    pool.run(block_count(met_.size()), [&](size_t block, unsigned) {
        for (size_t i = block * kBlock; i < std::min(met_.size(), (block + 1) * kBlock); ++i) {
            const WeightGroup& group = groups_[met_[i]];
            kernels().elitist.add_slopes(members_of(group).data(), experts_, group.count, weights(0) + group.begin,
                                         slopes_.data() + block * experts_);
        }
    });
    for (size_t i = 0; i < slopes_.size(); ++i) alpha_[i % experts_] -= by * slopes_[i];
    project_onto_simplex(alpha_);
}

void Elitist::calibrate(InterruptCheck interrupt) {
    const std::vector<uint32_t> sample = calibration_sample(set_->sentence_count(), options_.seed);
    const auto undo = [&] {
        begin();
    };
    calibrate_step(step_, [&](double bound) { return pass(sample, bound, interrupt); }, undo);
}

std::vector<double> Elitist::parameters() {
    ThreadPool pool(options_.threads);
    catch_up_all(pool);
    const size_t size = expert_size();
    std::vector<double> out(parameter_count());
    for (size_t j = 0; j < experts_; ++j)
        set_->places().each(size, [&](size_t i, size_t place, float) { out[j * size + i] = weights_[j + 1][place]; });
    std::copy(alpha_.begin(), alpha_.end(), out.end() - static_cast<std::ptrdiff_t>(experts_));
    return out;
}

}  // namespace tagpool
