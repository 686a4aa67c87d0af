// OnlineLearner: dynamic feature induction (Choi 2016). A multiclass hinge over tokens, tagged from left to right, by AdaGrad with regularised
// dual averaging; features that right a mistake together are joined to pairs, which are features from then on.
//
//     y' = argmax_v ( w . phi(x, v) - [v = y] )        if y' != y:  c += phi(x, y) - phi(x, y'),  g += its squares
//
// Weights (online_rows.hpp), t and F change only between mini-batches of sentences; t counts tokens, and the threshold is l1 * t.
// After a mistake the features with the largest w[y] - w[y'] > 0 are found, and the first is joined with each of the others. Of a token every
// pair of its features that is in F is a feature, with the value 1. Features that ever had another value than 1 are never joined.
// Previous labels are the gold ones with probability gold^epoch (epochs from 0), else those the learner would give.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/interrupt_check.hpp"
#include "base/aligned.hpp"
#include "base/buffer.hpp"
#include "features/encoding.hpp"
#include "features/index.hpp"
#include "online/induced.hpp"
#include "features/label_history.hpp"
#include "online/cells.hpp"
#include "online/pairs.hpp"
#include "online/rows.hpp"
#include "base/random.hpp"

namespace tagpool {

struct OnlineOptions {
    AdaGrad update;
    size_t strongest = 3;      // features looked at after a mistake; 0: no induction
    uint32_t slots = 5000000;  // of F
    size_t batch = 5;
    double gold = 0.95;
    size_t average_from = 0;   // epochs that are not part of the average; SIZE_MAX: none is
    uint64_t seed = 1;
};

// Features that include previous labels. The encoding has their static part, for the same tokens; null: no template includes labels.
struct OnlineHistory {
    std::shared_ptr<const Encoding> encoding;
    std::vector<uint64_t> keys;  // by feature of the encoding
    LabelHistory labels;
};

struct OnlineData {
    std::shared_ptr<const Encoding> features;
    std::vector<int32_t> gold;                 // by token; -1: unknown
    std::vector<uint64_t> keys, label_keys;    // hashes of features and labels; the last label key is for "before the sentence"
    OnlineHistory history;
    std::vector<float> sentence_weights;       // empty: all 1

    uint32_t label_count() const { return static_cast<uint32_t>(label_keys.size()) - 1; }
};

class OnlineLearner {
public:
    OnlineLearner(OnlineData data, const OnlineOptions& options);

    // Weights to begin with, before the first epoch.
    void start_feature(uint32_t feature, uint16_t label, float weight);
    void start_history(uint32_t feature, const std::vector<uint16_t>& labels, uint16_t label, float weight);
    // Puts a pair into F, its features known as in Induced.
    void join(uint32_t first, uint32_t second);
    void start_pair_weight(uint32_t first, uint32_t second, uint16_t label, float weight);
    // The number that a feature with previous labels has from now on.
    uint32_t history_number(uint32_t feature, const std::vector<uint16_t>& labels);

    // One pass over the sentences in a new order; returns the hinge loss. An exception from `interrupt` ends the pass.
    double epoch(InterruptCheck interrupt);
    // The averaged weights; the current ones where there is no average yet.
    Induced learned() const;
    size_t pair_count() const { return pair_slots_.size(); }

private:
    // A feature's row, and its hash if it is part of a pair, else 0.
    struct Feature {
        uint32_t row = OnlineRows::kNone, hash = 0;
    };
    struct Mistake {
        uint32_t token;
        uint16_t right, wrong;
        float weight;
        size_t histories_end, cells_end;
    };
    // What the tokens of a sentence have: hashes of features that are part of pairs, slots that may be in F, cells of those that are, and rows of
    // features, with values if there are any. Of slots, cells and rows those that a token has whatever its labels are come first, then those with
    // the gold labels before it: nearly always these are given, and all that is needed can be fetched long before.
    struct Tokens {
        std::vector<uint32_t> histories;
        Buffer<uint32_t> hashes, candidates, cells, rows;
        std::vector<float> values;
        std::vector<OnlineCells::Displaced> displaced;
        std::vector<size_t> hash_ends, history_ends, fixed_candidates, candidate_ends, fixed_cells, cell_ends, displaced_ends, fixed_rows, row_ends;
        void clear();
    };
    // What one token has, given the labels before it: rows and cells that it has in any case, and those with these labels.
    struct Parts {
        std::span<const uint32_t> rows, cells, labelled_rows, labelled_cells;
    };

    void merge_repeated();
    double learn(uint32_t sentence, double gold_share);
    double decide(size_t begin, size_t t, float weight, double gold_share);
    void find_pairs(size_t begin, size_t t);
    void find_rows(size_t begin, size_t t);
    void find_history(size_t begin, size_t t, const int32_t* given, std::vector<uint32_t>& numbers, Buffer<uint32_t>& candidates);
    void append_history_rows(const uint32_t* numbers, size_t count, Buffer<uint32_t>& rows) const;
    void look_back(size_t begin, size_t t);
    Parts parts(size_t t) const;
    bool surely_right(size_t t, uint16_t gold);
    void score(size_t t);
    void score_contenders(size_t t);
    void note_mistake(size_t begin, size_t t, uint16_t right, uint16_t wrong, float weight);
    void induce(size_t token, uint16_t right, uint16_t wrong, size_t histories_from);
    void apply();
    void learn_from(const Mistake& mistake, std::span<const std::pair<uint32_t, uint32_t>> cells);
    void append_mistake_cells(std::span<const uint32_t> some, std::span<const uint32_t> others);
    uint32_t hash_of(uint32_t feature) const;
    Feature& feature(uint32_t number) { return number < features_.size() ? features_[number] : histories_[number - features_.size()]; }
    float value(uint64_t i) const { return data_.features->values.empty() ? 1.0f : data_.features->values[i]; }
    float threshold() const { return options_.update.dual_averaging ? static_cast<float>(options_.update.l1 * static_cast<double>(examples_)) : 0.0f; }
    PairView pairs() const { return bits_.view(); }
    template <class LabelBefore>
    uint32_t insert_history(uint32_t feature, LabelBefore&& before);

    OnlineData data_;
    uint32_t labels_;
    OnlineOptions options_;
    Random random_;
    OnlineRows rows_;
    AlignedVector<Feature> features_;
    std::vector<bool> can_join_;
    // Features with previous labels that were part of a mistake.
    FeatureIndex history_index_;
    std::vector<Feature> histories_;
    std::vector<uint32_t> history_features_, history_hashes_;
    std::vector<uint16_t> history_labels_;
    // F, and the rows of what is in it.
    PairBits bits_;
    OnlineCells cells_;
    std::vector<uint32_t> pair_slots_, pair_first_, pair_second_;
    size_t examples_ = 0, epochs_ = 0, summed_ = 0;

    // Of the batch.
    size_t batch_examples_ = 0;
    std::vector<Mistake> mistakes_;
    std::vector<uint32_t> mistake_histories_;
    std::vector<std::pair<uint32_t, uint32_t>> mistake_cells_;  // and how often the token has them
    std::vector<uint32_t> mistake_places_;                      // of cells in that list, hashed
    std::vector<std::pair<uint32_t, uint32_t>> to_join_;
    std::vector<std::pair<uint32_t*, float>> touched_;  // the rows that a mistake changes, and its gradient there
    // Of the sentence, and of the token.
    Tokens tokens_;
    std::vector<int32_t> given_;
    size_t same_since_ = 0, depth_ = 0;  // from where on the gold labels were given; how far back templates look
    AlignedVector<float> scores_;
    std::vector<uint16_t> contenders_;  // labels of which one scores most in any case, and the gold one; empty: it may be any
    std::vector<uint32_t> rows_here_;
    std::vector<uint32_t> history_hashes_here_;
    // Where labels that are not the gold ones were given before: what the token has with these instead.
    bool other_history_ = false;
    std::vector<uint32_t> history_numbers_;
    Buffer<uint32_t> history_candidates_, history_cells_, history_rows_;
    std::vector<OnlineCells::Displaced> history_displaced_;
};

}  // namespace tagpool
