#include "trainers/fobos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "trainers/calibrate.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Fobos::Fobos(std::shared_ptr<const TrainingSet> set, bool chain, const FobosOptions& options, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), options_(options), example_weights_(std::move(example_weights)), step_(options.step),
      random_(options.seed), penalty_(penalty_of(options.penalty, options.strength, options.ridge, set_->labels())), masks_(*set_),
      groups_(*set_, chain) {
    set_->demand_tokens();
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
    if (options_.batch == 0) throw InputFault("batch: expected at least 1 sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch, 1024)));
    weights_.fill(set_->weight_count(), 0.0);
    scratch_.resize(options_.threads);
    losses_.resize(options_.batch);
    triples_.resize(options_.batch);
    first_tokens_.resize(options_.batch + 1);
    edge_gradients_.assign(options_.batch * set_->common_edge_size(), 0);
}

void Fobos::start_from(const double* parameters) {
    weights_.fill(weights_.size(), 0.0);
    set_->places().each(parameter_count(), [&](size_t i, size_t place, float) { weights_[place] = parameters[i]; });
    for (WeightGroup& group : groups_) group.caught_up = 0;
    penalty_.restart();
    steps_ = 0;
    step_ = options_.step;
}

double Fobos::epoch(InterruptCheck interrupt) {
    if (step_ <= 0) calibrate(interrupt);
    if (step_ <= 0) return kNever;
    const std::vector<uint32_t> order = random_.permutation(set_->sentence_count());
    const double loss = pass(order, kNever, interrupt);
    catch_up_all();
    return loss / static_cast<double>(order.size());
}

// Returns the summed loss, or infinity as soon as it exceeds `bound` or is not a number.
double Fobos::pass(const std::vector<uint32_t>& order, double bound, InterruptCheck interrupt) {
    const auto sentences = static_cast<double>(set_->sentence_count());
    const double steps_an_epoch = std::ceil(sentences / static_cast<double>(options_.batch));
    ThreadPool pool(options_.threads);
    double loss = 0;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        const size_t count = std::min(options_.batch, order.size() - first);
        if (penalty_.is_full()) catch_up_all();
        for (size_t i = 0; i < count; ++i) catch_up_sentence(order[first + i]);
        groups_.each_common([&](uint32_t group) { catch_up(groups_[group]); });
        const double met = batch_gradients(order.data() + first, count, pool);
        loss += met;
        if (!std::isfinite(met) || loss > bound) return kNever;
        const double eta = step_ / std::sqrt(1 + static_cast<double>(steps_++) / steps_an_epoch);
        descend(order.data() + first, count, eta);
        penalty_.step(eta * static_cast<double>(count) / sentences);
        interrupt.poll();
    }
    return loss;
}

double Fobos::batch_gradients(const uint32_t* sentences, size_t count, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    const GradientKernels<double>& run = kernels().doubles;
    for (size_t i = 0; i < count; ++i)
        first_tokens_[i + 1] = first_tokens_[i] + set.sentences_[sentences[i] + 1] - set.sentences_[sentences[i]];
    if (nodes_.size() < first_tokens_[count] * set.stride()) nodes_.resize(first_tokens_[count] * set.stride());
    const WeightView<double> view{weights_.data(), 1, 1.0};
    if (chain_) run.make_edges(set, view, edges_);
    const size_t edges = set.common_edge_size();
    pool.run(count, [&](size_t i, unsigned worker) {
        losses_[i] = run.differentiate(set, view, nullptr, sentences[i], chain_, example_weights(), edges_,
                                       nodes_.data() + first_tokens_[i] * set.stride(), edge_gradients_.data() + i * edges, scratch_[worker]);
        triples_[i].swap(scratch_[worker].triple_gradients);
    });
    return std::accumulate(losses_.begin(), losses_.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

void Fobos::descend(const uint32_t* sentences, size_t count, double eta) {
    const TrainingSet& set = *set_;
    const size_t stride = set.stride(), edges = set.common_edge_size();
    for (size_t i = 0; i < count; ++i) {
        for (size_t k = 0; chain_ && k < edges; ++k) weights_[set.transitions_begin() + k] -= eta * edge_gradients_[i * edges + k];
        const size_t begin = set.sentences_[sentences[i]], end = set.sentences_[sentences[i] + 1];
        const double* triple_gradient = triples_[i].data();
        for (size_t token = begin; token < end; ++token) {
            if (chain_)
                set.arcs().each_triple_at(token, [&](uint32_t triple, float) { weights_[set.triples_begin() + triple] -= eta * *triple_gradient++; });
            const double* const from = nodes_.data() + (first_tokens_[i] + token - begin) * stride;
            for (uint64_t k = set.items().row_starts[token]; k < set.items().row_starts[token + 1]; ++k) {
                const double by = set.items().row_values.empty() ? eta : eta * static_cast<double>(set.items().row_values[k]);
                double* const row = weights_.data() + size_t{set.items().rows[k]} * stride;
                if (masks_.data()) {
                    for (size_t y = 0; y < stride; ++y)
                        if (masks_.is_free(set.items().rows[k], y)) row[y] -= by * from[y];
                } else {
                    for (size_t y = 0; y < stride; ++y) row[y] -= by * from[y];
                }
            }
        }
        const double* const nodes = nodes_.data() + first_tokens_[i] * stride;
        for (uint64_t k = set.items().single_starts[begin]; k < set.items().single_starts[end]; ++k) {
            const double by = set.items().single_values.empty() ? eta : eta * static_cast<double>(set.items().single_values[k]);
            weights_[set.items().singles[k].place] -= by * nodes[set.items().singles[k].to];
        }
    }
}

void Fobos::catch_up(WeightGroup& group) {
    penalty_.catch_up(weights_.data() + group.begin, group.count, group.caught_up);
    group.caught_up = static_cast<uint32_t>(penalty_.steps());
}

void Fobos::catch_up_sentence(size_t sentence) {
    groups_.each_of(sentence, [&](uint32_t group) { catch_up(groups_[group]); });
}

void Fobos::catch_up_all() {
    for (WeightGroup& group : groups_) {
        catch_up(group);
        group.caught_up = 0;
    }
    penalty_.restart();
}

void Fobos::calibrate(InterruptCheck interrupt) {
    const std::vector<uint32_t> sample = calibration_sample(set_->sentence_count(), options_.seed);
    const std::vector<double> start(weights_.begin(), weights_.end());
    const auto undo = [&] {
        std::copy(start.begin(), start.end(), weights_.data());
        for (WeightGroup& group : groups_) group.caught_up = 0;
        penalty_.restart();
        steps_ = 0;
    };
    calibrate_step(step_, [&](double bound) { return pass(sample, bound, interrupt); }, undo);
}

std::vector<double> Fobos::parameters() {
    catch_up_all();
    std::vector<double> out(parameter_count());
    set_->places().each(out.size(), [&](size_t i, size_t place, float) { out[i] = weights_[place]; });
    return out;
}

}  // namespace tagpool
