#include "sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "calibrate.hpp"
#include "fault.hpp"
#include "look_up.hpp"

namespace tagpool {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kTooLarge = 1e5;  // a divisor above which single precision would suffer

}  // namespace

Sgd::Sgd(std::shared_ptr<const TrainingSet> set, bool chain, const SgdOptions& options, std::vector<float> example_weights)
    : set_(std::move(set)), chain_(chain), options_(options), example_weights_(std::move(example_weights)),
      shrink_(options.l2 / static_cast<double>(set_->sentence_count())), step_(options.step), random_(options.seed), weights_(*set_),
      masks_(*set_) {
    if (!example_weights_.empty() && example_weights_.size() != (chain ? set_->sentence_count() : set_->token_count()))
        throw InputFault(chain ? "expected one weight a sentence" : "expected one weight a token");
    if (options_.batch == 0) throw InputFault("expected a batch of at least one sentence");
    options_.batch = std::min(options_.batch, std::max<size_t>(set_->sentence_count(), 1));
    options_.threads = std::clamp<unsigned>(options_.threads, 1, static_cast<unsigned>(std::min<size_t>(options_.batch, 1024)));
    scratch_.resize(options_.threads);
    nodes_.resize(options_.threads);
    shares_.resize(options_.batch);
    edge_gradients_.assign(options_.batch * set_->common_edge_size(), 0);
}

void Sgd::start_from(const float* parameters) {
    weights_.each([](float& weight, float& second) { weight = second = 0; });
    set_->places().each(parameter_count(), [&](size_t i, size_t place) { weights_.data()[weights_.first(place)] = parameters[i]; });
    divisor_ = average_divisor_ = 1;
    fraction_ = 0;
    epochs_ = seen_ = averaged_steps_ = 0;
    from_zero_ = false;
    step_ = options_.step;
}

double Sgd::epoch(const std::function<void()>& look_up) {
    if (step_ <= 0) calibrate(look_up);
    if (step_ <= 0) return kNever;
    std::vector<uint32_t> order(set_->sentence_count());
    std::iota(order.begin(), order.end(), 0u);
    random_.shuffle(order);
    const bool average = ++epochs_ > options_.average_from;
    // Ten times what knowing nothing costs: the weights have run away. (Weights that were given may be worse than nothing.)
    const double bound = from_zero_ ? 10 * cost_of_nothing(order) + 1 : kNever;
    return pass(order, average, bound, look_up) / static_cast<double>(order.size());
}

// What sentences cost if nothing is known: log(labels) a token.
double Sgd::cost_of_nothing(const std::vector<uint32_t>& sentences) const {
    double tokens = 0;
    for (uint32_t sentence : sentences)
        for (size_t token = set_->sentences_[sentence]; token < set_->sentences_[sentence + 1]; ++token)
            tokens += example_weights_.empty() ? 1.0 : static_cast<double>(example_weights_[chain_ ? sentence : token]);
    return tokens * std::log(static_cast<double>(set_->labels()));
}

// Returns the sum of the losses, or infinity as soon as it is above `bound` or not a number.
double Sgd::pass(const std::vector<uint32_t>& order, bool average, double bound, const std::function<void()>& look_up) {
    Pool pool(options_.threads);
    LookUp look(look_up);
    double loss = 0;
    for (size_t first = 0; first < order.size(); first += options_.batch) {
        const size_t count = std::min(options_.batch, order.size() - first);
        if (divisor_ > kTooLarge || average_divisor_ > kTooLarge) settle();
        const double eta = step_ / std::pow(1 + step_ * shrink_ * static_cast<double>(seen_), 0.75);
        seen_ += count;
        const double met = batch_step(order.data() + first, count, eta * divisor_, average && averaged_steps_ > 0, pool);
        loss += met;
        if (!std::isfinite(met) || loss > bound) return kNever;
        divisor_ *= 1 + eta * shrink_ * static_cast<double>(count);
        if (average) {
            // The average of n points moves by 1/n towards the next one.
            const double share = 1.0 / static_cast<double>(++averaged_steps_);
            average_divisor_ = share < 1 ? average_divisor_ / (1 - share) : divisor_;
            fraction_ = share < 1 ? fraction_ + share * average_divisor_ / divisor_ : 1;
        }
        look.now_and_then();
    }
    return loss;
}

double Sgd::batch_step(const uint32_t* sentences, size_t count, double step, bool both, Pool& pool) {
    const TrainingSet& set = *set_;
    const StepKernels<float>& run = kernels<float>().step;
    const size_t edges = set.common_edge_size();
    size_t tokens = 0;
    for (size_t i = 0; i < count; ++i) {
        shares_[i].first_token = tokens;
        tokens += set.sentences_[sentences[i] + 1] - set.sentences_[sentences[i]];
    }
    if (moves_.size() < tokens) {
        moves_.resize(tokens);
        steps_.resize(tokens * 2 * set.stride());
    }
    const WeightView<float> view{weights_.data(), 2, static_cast<float>(1 / divisor_)};
    if (chain_) run.make_edges(set, view, edges_);
    const unsigned owners = pool.size();
    const auto length = [&](uint32_t i) { return set.sentences_[sentences[i] + 1] - set.sentences_[sentences[i]]; };
    longest_first_.resize(count);
    std::iota(longest_first_.begin(), longest_first_.end(), 0u);
    // Taken longest first, the sentences come out even; where their results lie does not depend on it.
    if (owners > 1) std::sort(longest_first_.begin(), longest_first_.end(), [&](uint32_t a, uint32_t b) { return length(a) > length(b); });
    pool.each(count, [&](size_t task, unsigned worker) {
        const size_t i = longest_first_[task];
        differentiate(sentences[i], shares_[i], edge_gradients_.data() + i * edges, step, both, worker);
        if (owners > 1) list_additions(sentences[i], shares_[i], owners);
    });
    double loss = 0;
    for (size_t i = 0; i < count; ++i) loss += shares_[i].loss;
    if (!std::isfinite(loss)) return loss;
    const PairedTarget<float> target{weights_.data(), masks_.data(), both};
    pool.each(owners, [&](size_t owner, unsigned) {
        if (owner == 0 && chain_) {
            add_edges(count, step, both);
            for (size_t i = 0; i < count; ++i) add_triples(sentences[i], shares_[i], step, both);
        }
        for (size_t i = 0; i < count; ++i) {
            const Share& share = shares_[i];
            const float* const steps = steps_.data() + share.first_token * 2 * set.stride();
            if (owners == 1) {
                run.add_tokens(set, target, sentences[i], steps, moves_.data() + share.first_token);
                continue;
            }
            const size_t rows = owner * (share.rows.size() / owners), singles = owner * (share.singles.size() / owners);
            run.add_rows(set, target, share.rows.data() + rows, share.row_values.empty() ? nullptr : share.row_values.data() + rows,
                         share.row_counts[owner], steps);
            run.add_singles(set, target, share.singles.data() + singles,
                            share.single_values.empty() ? nullptr : share.single_values.data() + singles, share.single_counts[owner], steps);
        }
    });
    return loss;
}

void Sgd::differentiate(size_t sentence, Share& share, float* edge_gradients, double step, bool both, unsigned worker) {
    const TrainingSet& set = *set_;
    const StepKernels<float>& run = kernels<float>().step;
    const size_t length = set.sentences_[sentence + 1] - set.sentences_[sentence], stride = set.stride();
    std::vector<float>& nodes = nodes_[worker];
    if (nodes.size() < length * stride) nodes.resize(length * stride);
    const WeightView<float> view{weights_.data(), 2, static_cast<float>(1 / divisor_)};
    share.loss = run.differentiate(set, view, both ? 2 * stride : stride, sentence, chain_, example_weights(), edges_, nodes.data(),
                                   edge_gradients, scratch_[worker]);
    share.triples.swap(scratch_[worker].triple_gradients);
    run.scale(set, nodes.data(), length, static_cast<float>(step), static_cast<float>(fraction_ * step),
              steps_.data() + share.first_token * 2 * stride, moves_.data() + share.first_token);
}

// Which thread is to add what. A row fills whole lines of memory; single weights share a line with seven others.
void Sgd::list_additions(size_t sentence, Share& share, unsigned owners) const {
    const TrainingSet& set = *set_;
    const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
    const auto list = [&](const Buffer<uint64_t>& starts, const Buffer<uint32_t>& items, const Buffer<float>& values, int shift,
                          std::vector<Addition>& additions, std::vector<float>& kept_values, std::vector<size_t>& counts, auto&& from) {
        const size_t room = starts[end] - starts[begin];
        additions.resize(room * owners);
        if (!values.empty()) kept_values.resize(room * owners);
        counts.assign(owners, 0);
        for (size_t token = begin; token < end; ++token) {
            if (!moves_[share.first_token + token - begin]) continue;
            for (uint64_t i = starts[token]; i < starts[token + 1]; ++i) {
                const size_t owner = (items[i] >> shift) % owners, place = owner * room + counts[owner]++;
                additions[place] = {items[i], static_cast<uint32_t>(from(token - begin, i))};
                if (!values.empty()) kept_values[place] = values[i];
            }
        }
    };
    list(set.row_starts_, set.rows_, set.row_values_, 0, share.rows, share.row_values, share.row_counts, [](size_t t, uint64_t) { return t; });
    list(set.single_starts_, set.singles_, set.single_values_, 3, share.singles, share.single_values, share.single_counts,
         [&](size_t t, uint64_t i) { return t * 2 * set.stride() + set.single_labels_[i]; });
}

void Sgd::add_edges(size_t count, double step, bool both) {
    const size_t edges = set_->common_edge_size();
    float* const to = weights_.data() + 2 * set_->transitions_begin();
    float* const seconds = to + set_->edge_size();
    float* const total = edge_gradients_.data();
    for (size_t i = 1; i < count; ++i)
        for (size_t k = 0; k < edges; ++k) total[k] += edge_gradients_[i * edges + k];
    const auto first = static_cast<float>(step), second = static_cast<float>(fraction_ * step);
    for (size_t k = 0; k < edges; ++k) to[k] -= first * total[k];
    for (size_t k = 0; both && k < edges; ++k) seconds[k] += second * total[k];
}

void Sgd::add_triples(size_t sentence, const Share& share, double step, bool both) {
    const size_t begin = set_->sentences_[sentence], length = set_->sentences_[sentence + 1] - begin;
    float* const to = weights_.data() + weights_.first(set_->triples_begin());
    float* const seconds = to + set_->edge_size();
    const auto first = static_cast<float>(step), second = static_cast<float>(fraction_ * step);
    size_t i = 0;
    set_->arcs().each_triple(begin, length, [&](size_t, uint32_t triple, float) {
        to[triple] -= first * share.triples[i];
        if (both) seconds[triple] += second * share.triples[i];
        ++i;
    });
}

// Folds the factors into the numbers before they grow too large for single precision.
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

void Sgd::calibrate(const std::function<void()>& look_up) {
    const std::vector<uint32_t> sample = calibration_sample(set_->sentence_count(), options_.seed);
    const std::vector<float> start = from_zero_ ? std::vector<float>() : std::vector<float>(weights_.data(), weights_.data() + weights_.size());
    const auto take_back = [&] {
        restore(sample, start);
        divisor_ = 1;
        seen_ = 0;
        step_ = 0;
    };
    const double found = best_step(0.1, [&](double step, double bound) {
        try {
            step_ = step;
            // The first pass is all storm: what counts is how well the second one does.
            double loss = pass(sample, false, kNever, look_up);
            if (std::isfinite(loss)) loss = pass(sample, false, bound, look_up);
            take_back();
            return loss;
        } catch (...) {
            take_back();
            throw;
        }
    });
    step_ = found;
}

// Takes back what a trial did: to zero, or to where it started.
void Sgd::restore(const std::vector<uint32_t>& sample, const std::vector<float>& start) {
    const TrainingSet& set = *set_;
    const auto reset = [&](size_t first, size_t count) {
        if (start.empty()) std::fill_n(weights_.data() + first, count, 0.0f);
        else std::copy_n(start.data() + first, count, weights_.data() + first);
    };
    for (uint32_t sentence : sample) {
        const size_t begin = set.sentences_[sentence], end = set.sentences_[sentence + 1];
        for (uint64_t i = set.row_starts_[begin]; i < set.row_starts_[end]; ++i) reset(size_t{set.rows_[i]} * 2 * set.stride(), set.stride());
        for (uint64_t i = set.single_starts_[begin]; i < set.single_starts_[end]; ++i) reset(size_t{set.singles_[i]} * 2, 1);
    }
    reset(2 * set.transitions_begin(), set.edge_size());
}

std::vector<float> Sgd::parameters() const {
    if (averaged_steps_ == 0) return current();
    std::vector<float> out(parameter_count());
    set_->places().each(out.size(), [&](size_t i, size_t place) {
        const auto weight = static_cast<double>(weights_.data()[weights_.first(place)]);
        out[i] = static_cast<float>((static_cast<double>(weights_.data()[weights_.second(place)]) + fraction_ * weight) / average_divisor_);
    });
    return out;
}

std::vector<float> Sgd::current() const {
    std::vector<float> out(parameter_count());
    for (size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(static_cast<double>(weights_.data()[weights_.first(set_->places()[i])]) / divisor_);
    return out;
}

}  // namespace tagpool
