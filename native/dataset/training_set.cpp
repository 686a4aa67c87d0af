#include "dataset/training_set.hpp"

#include <bit>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kNone = FeatureIndex::kNone;
constexpr uint32_t kVector = 8;  // weights in the widest vector of the kernels, for either precision
constexpr uint32_t kFewLabels = 4;
// More parts use more threads, but their copies must be cleared and summed, whatever the number of threads.
constexpr size_t kMaxParts = 8, kUsualParts = 4;
constexpr size_t kMaxCopied = size_t{64} << 20;  // bytes of the copies; above it, fewer parts
constexpr float kSingleCost = 1.5f;              // cost of scoring a single weight; a vector costs 1
constexpr size_t kCheap = 24;                    // other additions for each addition of copies that allow more parts than usual

size_t rounded_up(size_t count, size_t unit) { return (count + unit - 1) / unit * unit; }

// Sets of the Objective with few labels have short rows: it has kernels for these.
size_t row_unit(const TrainingOptions& options) { return options.lean && options.labels <= kFewLabels ? kFewLabels : options.row_unit; }

// A copy without values of 0, which add nothing to scores and gradients; none if there are no such values.
std::optional<Encoding> drop_zeros(const Encoding& encoding) {
    const Buffer<float>& values = encoding.values;
    if (std::find(values.begin(), values.end(), 0.0f) == values.end()) return std::nullopt;
    Encoding out;
    out.sentences = encoding.sentences;
    for (size_t token = 0; token < encoding.token_count(); ++token) {
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i)
            if (values[i] != 0.0f) out.append(encoding.ids[i], values[i]);
        out.end_token();
    }
    return out;
}

}  // namespace

// Counts of each feature: observed labels (as bits), occurrences, first and last part.
struct TrainingSet::Observations {
    size_t words;                  // of 64 labels
    std::vector<uint64_t> labels;  // empty with all cells
    std::vector<uint32_t> label_counts, occurrences;
    std::vector<uint8_t> first_part, last_part;

    bool shared(uint32_t feature, unsigned halvings) const { return first_part[feature] >> halvings != last_part[feature] >> halvings; }
};

TrainingSet::TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options, const Encoding* history,
                         uint32_t history_features)
    : sentences_(encoding.sentences), gold_(gold, gold + encoding.token_count()), labels_(options.labels),
      stride_(static_cast<uint32_t>(rounded_up(options.labels, row_unit(options)))), all_cells_(options.all_cells), lean_(options.lean),
      valued_(!encoding.values.empty()) {
    if (labels_ == 0 || labels_ > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(labels_));
    if (std::adjacent_find(sentences_.begin(), sentences_.end()) != sentences_.end())
        throw InputFault("a training sentence has no tokens; remove it");
    for (int32_t label : gold_)
        if (label < kUnknown || label >= static_cast<int32_t>(labels_))
            throw InputFault("label " + std::to_string(label) + " is out of range; there are " + std::to_string(labels_) + " labels");
    if (history)
        transition_features_ = TransitionFeatures(sentences_, gold_, labels_, stride_, *history, history_features, options.known.transition_cells);
    double squares = valued_ ? 0 : static_cast<double>(encoding.ids.size());
    for (const float value : encoding.values) squares += static_cast<double>(value) * static_cast<double>(value);
    mean_square_norm_ = squares / static_cast<double>(std::max<size_t>(token_count(), 1));
    cut_into_parts();
    if (options.merge_twins) twins_ = Twins(encoding, features);
    choose_layout(encoding, features, options);
    choose_edges(options);
}

void TrainingSet::cut_into_parts() {
    for (size_t part = 0; part <= kMaxParts; ++part) {
        const auto token = static_cast<uint32_t>(token_count() * part / kMaxParts);
        part_begins_.push_back(static_cast<size_t>(std::lower_bound(sentences_.begin(), sentences_.end(), token) - sentences_.begin()));
    }
}

void TrainingSet::choose_layout(const Encoding& encoding, uint32_t features, const TrainingOptions& options) {
    Observations seen{(labels_ + size_t{63}) / 64, {}, {}, {}, {}, {}};
    seen.occurrences.assign(features, 0);
    seen.first_part.assign(features, 0);
    seen.last_part.assign(features, 0);
    if (!all_cells_) seen.labels.assign(size_t{features} * seen.words, 0);
    for (size_t part = 0; part < kMaxParts; ++part) {
        const size_t end = sentences_[part_begins_[part + 1]];
        for (size_t token = sentences_[part_begins_[part]]; token < end; ++token) {
            const auto label = static_cast<size_t>(gold_[token]);
            const bool count = !all_cells_ && options.known.observe && gold_[token] != kUnknown;  // an unknown label observes no cell
            for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
                const uint32_t feature = encoding.ids[i];
                if (twins_.first(feature) != feature) continue;
                if (seen.occurrences[feature]++ == 0) seen.first_part[feature] = static_cast<uint8_t>(part);
                seen.last_part[feature] = static_cast<uint8_t>(part);
                if (count) seen.labels[feature * seen.words + label / 64] |= uint64_t{1} << (label % 64);
            }
        }
    }
    for (const auto& [feature, label] : options.known.cells) {
        if (feature >= features || label >= labels_) throw InputFault("a known cell (feature, label) is out of range");
        if (!all_cells_) seen.labels[feature * seen.words + label / 64] |= uint64_t{1} << (label % 64);
    }
    for (uint32_t feature = 0; feature < features && !all_cells_ && options.all_from > 0; ++feature)
        if (seen.occurrences[feature] >= options.all_from)
            for (uint32_t label = 0; label < labels_; ++label) seen.labels[feature * seen.words + label / 64] |= uint64_t{1} << (label % 64);
    seen.label_counts.assign(features, labels_);
    for (uint32_t feature = 0; feature < features && !all_cells_; ++feature) {
        uint32_t count = 0;
        const uint32_t first = twins_.first(feature);
        for (size_t word = 0; word < seen.words && first != feature; ++word)
            seen.labels[feature * seen.words + word] = seen.labels[first * seen.words + word];
        for (size_t word = 0; word < seen.words; ++word) count += static_cast<uint32_t>(std::popcount(seen.labels[feature * seen.words + word]));
        seen.label_counts[feature] = count;
    }
    const bool short_rows = options.bundle && stride_ <= 2 * kVector;
    place_features(seen, all_cells_ ? 0 : short_rows ? std::min(options.dense_from, 3u) : options.dense_from);
    if (all_cells_) {
        cell_count_ = size_t{features} * labels_;
    } else {
        list_cells(seen);
    }
    // Values of 0 have cells, but no items.
    const std::optional<Encoding> nonzero = drop_zeros(encoding);
    const Encoding& used = nonzero ? *nonzero : encoding;
    valued_ = !used.values.empty();
    if (options.bundle) bundle(used, seen);
    if (!lean_ || !bundled_) items_ = make_items(used, seen);
}

// Chooses the dense features and the place of every weight.
void TrainingSet::place_features(const Observations& seen, uint32_t dense_from) {
    const auto features = static_cast<uint32_t>(seen.occurrences.size());
    const auto dense = [&](uint32_t feature) { return seen.label_counts[feature] >= dense_from; };
    size_t additions = 0;
    for (uint32_t feature = 0; feature < features; ++feature)  // (only the first twin has occurrences)
        additions += size_t{seen.occurrences[feature]} * (dense(feature) ? stride_ : seen.label_counts[feature]);
    unsigned halvings = 0;
    const auto too_many_parts = [&] {
        const size_t parts = kMaxParts >> halvings;
        size_t shared = 0;
        for (uint32_t feature = 0; feature < features; ++feature)
            if (seen.shared(feature, halvings)) shared += dense(feature) ? stride_ : seen.label_counts[feature];
        const size_t copied = (parts - 1) * shared;
        return copied * sizeof(double) > kMaxCopied || (parts > kUsualParts && copied * kCheap > additions);
    };
    while (too_many_parts()) ++halvings;
    if (halvings > 0) {
        std::vector<size_t> fewer;
        for (size_t part = 0; part <= kMaxParts; part += size_t{1} << halvings) fewer.push_back(part_begins_[part]);
        part_begins_ = fewer;
    }

    row_of_feature_.assign(features, kNone);
    single_of_feature_.assign(features, kNone);
    size_t place = 0;
    const auto put = [&](uint32_t feature, bool as_row) {
        if (dense(feature) != as_row || twins_.first(feature) != feature) return;
        if (as_row) {
            row_of_feature_[feature] = static_cast<uint32_t>(place / stride_);
            place += stride_;
        } else {
            single_of_feature_[feature] = static_cast<uint32_t>(place);
            place += seen.label_counts[feature];
        }
    };
    // Shared features by the length of their counts in bits, the most frequent first.
    std::vector<std::vector<uint32_t>> by_frequency(33);
    for (uint32_t feature = 0; feature < features; ++feature)
        if (seen.shared(feature, halvings)) by_frequency[std::bit_width(seen.occurrences[feature])].push_back(feature);
    for (const bool as_row : {true, false}) {
        for (size_t bits = by_frequency.size(); bits-- > 0;)
            for (uint32_t feature : by_frequency[bits]) put(feature, as_row);
        if (as_row) shared_rows_end_ = place;
    }
    place = rounded_up(place, stride_);
    shared_count_ = place;
    for (const bool as_row : {true, false}) {
        for (uint32_t feature = 0; feature < features; ++feature)
            if (!seen.shared(feature, halvings)) put(feature, as_row);
        if (as_row) part_rows_end_ = place;
    }
    for (uint32_t feature = 0; feature < features; ++feature) {
        row_of_feature_[feature] = row_of_feature_[twins_.first(feature)];
        single_of_feature_[feature] = single_of_feature_[twins_.first(feature)];
    }
    transitions_begin_ = rounded_up(place, kVector);
    if (weight_count() > UINT32_MAX) throw InputFault("more than 4 billion weights; use fewer features, or only observed cells");
}

void TrainingSet::list_cells(const Observations& seen) {
    const auto features = static_cast<uint32_t>(seen.occurrences.size());
    size_t cells = 0;
    for (uint32_t count : seen.label_counts) cells += count;
    cell_starts_.reserve(features + size_t{1});
    cell_places_.reserve(cells);
    cell_labels_.reserve(cells);
    for (uint32_t feature = 0; feature < features; ++feature) {
        cell_starts_.push_back(static_cast<uint32_t>(cell_places_.size()));
        const uint32_t row = row_of_feature_[feature];
        uint32_t single = single_of_feature_[feature];
        for (size_t word = 0; word < seen.words; ++word)
            for (uint64_t left = seen.labels[feature * seen.words + word]; left != 0; left &= left - 1) {
                const auto label = static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(left));
                cell_places_.push_back(row == kNone ? single++ : row * stride_ + label);
                cell_labels_.push_back(static_cast<uint16_t>(label));
            }
    }
    cell_starts_.push_back(static_cast<uint32_t>(cell_places_.size()));
    cell_count_ = cell_places_.size();
}

Items TrainingSet::make_items(const Encoding& encoding, const Observations& seen) const {
    Items items;
    const size_t tokens = encoding.token_count();
    size_t rows = 0, singles = 0;
    for (uint32_t feature : encoding.ids) {
        if (twins_.first(feature) != feature) continue;
        if (row_of_feature_[feature] == kNone) singles += seen.label_counts[feature];
        else ++rows;
    }
    const bool valued = !encoding.values.empty() || (!twins_.empty() && !twins_by_weight());
    items.row_starts.resize_uninitialized(tokens + 1);
    items.single_starts.resize_uninitialized(tokens + 1);
    items.rows.resize_uninitialized(rows);
    uint32_t longest = 0;
    for (size_t sentence = 0; sentence + 1 < encoding.sentences.size(); ++sentence)
        longest = std::max(longest, encoding.sentences[sentence + 1] - encoding.sentences[sentence]);
    const auto score_bits = static_cast<unsigned>(std::bit_width(size_t{longest} * stride_));
    const bool packed = lean_ && score_bits + static_cast<unsigned>(std::bit_width(transitions_begin_)) <= 32;
    if (packed) {
        items.packed.score_bits = score_bits;
        items.packed.numbers.resize_uninitialized(singles);
    } else {
        items.singles.resize_uninitialized(singles);
    }
    if (valued) {
        items.row_values.resize_uninitialized(rows);
        items.single_values.resize_uninitialized(singles);
    }
    size_t row = 0, single = 0;
    for (size_t token = 0, sentence = 0; token < tokens; ++token) {
        while (token == encoding.sentences[sentence + 1]) ++sentence;
        const auto before = static_cast<uint32_t>((token - encoding.sentences[sentence]) * stride_);
        items.row_starts[token] = row;
        items.single_starts[token] = single;
        for (uint64_t i = encoding.starts[token]; i < encoding.starts[token + 1]; ++i) {
            const uint32_t feature = encoding.ids[i];
            if (twins_.first(feature) != feature) continue;
            const float value = twins_.factor(feature) * (encoding.values.empty() ? 1.0f : encoding.values[i]);
            if (row_of_feature_[feature] != kNone) {
                if (valued) items.row_values[row] = value;
                items.rows[row++] = row_of_feature_[feature];
                continue;
            }
            const uint32_t place = single_of_feature_[feature], cell = cell_starts_[feature];
            for (uint32_t k = 0; k < seen.label_counts[feature]; ++k) {
                if (valued) items.single_values[single] = value;
                const Single item{place + k, before + cell_labels_[cell + k]};
                if (packed) items.packed.numbers[single++] = item.place << score_bits | item.to;
                else items.singles[single++] = item;
            }
        }
    }
    items.row_starts[tokens] = row;
    items.single_starts[tokens] = single;
    return items;
}

void TrainingSet::bundle(const Encoding& encoding, const Observations& seen) {
    const float row_cost = 1 + static_cast<float>(stride_ / kVector);
    std::vector<float> costs(seen.occurrences.size(), 0);
    for (uint32_t feature = 0; feature < costs.size(); ++feature)
        if (twins_.first(feature) == feature)
            costs[feature] = row_of_feature_[feature] != kNone ? row_cost : kSingleCost * static_cast<float>(seen.label_counts[feature]);
    std::vector<size_t> part_tokens;
    for (size_t sentence : part_begins_) part_tokens.push_back(sentences_[sentence]);
    Bundles bundles(encoding, costs, row_cost, part_tokens);
    if (!bundles.worthwhile()) return;
    bundled_ = std::make_unique<const Bundled>(Bundled{make_items(bundles.left, seen), make_items(bundles.members, seen),
                                                       std::move(bundles.part_begins), std::move(bundles.starts), std::move(bundles.uses)});
}

void TrainingSet::choose_edges(const TrainingOptions& options) {
    std::vector<uint8_t> free(size_t{labels_} * (size_t{labels_} + 2), 1);
    if (!options.boundaries) std::fill(free.begin() + static_cast<std::ptrdiff_t>(size_t{labels_} * labels_), free.end(), uint8_t{0});
    if (options.known.transitions) {
        std::fill_n(free.begin(), size_t{labels_} * labels_, uint8_t{0});
        for (uint32_t transition : *options.known.transitions) {
            if (transition >= size_t{labels_} * labels_)
                throw InputFault("transition " + std::to_string(transition) + " is out of range; there are " + std::to_string(labels_) + " labels");
            free[transition] = 1;
        }
    } else if (!options.all_transitions) {
        std::fill_n(free.begin(), size_t{labels_} * labels_, uint8_t{0});
        for (size_t sentence = 0; sentence < sentence_count(); ++sentence)
            for (size_t token = sentences_[sentence] + size_t{1}; token < sentences_[sentence + 1]; ++token)
                if (gold_[token - 1] != kUnknown && gold_[token] != kUnknown)
                    free[static_cast<size_t>(gold_[token - 1]) * labels_ + static_cast<size_t>(gold_[token])] = 1;
    }
    for (size_t edge = 0; edge < free.size(); ++edge)
        if (free[edge]) edges_.push_back(static_cast<uint32_t>(edge));
    if (edges_.size() == free.size()) return;
    edge_mask_.assign((size_t{labels_} + 2) * stride_, 0);
    for (uint32_t edge : edges_) edge_mask_[edge / labels_ * stride_ + edge % labels_] = 1;
}

void TrainingSet::require_items(bool allow_lean) const {
    if (only_shards_) throw InputFault("this training set has only shards: it is for SGD");
    if (lean_ && !allow_lean) throw InputFault("this training set is lean: it is for the objective");
}

std::vector<uint32_t> TrainingSet::cell_features() const {
    std::vector<uint32_t> out(cell_count_);
    if (all_cells()) {
        for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint32_t>(i / labels_);
        return out;
    }
    for (uint32_t feature = 0; feature + 1 < cell_starts_.size(); ++feature)
        std::fill(out.begin() + cell_starts_[feature], out.begin() + cell_starts_[feature + 1], feature);
    return out;
}

std::vector<uint16_t> TrainingSet::cell_labels() const {
    if (!all_cells()) return cell_labels_;
    std::vector<uint16_t> out(cell_count_);
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<uint16_t>(i % labels_);
    return out;
}

}  // namespace tagpool
