#include "trainers/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/portable.hpp"
#include "base/random.hpp"

namespace tagpool {
namespace {

constexpr double kMaxDivisor = 1e5;  // larger ones cost precision
// The first step changes the scores of a token by about this number, whatever the number of its features. Values from 8 to 16 train equally well.
constexpr double kFirstChange = 12;
constexpr double kManyTokens = 1000;
constexpr double kMaxStep = 1;           // a weight of frequent features moves by up to this number in its first step
constexpr float kSmallGradient = 0.02f;  // norm of the gradient of a token's scores; the largest is sqrt(2)
constexpr float kLeastProbability = 0.05f;
constexpr uint64_t kSeedFactor = 0x9E3779B97F4A7C15ULL;
constexpr double kAveragingPower = 3;  // step n of the average has a weight of about n^3

// Prefetch the range: another core wrote it, so every line is a cache miss.
void prefetch(const float* numbers, size_t count) {
    for (size_t i = 0; i < count; i += 16) prefetch_line(numbers + i);
}

}  // namespace

Sgd::Sgd(const std::shared_ptr<const TrainingSet>& set, bool chain, const SgdOptions& options, std::vector<float> example_weights)
    : StochasticTrainer(set, chain, options.steps, std::move(example_weights)), average_from_(options.average_from), trained_on_(options.trained_on),
      l2_(options.l2), shrink_(options.l2 / static_cast<double>(set->weights().sentence_count())), weights_(*set), masks_(*set),
      chunks_(set->stream() ? set->stream()->chunks : Chunks(set->sentences_)), shards_(set->stream() ? nullptr : set->shards()),
      dropout_(*set, options.dropout, options.steps.seed, options.groups), adaptive_(set->weights(), 1 - options.dropout, options_.batch),
      scratch_(options_.threads), losses_(options_.batch), cell_gradients_(options_.batch),
      edge_gradients_(options_.batch * set->common_edge_size()) {}

void Sgd::start_from(const float* parameters) {
    weights_.load(layout(), parameters);
    divisor_ = average_divisor_ = 1;
    fraction_ = 0;
    epochs_ = seen_ = averaged_steps_ = 0;
    from_zero_ = false;
    step_ = options_.step;
    if (earlier() > 0 && set_->stream()) throw InputFault("sentences that are not in memory cannot continue an earlier training");
    adaptive_.continue_from(*set_, weights_, earlier());
}

// Steps above 2 / l2 overshoot the minimum of the penalty alone. Weights that were trained before move less, the more so the more sentences they
// were trained on.
void Sgd::choose_step(InterruptCheck) {
    // A step over very many tokens is as certain as it is large: the next ones could not correct it.
    const WeightLayout& all = set_->weights();
    const double tokens = static_cast<double>(all.token_count() * options_.batch) / static_cast<double>(all.sentence_count());
    const double change = kFirstChange * std::min(1.0, std::sqrt(kManyTokens / tokens));
    const double step = std::min(change / std::max(all.mean_square_norm(), 1e-6), kMaxStep);
    step_ = (l2_ * step > 2 ? 2 / l2_ : step) / std::sqrt(1 + earlier());
}

double Sgd::train(InterruptCheck interrupt) {
    averages_ = ++epochs_ > average_from_;
    // Training diverges at ten times the loss of uniform predictions. (Given weights may start above that.)
    const double bound = from_zero_ ? 10 * uniform_loss() + 1 : kDiverged;
    double loss = 0;
    Order sentences;
    for (const std::vector<uint32_t>& chunks : chunks_.epoch(random_)) {
        enter(chunks, sentences);
        Order order = random_.permutation(sentences.size());
        for (uint32_t& sentence : order) sentence = sentences[sentence];
        loss = pass(order, loss, bound, interrupt);
        if (loss == kDiverged) break;
    }
    if (set_->stream()) {
        shards_.reset();
        block_.reset();
    }
    return loss;
}

// Loads a block, and lists its sentences.
void Sgd::enter(const std::vector<uint32_t>& chunks, Order& sentences) {
    sentences.clear();
    if (!set_->stream()) {
        for (const uint32_t chunk : chunks)
            for (size_t i = chunks_.first_sentence(chunk); i < chunks_.first_sentence(chunk + 1); ++i) sentences.push_back(static_cast<uint32_t>(i));
        return;
    }
    shards_.reset();
    block_.reset();  // before the next is loaded
    block_ = set_->stream()->load(chunks);
    block_->keep_shards_only();
    shards_ = block_->shards();
    sentences.resize(block_->sentence_count());
    std::iota(sentences.begin(), sentences.end(), 0u);
}

double Sgd::pass(const Order& order, double bound, InterruptCheck interrupt) { return pass(order, 0, bound, interrupt); }

// Loss of uniform predictions: log(labels) for each token.
double Sgd::uniform_loss() const {
    double tokens = example_weights_.empty() ? static_cast<double>(set_->weights().token_count()) : 0;
    for (size_t sentence = 0; sentence < set_->sentence_count() && !example_weights_.empty(); ++sentence)
        for (size_t token = set_->sentences_[sentence]; token < set_->sentences_[sentence + 1]; ++token)
            tokens += static_cast<double>(example_weights_[chain_ ? sentence : token]);
    return tokens * std::log(static_cast<double>(set_->labels()));
}

// Adds to the loss of earlier blocks.
double Sgd::pass(const Order& order, double loss, double bound, InterruptCheck interrupt) {
    ThreadPool pool(options_.threads);
    Batch batch;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        if (divisor_ > kMaxDivisor || average_divisor_ > kMaxDivisor) {
            finish_batch();
            apply_divisors();
        }
        const double eta = step_ / std::pow(1 + step_ * shrink_ * static_cast<double>(seen_), 0.75);
        batch.sentences = order.data() + first;
        batch.count = std::min(options_.batch, order.size() - first);
        batch.eta = eta;
        batch.step = eta * divisor_;
        batch.fraction = fraction_;
        batch.both = averages_ && averaged_steps_ > 0;
        batch.first_visit = seen_;
        seen_ += batch.count;
        grow_work_space(batch);
        update_and_score(batch, pool);
        const double batch_loss = differentiate(batch, pool);
        loss += batch_loss;
        if (!std::isfinite(batch_loss) || loss > bound) {
            pending_.count = 0;
            return kDiverged;
        }
        divisor_ *= 1 + eta * shrink_ * static_cast<double>(batch.count);
        std::swap(batch, pending_);
        if (averages_) {
            const double share = (1 + kAveragingPower) / (static_cast<double>(++averaged_steps_) + kAveragingPower);
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

void Sgd::grow_work_space(Batch& batch) {
    batch.first_tokens.assign(1, 0);
    for (size_t i = 0; i < batch.count; ++i) batch.first_tokens.push_back(batch.first_tokens.back() + length(batch.sentences[i]));
    const size_t tokens = batch.first_tokens.back();
    if (tokens_.size() >= tokens) return;
    tokens_.resize(tokens);
    nodes_.resize(tokens * set_->stride());
    for (AlignedVector<float>& part : parts_) part.resize(tokens * set_->stride());
}

// First round, by weights: applies the pending gradient and scores the batch.
void Sgd::update_and_score(const Batch& batch, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    pool.run(Shards::kCount + 1, [&](size_t task, unsigned) {
        if (task == Shards::kCount) {
            update_edges();
            if (chain_) kernels().floats.make_edges(set, view(), edges_);
            return;
        }
        prefetch(nodes_.data(), pending_.count ? pending_.first_tokens.back() * set.stride() : 0);
        update_shard(task);
        if (!dropout_.empty()) {
            selected_[task].clear();
            for (size_t i = 0; i < batch.count; ++i) dropout_.select(shards_->rows(batch.sentences[i], task), batch.first_visit + i, selected_[task]);
        }
        for (size_t i = 0; i < batch.count; ++i) {
            const size_t sentence = batch.sentences[i];
            kernels().sgd.score_shard(set, view(), batch.both ? 2 * set.stride() : set.stride(), rows(batch, i, task),
                                      shards_->singles(sentence, task), length(sentence), parts_[task].data() + batch.first_tokens[i] * set.stride());
        }
    });
}

// Second round, by sentences: returns the loss; the gradient stays pending.
double Sgd::differentiate(const Batch& batch, ThreadPool& pool) {
    const TrainingSet& set = *set_;
    const size_t stride = set.stride(), edges = set.common_edge_size();
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
        losses_[i] = kernels().floats.differentiate({block(), chain_, examples().weights}, view(), parts, sentence, edges_,
                                                    nodes_.data() + first * stride, edge_gradients_.data() + i * edges, scratch_[worker]);
        cell_gradients_[i].swap(scratch_[worker].cell_gradients);
        kernels().sgd.square_norms(set, nodes_.data() + first * stride, length(sentence), tokens_.data() + first);
        sample_small_gradients(batch.first_visit + i, sentence, first);
    });
    return std::accumulate(losses_.begin(), losses_.begin() + static_cast<std::ptrdiff_t>(batch.count), 0.0);
}

// Most tokens are easy after the first epoch, and their updates would take most of the time. A token with a small gradient is updated with a
// probability in proportion to the gradient, and stands for 1 / probability occurrences: the expected step is the same.
void Sgd::sample_small_gradients(uint64_t visit, size_t sentence, size_t first) {
    const size_t stride = set_->stride(), begin = block().sentences_[sentence];
    Random random(options_.seed * kSeedFactor + visit);
    for (size_t t = 0; t < length(sentence); ++t) {
        TokenGradient& token = tokens_[first + t];
        const float weight = example_weights_.empty() ? 1.0f : example_weights_[chain_ ? sentence : begin + t];
        const float norm = std::sqrt(token.square), small = kSmallGradient * weight;
        if (norm >= small && weight > 0) continue;
        const float probability = weight > 0 ? std::max(norm / small, kLeastProbability) : 0;
        token.times = random.uniform() < static_cast<double>(probability) ? 1 / probability : 0;
        token.square *= token.times;
        for (size_t y = 0; y < stride; ++y) nodes_[(first + t) * stride + y] *= token.times;
    }
}

// Applies the pending gradient to the weights of a shard.
void Sgd::update_shard(size_t shard) {
    const TrainingSet& set = *set_;
    StepTarget target{weights_.data(),
                      masks_.data(),
                      static_cast<float>(pending_.eta * l2_),
                      static_cast<float>(pending_.step),
                      static_cast<float>(pending_.fraction),
                      pending_.both};
    adaptive_.set_target(target, shard);
    for (size_t i = 0; i < pending_.count; ++i) {
        const size_t sentence = pending_.sentences[i], first = pending_.first_tokens[i];
        kernels().sgd.apply_gradient(set, target, rows(pending_, i, shard), shards_->singles(sentence, shard), nodes_.data() + first * set.stride(),
                                     tokens_.data() + first);
    }
    kernels().sgd.apply_sums(set, target);
}

// The rows of sentence i of the batch that was scored last.
Shards::List Sgd::rows(const Batch& batch, size_t i, size_t shard) const {
    return dropout_.empty() ? shards_->rows(batch.sentences[i], shard) : selected_[shard].list(i);
}

void Sgd::update_edges() {
    if (!chain_ || pending_.count == 0) return;
    const size_t edges = set_->common_edge_size();
    float* const to = weights_.data() + 2 * set_->transitions_begin();
    float* const seconds = to + set_->edge_size();
    float* const total = edge_gradients_.data();
    for (size_t i = 1; i < pending_.count; ++i)
        for (size_t k = 0; k < edges; ++k) total[k] += edge_gradients_[i * edges + k];
    const auto step = static_cast<float>(pending_.step), fraction = static_cast<float>(pending_.fraction);
    const auto move = [&](float& weight, float& second, float by) {
        weight -= step * by;
        if (pending_.both) second += fraction * step * by;
    };
    const double growth = pending_.eta / pending_.step;
    const auto edge_growth = static_cast<float>(growth * shrink_ * static_cast<double>(pending_.count)),
               cell_growth = static_cast<float>(growth * l2_);
    for (size_t k = 0; k < edges; ++k) move(to[k], seconds[k], adaptive_.edge_step(k, total[k], to[k], edge_growth));
    float* const cells = to + edges;
    float* const cell_seconds = seconds + edges;
    for (size_t i = 0; i < pending_.count; ++i) {
        const float* gradient = cell_gradients_[i].data();
        block().transition_features().each_cell(block().sentences_[pending_.sentences[i]], length(pending_.sentences[i]),
                                                [&](size_t, uint32_t cell, float) {
                                                    const float by = adaptive_.cell_step(cell, *gradient++, cells[cell], cell_growth);
                                                    move(cells[cell], cell_seconds[cell], by);
                                                });
    }
}

void Sgd::finish_batch() {
    for (size_t shard = 0; shard < Shards::kCount; ++shard) update_shard(shard);
    update_edges();
    pending_.count = 0;
}

// Applies the divisors to the weights before they cost precision.
void Sgd::apply_divisors() {
    const auto scale = static_cast<float>(1 / divisor_);
    const auto by = static_cast<float>(1 / average_divisor_), by_weight = static_cast<float>(fraction_ / average_divisor_);
    if (averaged_steps_ > 0) {
        weights_.each([&](float& weight, float& second) { second = by * second + by_weight * weight; });
        average_divisor_ = 1;
        fraction_ = 0;
    }
    weights_.each([&](float& weight, float&) { weight *= scale; });
    divisor_ = 1;
}

std::vector<float> Sgd::parameters() const {
    if (averaged_steps_ == 0) return current();
    return weights_.parameters(layout(), average_divisor_, [&](double weight, double second) { return second + fraction_ * weight; });
}

}  // namespace tagpool
