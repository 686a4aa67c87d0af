#include "dataset/training_set.hpp"

#include <algorithm>
#include <bit>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kNone = FeatureIndex::kNone;

}  // namespace

std::optional<Encoding> without_zeros(const Encoding& encoding) {
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

TrainingSet::TrainingSet(const Encoding& encoding, const int32_t* gold, uint32_t features, const TrainingOptions& options, const Encoding* history,
                         uint32_t history_features)
    : sentences_(encoding.sentences), gold_(gold, gold + encoding.token_count()) {
    std::shared_ptr<WeightLayout> weights;
    {
        Observations seen(options, features, history ? history_features : 0);
        seen.add(encoding, gold, history);
        weights = std::make_shared<WeightLayout>(options, seen);
    }
    static_cast<Places&>(*this) = *weights;
    weights_ = weights;
    part_begins_ = weights_->part_begins(sentences_, 0);
    const std::optional<Encoding> nonzero = without_zeros(encoding);
    const Encoding& used = nonzero ? *nonzero : encoding;
    if (std::shared_ptr<BundleColumns> columns = weights->new_columns()) {
        columns->sort(used, true);
        columns->sort(used, false);
        columns->join(used);
        if (columns->size() > 0) {
            Bundles bundles(used, *columns, part_tokens());
            weights->choose_bundles(columns, bundles.savings());
            if (weights_->columns()) keep(std::move(bundles));
        }
    }
    fill(used, history);
}

TrainingSet::TrainingSet(std::shared_ptr<const WeightLayout> weights, const Encoding& encoding, const int32_t* gold, const Encoding* history,
                         size_t begin)
    : Places(*weights), sentences_(encoding.sentences), gold_(gold, gold + encoding.token_count()), weights_(std::move(weights)),
      part_begins_(weights_->part_begins(sentences_, begin)) {
    const std::optional<Encoding> nonzero = without_zeros(encoding);
    const Encoding& used = nonzero ? *nonzero : encoding;
    if (weights_->columns()) keep(Bundles(used, *weights_->columns(), part_tokens()));
    fill(used, history);
}

TrainingSet::TrainingSet(std::shared_ptr<const WeightLayout> weights, std::shared_ptr<const SentenceStream> stream)
    : Places(*weights), sentences_{0}, weights_(std::move(weights)), stream_(std::move(stream)), part_begins_(weights_->parts() + 1, 0) {}

void TrainingSet::fill(const Encoding& used, const Encoding* history) {
    if (history && weights_->transition_cells()) transition_features_ = TransitionFeatures(weights_->transition_cells(), *history);
    if (!weights_->lean() || !bundled_) items_ = make_items(used);
}

// The first tokens of the parts, and the number of tokens.
std::vector<size_t> TrainingSet::part_tokens() const {
    std::vector<size_t> tokens;
    for (const size_t sentence : part_begins_) tokens.push_back(sentences_[sentence]);
    return tokens;
}

double bundle_savings(const WeightLayout& weights, const BundleColumns& columns, const Encoding& encoding, size_t begin) {
    const std::optional<Encoding> nonzero = without_zeros(encoding);
    std::vector<size_t> tokens;
    for (const size_t sentence : weights.part_begins(encoding.sentences, begin)) tokens.push_back(encoding.sentences[sentence]);
    return columns.size() > 0 ? Bundles(nonzero ? *nonzero : encoding, columns, tokens).savings() : 0;
}

void TrainingSet::keep(Bundles&& bundles) {
    bundled_ = std::make_unique<const Bundled>(Bundled{make_items(bundles.left), make_items(bundles.members), std::move(bundles.part_begins),
                                                       std::move(bundles.starts), std::move(bundles.uses)});
}

Items TrainingSet::make_items(const Encoding& encoding) const {
    const WeightLayout& weights = *weights_;
    const Twins& twins = weights.twins();
    Items items;
    const size_t tokens = encoding.token_count();
    size_t rows = 0, singles = 0;
    for (uint32_t feature : encoding.ids) {
        if (twins.first(feature) != feature) continue;
        if (weights.row_of(feature) == kNone) singles += weights.single_count(feature);
        else ++rows;
    }
    const bool valued = weights.valued() || (!twins.empty() && !weights.twins_by_weight());
    items.row_starts.resize_uninitialized(tokens + 1);
    items.single_starts.resize_uninitialized(tokens + 1);
    items.rows.resize_uninitialized(rows);
    uint32_t longest = 0;
    for (size_t sentence = 0; sentence + 1 < encoding.sentences.size(); ++sentence)
        longest = std::max(longest, encoding.sentences[sentence + 1] - encoding.sentences[sentence]);
    const auto score_bits = static_cast<unsigned>(std::bit_width(size_t{longest} * stride_));
    const bool packed = weights.lean() && score_bits + static_cast<unsigned>(std::bit_width(transitions_begin_)) <= 32;
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
            if (twins.first(feature) != feature) continue;
            const float value = twins.factor(feature) * (encoding.values.empty() ? 1.0f : encoding.values[i]);
            if (const uint32_t number = weights.row_of(feature); number != kNone) {
                if (valued) items.row_values[row] = value;
                items.rows[row++] = number;
                continue;
            }
            const uint32_t place = weights.single_of(feature), cell = weights.first_cell(feature), count = weights.single_count(feature);
            for (uint32_t k = 0; k < count; ++k) {
                if (valued) items.single_values[single] = value;
                const Single item{place + k, before + weights.label_of_cell(cell + k)};
                if (packed) items.packed.numbers[single++] = item.place << score_bits | item.to;
                else items.singles[single++] = item;
            }
        }
    }
    items.row_starts[tokens] = row;
    items.single_starts[tokens] = single;
    return items;
}

void TrainingSet::require_items(bool allow_lean) const {
    if (only_shards_) throw InputFault("this training set has only shards: it is for SGD");
    if (weights_->lean() && !allow_lean) throw InputFault("this training set is lean: it is for the objective");
}

}  // namespace tagpool
