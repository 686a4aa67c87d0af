#include "trainers/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "trainers/calibrate.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTooLarge = 1e5;  // divisors above it cost precision

// Prefetch the range: another core wrote it, so every line is a cache miss.
void prefetch(const float* numbers, size_t count) {
    for (size_t i = 0; i < count; i += 16) __builtin_prefetch(numbers + i);
}

}  // namespace

Sgd::Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), options_(options), example_weights_(std::move(example_weights)),
      shrink_(options.l2 / static_cast<double>(set_->sentence_count())), step_(options.step), random_(options.seed), weights_(*set_),
      masks_(*set_), shards_(set_->shards()), dropout_(*set_, options.dropout, options.seed, options.groups) {
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "example_weights: expected one for each sentence" : "example_weights: expected one for each token");
    if (options_.batch == 0) throw InputFault("batch: expected at least 1 sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch, 1024)));
    scratch_.resize(options_.threads);
    losses_.resize(options_.batch);
    triples_.resize(options_.batch);
    edge_gradients_.assign(options_.batch * set_->common_edge_size(), 0);
}

void Sgd::start_from(const float* parameters) {
    weights_.each([](float& weight, float& second) { weight = second = 0; });
    set_->places().each(parameter_count(), [&](size_t i, size_t place, float factor) {
        weights_.data()[weights_.first(place)] = factor * parameters[i];
    });
    divisor_ = average_divisor_ = 1;
    fraction_ = 0;
    epochs_ = seen_ = averaged_steps_ = 0;
    from_zero_ = false;
    step_ = options_.step;
}

double Sgd::epoch(InterruptCheck interrupt) {
    if (step_ <= 0) calibrate(interrupt);
    if (step_ <= 0) return kNever;
    const std::vector<uint32_t> order = random_.permutation(set_->sentence_count());
    const bool average = ++epochs_ > options_.average_from;
    // Training diverges at ten times the loss of uniform predictions. (Given weights may start above that.)
    const double bound = from_zero_ ? 10 * uniform_loss(order) + 1 : kNever;
    return pass(order, average, bound, interrupt) / static_cast<double>(order.size());
}

// Loss of uniform predictions: log(labels) for each token.
double Sgd::uniform_loss(const std::vector<uint32_t>& sentences) const {
    double tokens = 0;
    for (uint32_t sentence : sentences)
        for (size_t token = set_->sentences_[sentence]; token < set_->sentences_[sentence + 1]; ++token)
            tokens += example_weights_.empty() ? 1.0 : static_cast<double>(example_weights_[chain_ ? sentence : token]);
    return tokens * std::log(static_cast<double>(set_->labels()));
}

// Returns the summed loss, or infinity as soon as it exceeds `bound` or is not a number.
double Sgd::pass(const std::vector<uint32_t>& order, bool average, double bound, InterruptCheck interrupt) {
    ThreadPool pool(options_.threads);
    double loss = 0;
    Batch batch;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        if (divisor_ > kTooLarge || average_divisor_ > kTooLarge) {
            finish_batch();
            settle();
        }
        const double eta = step_ / std::pow(1 + step_ * shrink_ * static_cast<double>(seen_), 0.75);
        batch.sentences = order.data() + first;
        batch.count = std::min(options_.batch, order.size() - first);
        batch.step = eta * divisor_;
        batch.second = fraction_ * batch.step;
        batch.both = average && averaged_steps_ > 0;
        batch.first_visit = seen_;
        seen_ += batch.count;
        const double met = learn(batch, pool);
        loss += met;
        if (!std::isfinite(met) || loss > bound) {
            pending_.count = 0;
            return kNever;
        }
        divisor_ *= 1 + eta * shrink_ * static_cast<double>(batch.count);
        std::swap(batch, pending_);
        if (average) {
            // The average of n points moves by 1/n towards the next one.
            const double share = 1.0 / static_cast<double>(++averaged_steps_);
            average_divisor_ = share < 1 ? average_divisor_ / (1 - share) : divisor_;
            fraction_ = share < 1 ? fraction_ + share * average_divisor_ / divisor_ : 1;
        }
        try {
            interrupt.poll();
        } catch (...) {
            finish_batch();
            throw;
        }
    }
    finish_batch();
    return loss;
}

void Sgd::lay_out(Batch& batch) {
    batch.first_tokens.assign(1, 0);
    for (size_t i = 0; i < batch.count; ++i) batch.first_tokens.push_back(batch.first_tokens.back() + length(batch.sentences[i]));
    const size_t tokens = batch.first_tokens.back();
    if (moves_.size() >= tokens) return;
    moves_.resize(tokens);
    nodes_.resize(tokens * set_->stride());
    for (AlignedVector<float>& part : parts_) part.resize(tokens * set_->stride());
}

// Returns the loss of a batch; its gradient stays pending.
double Sgd::learn(Batch& batch, ThreadPool& pool) {
    lay_out(batch);
    score_and_descend(batch, pool);
    return differentiate(batch, pool);
}

// First round: weights.
void Sgd::score_and_descend(const Batch& batch, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    const WeightView<float> view{weights_.data(), 2, static_cast<float>(1 / divisor_)};
    pool.run(Shards::kCount + 1, [&](size_t task, unsigned) {
        if (task == Shards::kCount) {
            descend_edges();
            if (chain_) kernels().floats.make_edges(set, view, edges_);
            return;
        }
        prefetch(nodes_.data(), pending_.count ? pending_.first_tokens.back() * set.stride() : 0);
        descend(task);
        if (!dropout_.empty()) {
            kept_[task].clear();
            for (size_t i = 0; i < batch.count; ++i) dropout_.thin(shards_->rows(batch.sentences[i], task), batch.first_visit + i, kept_[task]);
        }
        for (size_t i = 0; i < batch.count; ++i) {
            const size_t sentence = batch.sentences[i];
            kernels().sgd.score_shard(set, view, batch.both ? 2 * set.stride() : set.stride(), rows(batch, i, task), shards_->singles(sentence, task),
                                      length(sentence), parts_[task].data() + batch.first_tokens[i] * set.stride());
        }
    });
}

// Second round: sentences.
double Sgd::differentiate(const Batch& batch, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    const size_t stride = set.stride(), edges = set.common_edge_size();
    const WeightView<float> view{weights_.data(), 2, static_cast<float>(1 / divisor_)};
    longest_first_.resize(batch.count);
    std::iota(longest_first_.begin(), longest_first_.end(), 0u);
    // Longest first balances the threads; the order does not change the result.
    if (pool.size() > 1)
        std::sort(longest_first_.begin(), longest_first_.end(),
                  [&](uint32_t a, uint32_t b) { return length(batch.sentences[a]) > length(batch.sentences[b]); });
    pool.run(batch.count, [&](size_t task, unsigned worker) {
        const size_t i = longest_first_[task], sentence = batch.sentences[i], first = batch.first_tokens[i];
        const float* parts[Shards::kCount];
        for (size_t shard = 0; shard < Shards::kCount; ++shard) {
            parts[shard] = parts_[shard].data() + first * stride;
            prefetch(parts[shard], length(sentence) * stride);
        }
        losses_[i] = kernels().floats.differentiate(set, view, parts, sentence, chain_, example_weights(), edges_,
                                                    nodes_.data() + first * stride, edge_gradients_.data() + i * edges, scratch_[worker]);
        triples_[i].swap(scratch_[worker].triple_gradients);
        kernels().sgd.find_moves(set, nodes_.data() + first * stride, length(sentence), moves_.data() + first);
    });
    return std::accumulate(losses_.begin(), losses_.begin() + static_cast<std::ptrdiff_t>(batch.count), 0.0);
}

// Applies the pending gradient to the weights of a shard.
void Sgd::descend(size_t shard) {
    const TrainingSet& set = *set_;
    const StepTarget target{weights_.data(), masks_.data(), static_cast<float>(pending_.step), static_cast<float>(pending_.second), pending_.both};
    for (size_t i = 0; i < pending_.count; ++i) {
        const size_t sentence = pending_.sentences[i], first = pending_.first_tokens[i];
        kernels().sgd.descend(set, target, rows(pending_, i, shard), shards_->singles(sentence, shard),
                              nodes_.data() + first * set.stride(), moves_.data() + first);
    }
}

// The rows of sentence i of the batch that was scored last.
Shards::List Sgd::rows(const Batch& batch, size_t i, size_t shard) const {
    return dropout_.empty() ? shards_->rows(batch.sentences[i], shard) : kept_[shard].list(i);
}

void Sgd::descend_edges() {
    if (!chain_ || pending_.count == 0) return;
    const size_t edges = set_->common_edge_size();
    float* const to = weights_.data() + 2 * set_->transitions_begin();
    float* const seconds = to + set_->edge_size();
    float* const total = edge_gradients_.data();
    for (size_t i = 1; i < pending_.count; ++i)
        for (size_t k = 0; k < edges; ++k) total[k] += edge_gradients_[i * edges + k];
    const auto first = static_cast<float>(pending_.step), second = static_cast<float>(pending_.second);
    for (size_t k = 0; k < edges; ++k) to[k] -= first * total[k];
    for (size_t k = 0; pending_.both && k < edges; ++k) seconds[k] += second * total[k];
    float* const triples = weights_.data() + weights_.first(set_->triples_begin());
    float* const triple_seconds = triples + set_->edge_size();
    for (size_t i = 0; i < pending_.count; ++i) {
        const float* gradient = triples_[i].data();
        set_->arcs().each_triple(set_->sentences_[pending_.sentences[i]], length(pending_.sentences[i]), [&](size_t, uint32_t triple, float) {
            triples[triple] -= first * *gradient;
            if (pending_.both) triple_seconds[triple] += second * *gradient;
            ++gradient;
        });
    }
}

void Sgd::finish_batch() {
    for (size_t shard = 0; shard < Shards::kCount; ++shard) descend(shard);
    descend_edges();
    pending_.count = 0;
}

// Applies the divisors to the weights before they cost precision.
void Sgd::settle() {
    const auto scale = static_cast<float>(1 / divisor_);
    const auto own = static_cast<float>(1 / average_divisor_), other = static_cast<float>(fraction_ / average_divisor_);
    if (averaged_steps_ > 0) {
        weights_.each([&](float& weight, float& second) { second = own * second + other * weight; });
        average_divisor_ = 1;
        fraction_ = 0;
    }
    weights_.each([&](float& weight, float&) { weight *= scale; });
    divisor_ = 1;
}

void Sgd::calibrate(InterruptCheck interrupt) {
    const std::vector<uint32_t> sample = calibration_sample(set_->sentence_count(), options_.seed);
    const std::vector<float> start = from_zero_ ? std::vector<float>() : std::vector<float>(weights_.data(), weights_.data() + weights_.size());
    const auto undo = [&] {
        restore(sample, start);
        divisor_ = 1;
        seen_ = 0;
    };
    calibrate_step(step_, [&](double bound) { return pass(sample, false, bound, interrupt); }, undo);
}

// Undoes a calibration trial.
void Sgd::restore(const std::vector<uint32_t>& sample, const std::vector<float>& start) {
    const TrainingSet& set = *set_;
    const auto reset = [&](size_t first, size_t count) {
        if (start.empty()) std::fill_n(weights_.data() + first, count, 0.0f);
        else std::copy_n(start.data() + first, count, weights_.data() + first);
    };
    for (uint32_t sentence : sample)
        for (size_t shard = 0; shard < Shards::kCount; ++shard) {
            const Shards::List rows = shards_->rows(sentence, shard), singles = shards_->singles(sentence, shard);
            for (size_t i = 0; i < rows.count; ++i) reset(size_t{rows.items[i].place} * 2 * set.stride(), set.stride());
            for (size_t i = 0; i < singles.count; ++i) reset(size_t{singles.items[i].place} * 2, 1);
        }
    reset(2 * set.transitions_begin(), set.edge_size());
}

std::vector<float> Sgd::parameters() const {
    if (averaged_steps_ == 0) return current();
    std::vector<float> out(parameter_count());
    set_->places().each(out.size(), [&](size_t i, size_t place, float factor) {
        const auto weight = static_cast<double>(weights_.data()[weights_.first(place)]);
        out[i] = static_cast<float>((static_cast<double>(weights_.data()[weights_.second(place)]) + fraction_ * weight) /
                                    (average_divisor_ * static_cast<double>(factor)));
    });
    return out;
}

std::vector<float> Sgd::current() const {
    std::vector<float> out(parameter_count());
    set_->places().each(out.size(), [&](size_t i, size_t place, float factor) {
        out[i] = static_cast<float>(static_cast<double>(weights_.data()[weights_.first(place)]) / (divisor_ * static_cast<double>(factor)));
    });
    return out;
}

}  // namespace tagpool
