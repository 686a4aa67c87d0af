#include "trainers/adaptive_steps.hpp"

#include <algorithm>
#include <cmath>

namespace tagpool {
namespace {

// Squared gradient of a token, on average over the epochs of a training.
constexpr double kMeanSquare = 0.1;

// Replaces the numbers of occurrences in `share` by the shares.
void set_shares(std::vector<StepState>& states, double kept) {
    for (StepState& state : states)
        if (state.share > 0) state.share = static_cast<float>(1 / (kept * static_cast<double>(state.share)));
}

}  // namespace

AdaptiveSteps::AdaptiveSteps(const WeightLayout& set, double kept, size_t batch)
    : rows_(set.part_rows_end() / set.stride()), singles_(set.has_singles() ? set.transitions_begin() : 0),
      cells_(set.parameters(true).transition_cells()), edges_(set.common_edge_size()) {
    set.each_count([&](uint32_t feature, uint32_t count) {
        if (const uint32_t row = set.row_of(feature); row != WeightLayout::kNone) {
            rows_[row].share = static_cast<float>(count);
            return;
        }
        for (uint32_t k = 0; k < set.single_count(feature) && count > 0; ++k) singles_[set.single_of(feature) + k].share = static_cast<float>(count);
    });
    const TransitionCellIndex* const index = set.transition_cells().get();
    for (uint32_t feature = 0; index && feature < index->feature_count(); ++feature)
        for (uint32_t cell = index->begin(feature); cell < index->end(feature); ++cell)
            cells_[cell].share = static_cast<float>(set.history_occurrences()[feature]);
    // Rows are sorted by the length of their counts in bits, the most frequent first: begin with those that occur once per batch on average.
    const double least = static_cast<double>(set.sentence_count()) / static_cast<double>(batch);
    const size_t shared = set.shared_rows_end() / set.stride();
    while (summed_count_ < shared && static_cast<double>(rows_[summed_count_].share) >= least) ++summed_count_;
    sums_.resize(summed_count_ * set.stride());
    times_.resize(summed_count_);
    set_shares(rows_, kept);
    set_shares(singles_, 1);
    set_shares(cells_, 1);
    restart();
}

void AdaptiveSteps::restart() {
    for (std::vector<StepState>* states : {&rows_, &singles_, &cells_})
        for (StepState& state : *states) state.squares = 1;
    std::fill(edges_.begin(), edges_.end(), 1.0f);
}

void AdaptiveSteps::continue_from(const TrainingSet& set, const AveragedWeights& weights, double earlier) {
    restart();
    const auto by_occurrence = static_cast<float>(kMeanSquare * earlier);
    const auto raise = [&](StepState& state) { state.squares = 1 + (state.share > 0 ? by_occurrence / state.share : 0); };
    set.layout(true).each([&](size_t, size_t place, float) {
        if (weights.data()[weights.first(place)] == 0) return;  // new
        if (set.is_in_row(place)) raise(rows_[place / set.stride()]);
        else if (place < set.transitions_begin()) raise(singles_[place]);
        else if (place >= set.transition_cells_begin()) raise(cells_[place - set.transition_cells_begin()]);
    });
    const float* const transitions = weights.data() + weights.first(set.transitions_begin());
    for (size_t sentence = 0; sentence < set.sentence_count(); ++sentence)
        for (size_t token = set.sentences_[sentence] + size_t{1}; token < set.sentences_[sentence + 1]; ++token) {
            if (set.gold_[token - 1] == TrainingSet::kUnknown || set.gold_[token] == TrainingSet::kUnknown) continue;
            const size_t edge = static_cast<size_t>(set.gold_[token - 1]) * set.stride() + static_cast<size_t>(set.gold_[token]);
            if (transitions[edge] != 0) edges_[edge] += by_occurrence;
        }
}

void AdaptiveSteps::set_target(StepTarget& target, size_t shard) {
    target.rows = rows_.data();
    target.singles = singles_.data();
    target.summed = {summed_count_, sums_.data(), times_.data(), &present_[shard]};
}

float AdaptiveSteps::step(float& squares, float gradient, float growth) {
    squares += gradient * gradient;
    const float scale = 1 / std::sqrt(squares);
    return scale * gradient - (1 - scale) * growth;
}

}  // namespace tagpool
