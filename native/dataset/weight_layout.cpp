#include "dataset/weight_layout.hpp"

#include <algorithm>
#include <bit>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kFewLabels = 4;
// More parts use more threads, but their copies must be cleared and summed, whatever the number of threads.
constexpr size_t kMaxParts = 8, kUsualParts = 4;
constexpr size_t kMaxPartTokens = size_t{1} << 18;  // of large corpora, which have more parts
constexpr size_t kMaxCopied = size_t{64} << 20;     // bytes of the copies; above it, fewer parts
constexpr size_t kMaxBundled = size_t{1} << 20;     // tokens of a corpus with bundles, whose parts must be in memory at once
constexpr float kSingleCost = 1.5f;                 // cost of scoring a single weight; a vector costs 1
constexpr size_t kCheap = 24;                       // other additions for each addition of copies that allow more parts than usual
constexpr double kMinBundleSavings = 0.1;           // part of the total cost

// Sets of the Objective with few labels have short rows: it has kernels for these.
size_t row_unit(const TrainingOptions& options) { return options.lean && options.labels <= kFewLabels ? kFewLabels : options.row_unit; }

size_t most_parts(size_t tokens) {
    size_t parts = kMaxParts;
    while (tokens > parts * kMaxPartTokens) parts *= 2;
    return parts;
}

std::vector<size_t> cut(size_t tokens, size_t parts) {
    std::vector<size_t> limits;
    for (size_t part = 0; part <= parts; ++part) limits.push_back(tokens * part / parts);
    return limits;
}

}  // namespace

// Cells of each feature.
struct WeightLayout::Counts {
    uint32_t dense_from;
    std::vector<uint64_t> labels;  // bits, as in Observations; empty with all cells
    size_t words;
    std::vector<uint32_t> label_counts, occurrences;  // occurrences: 0 for all twins but the first

    bool dense(uint32_t feature) const { return label_counts[feature] >= dense_from; }
};

WeightLayout::WeightLayout(const TrainingOptions& options, const Observations& seen)
    : lean_(options.lean), valued_(seen.valued()), bundles_(options.bundle && !seen.valued() && seen.tokens() <= kMaxBundled),
      token_count_(seen.tokens()), sentence_count_(seen.sentences()), usual_length_(seen.usual_length()),
      mean_square_norm_(seen.squares() / static_cast<double>(std::max<size_t>(seen.tokens(), 1))) {
    labels_ = options.labels;
    stride_ = static_cast<uint32_t>(rounded_up(options.labels, row_unit(options)));
    all_cells_ = options.all_cells;
    if (!seen.history_occurrences().empty()) {
        const auto features = static_cast<uint32_t>(seen.history_occurrences().size());
        transition_cells_ =
            std::make_shared<const TransitionCellIndex>(seen.history_cells(), options.known.transition_cells, features, labels_, stride_);
        transition_cell_count_ = transition_cells_->size();
        history_occurrences_ = seen.history_occurrences();
    }
    if (options.merge_twins) twins_ = Twins(seen);
    const Counts counts = count(options, seen);
    choose_parts(seen, counts);
    place_features(seen, counts);
    if (all_cells_) cell_count_ = counts.label_counts.size() * labels_;
    else list_cells(counts);
    choose_edges(options, seen);
    const auto features = static_cast<uint32_t>(counts.label_counts.size());
    if (!lean_) occurrences_.resize(features);
    for (uint32_t feature = 0; feature < features && !lean_; ++feature) {
        occurrences_[feature] = seen.items(feature);
        has_singles_ |= row_of_feature_[feature] == kNone && occurrences_[feature] > 0 && counts.label_counts[feature] > 0;
    }
    if (!bundles_) return;
    const float row_cost = 1 + static_cast<float>(stride_ / kVector);
    bundle_costs_.assign(features, 0);
    for (uint32_t feature = 0; feature < features; ++feature) {
        if (twins_.first(feature) != feature) continue;
        bundle_costs_[feature] = row_of_feature_[feature] != kNone ? row_cost : kSingleCost * static_cast<float>(counts.label_counts[feature]);
        bundle_total_ += static_cast<double>(bundle_costs_[feature]) * static_cast<double>(seen.items(feature));
    }
}

WeightLayout::Counts WeightLayout::count(const TrainingOptions& options, const Observations& seen) const {
    const auto features = static_cast<uint32_t>(seen.features().size());
    const bool short_rows = options.bundle && stride_ <= 2 * kVector;
    Counts out{all_cells_ ? 0 : short_rows ? std::min(options.dense_from, 3u) : options.dense_from, seen.labels(), seen.words(), {}, {}};
    const auto add_label = [&](uint32_t feature, uint32_t label) { out.labels[feature * out.words + label / 64] |= uint64_t{1} << (label % 64); };
    out.occurrences.assign(features, 0);
    for (uint32_t feature = 0; feature < features; ++feature)
        if (twins_.first(feature) == feature) out.occurrences[feature] = seen.features()[feature].occurrences;
    for (const auto& [feature, label] : options.known.cells) {
        if (feature >= features || label >= labels_) throw InputFault("a known cell (feature, label) is out of range");
        if (!all_cells_) add_label(feature, label);
    }
    for (uint32_t feature = 0; feature < features && !all_cells_ && options.all_from > 0; ++feature)
        if (out.occurrences[feature] >= options.all_from)
            for (uint32_t label = 0; label < labels_; ++label) add_label(feature, label);
    out.label_counts.assign(features, labels_);
    for (uint32_t feature = 0; feature < features && !all_cells_; ++feature) {
        uint32_t labels = 0;
        const uint32_t first = twins_.first(feature);
        for (size_t word = 0; word < out.words && first != feature; ++word)
            out.labels[feature * out.words + word] = out.labels[first * out.words + word];
        for (size_t word = 0; word < out.words; ++word) labels += static_cast<uint32_t>(std::popcount(out.labels[feature * out.words + word]));
        out.label_counts[feature] = labels;
    }
    return out;
}

// The part of a sentence that begins at this token.
size_t WeightLayout::part_of(uint32_t token) const { return ((token + size_t{1}) * parts() - 1) / std::max<size_t>(token_count_, 1); }

bool WeightLayout::shared(const Observations::Feature& feature) const {
    return feature.occurrences > 0 && part_of(feature.first) != part_of(feature.last);
}

// Large corpora have small parts: their copies are summed in turn, so only their number is limited.
void WeightLayout::choose_parts(const Observations& seen, const Counts& counts) {
    const auto features = static_cast<uint32_t>(counts.occurrences.size());
    const size_t most = most_parts(token_count_);
    size_t additions = 0;
    for (uint32_t feature = 0; feature < features; ++feature)
        additions += size_t{counts.occurrences[feature]} * (counts.dense(feature) ? stride_ : counts.label_counts[feature]);
    for (size_t parts = most;; parts /= 2) {
        part_tokens_ = cut(token_count_, parts);
        size_t copied = 0;
        for (uint32_t feature = 0; feature < features; ++feature)
            if (counts.occurrences[feature] > 0 && shared(seen.features()[feature]))
                copied += (parts - 1) * (counts.dense(feature) ? stride_ : counts.label_counts[feature]);
        const bool too_large = most == kMaxParts && copied * sizeof(double) > kMaxCopied;
        if (parts == 1 || !(too_large || (parts > kUsualParts && copied * kCheap > additions))) break;
    }
}

// Chooses the dense features and the place of every weight.
void WeightLayout::place_features(const Observations& seen, const Counts& counts) {
    const auto features = static_cast<uint32_t>(counts.occurrences.size());
    row_of_feature_.assign(features, kNone);
    single_of_feature_.assign(features, kNone);
    own_places_.resize(parts());
    size_t place = 0;
    const auto is_shared = [&](uint32_t feature) { return counts.occurrences[feature] > 0 && shared(seen.features()[feature]); };
    const auto put = [&](uint32_t feature, bool as_row) {
        if (counts.dense(feature) != as_row || twins_.first(feature) != feature) return;
        if (as_row) {
            row_of_feature_[feature] = static_cast<uint32_t>(place / stride_);
            place += stride_;
        } else {
            single_of_feature_[feature] = static_cast<uint32_t>(place);
            place += counts.label_counts[feature];
        }
    };
    // Shared features by the length of their counts in bits, the most frequent first.
    std::vector<std::vector<uint32_t>> by_frequency(33);
    for (uint32_t feature = 0; feature < features; ++feature)
        if (is_shared(feature)) by_frequency[std::bit_width(counts.occurrences[feature])].push_back(feature);
    for (const bool as_row : {true, false}) {
        for (size_t bits = by_frequency.size(); bits-- > 0;)
            for (uint32_t feature : by_frequency[bits]) put(feature, as_row);
        if (as_row) shared_rows_end_ = place;
    }
    place = rounded_up(place, stride_);
    shared_count_ = place;
    for (const bool as_row : {true, false}) {
        for (uint32_t feature = 0; feature < features; ++feature) {
            if (is_shared(feature)) continue;
            const size_t begin = place;
            put(feature, as_row);
            if (place == begin || counts.occurrences[feature] == 0) continue;
            std::vector<PlaceRange>& ranges = own_places_[part_of(seen.features()[feature].first)];
            if (!ranges.empty() && ranges.back().second == begin) ranges.back().second = place;
            else ranges.emplace_back(begin, place);
        }
        if (as_row) part_rows_end_ = place;
    }
    for (uint32_t feature = 0; feature < features; ++feature) {
        row_of_feature_[feature] = row_of_feature_[twins_.first(feature)];
        single_of_feature_[feature] = single_of_feature_[twins_.first(feature)];
    }
    transitions_begin_ = rounded_up(place, kVector);
    if (weight_count() > UINT32_MAX) throw InputFault("more than 4 billion weights; use fewer features, or only observed cells");
}

void WeightLayout::list_cells(const Counts& counts) {
    const auto features = static_cast<uint32_t>(counts.occurrences.size());
    size_t cells = 0;
    for (uint32_t count : counts.label_counts) cells += count;
    cell_starts_.reserve(features + size_t{1});
    cell_places_.reserve(cells);
    cell_labels_.reserve(cells);
    for (uint32_t feature = 0; feature < features; ++feature) {
        cell_starts_.push_back(static_cast<uint32_t>(cell_places_.size()));
        const uint32_t row = row_of_feature_[feature];
        uint32_t single = single_of_feature_[feature];
        for (size_t word = 0; word < counts.words; ++word)
            for (uint64_t left = counts.labels[feature * counts.words + word]; left != 0; left &= left - 1) {
                const auto label = static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left));
                cell_places_.push_back(row == kNone ? single++ : row * stride_ + label);
                cell_labels_.push_back(static_cast<uint16_t>(label));
            }
    }
    cell_starts_.push_back(static_cast<uint32_t>(cell_places_.size()));
    cell_count_ = cell_places_.size();
}

void WeightLayout::choose_edges(const TrainingOptions& options, const Observations& seen) {
    const size_t transitions = size_t{labels_} * labels_;
    std::vector<uint8_t> free(transitions + 2 * size_t{labels_}, 1);
    if (!options.boundaries) std::fill(free.begin() + static_cast<std::ptrdiff_t>(transitions), free.end(), uint8_t{0});
    if (options.known.transitions) {
        std::fill_n(free.begin(), transitions, uint8_t{0});
        for (uint32_t transition : *options.known.transitions) {
            if (transition >= transitions)
                throw InputFault("transition " + std::to_string(transition) + " is out of range; there are " + std::to_string(labels_) + " labels");
            free[transition] = 1;
        }
    } else if (!options.all_transitions) {
        std::copy(seen.transitions().begin(), seen.transitions().end(), free.begin());
    }
    for (size_t edge = 0; edge < free.size(); ++edge)
        if (free[edge]) edges_.push_back(static_cast<uint32_t>(edge));
    if (edges_.size() == free.size()) return;
    edge_mask_.assign((size_t{labels_} + 2) * stride_, 0);
    for (uint32_t edge : edges_) edge_mask_[edge / labels_ * stride_ + edge % labels_] = 1;
}

std::vector<size_t> WeightLayout::part_begins(const std::vector<uint32_t>& sentences, size_t begin) const {
    std::vector<size_t> begins;
    for (const size_t limit : part_tokens_) {
        const auto token = static_cast<uint32_t>(std::min<size_t>(std::max(limit, begin) - begin, sentences.back()));
        begins.push_back(static_cast<size_t>(std::lower_bound(sentences.begin(), sentences.end(), token) - sentences.begin()));
    }
    return begins;
}

std::unique_ptr<BundleColumns> WeightLayout::new_columns() const {
    if (!bundles_) return nullptr;
    return std::make_unique<BundleColumns>(bundle_costs_, 1 + static_cast<float>(stride_ / kVector), usual_length_, part_tokens_[1]);
}

void WeightLayout::choose_bundles(std::shared_ptr<const BundleColumns> columns, double savings) {
    if (columns && columns->size() > 0 && savings >= kMinBundleSavings * bundle_total_) columns_ = std::move(columns);
}

std::vector<uint32_t> WeightLayout::cell_features() const {
    std::vector<uint32_t> out(cell_count_);
    if (all_cells()) {
        for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint32_t>(i / labels_);
        return out;
    }
    for (uint32_t feature = 0; feature + 1 < cell_starts_.size(); ++feature)
        std::fill(out.begin() + cell_starts_[feature], out.begin() + cell_starts_[feature + 1], feature);
    return out;
}

std::vector<uint16_t> WeightLayout::cell_labels() const {
    if (!all_cells()) return cell_labels_;
    std::vector<uint16_t> out(cell_count_);
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint16_t>(i % labels_);
    return out;
}

}  // namespace tagpool
