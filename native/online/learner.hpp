// OnlineLearner: dynamic feature induction (Choi 2016). A multiclass hinge loss over tokens, tagged from left to right, is minimised by AdaGrad
// with regularised dual averaging. Features that together correct a mistake are joined to conjunctions, which then are features, too.
//
//     y' = argmax_v ( w . phi(x, v) - [v = y] )        if y' != y:  c += phi(x, y) - phi(x, y'),  g += its squares
//
// Weights (rows.hpp), t and F change only between mini-batches of sentences; t counts tokens, and the threshold is l1 * t.
// After a mistake the feature with the largest w[y] - w[y'] > 0 is joined with each of the next largest. Every pair of a token's features that
// is in F is a feature with the value 1. Features with values other than 1 are never joined.
// Previous labels are the gold ones with probability gold^epoch (epochs from 0), else the predicted ones.
// With dropout, each token lacks random features in each epoch, and the conjunctions that contain one of them. A conjunction then has a
// smaller chance to be present than a single feature, and its learned weight is scaled so that the expected scores keep their ratio.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/aligned.hpp"
#include "base/buffer.hpp"
#include "base/interrupt_check.hpp"
#include "base/random.hpp"
#include "features/encoding.hpp"
#include "features/index.hpp"
#include "features/label_history.hpp"
#include "online/conjunction_table.hpp"
#include "online/conjunctions.hpp"
#include "online/induced.hpp"
#include "online/rows.hpp"

namespace tagpool {

struct OnlineOptions {
    AdaGrad update;
    size_t strongest = 3;      // features considered after a mistake; 0: no induction
    uint32_t slots = 5000000;  // hash table size for conjunctions
    size_t batch = 5;
    double gold = 0.95;
    double dropout = 0;       // probability that a token lacks a feature in an epoch
    size_t average_from = 0;  // epochs before averaging begins; SIZE_MAX: no average
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
    std::vector<int32_t> gold;               // by token; -1: unknown
    std::vector<uint64_t> keys, label_keys;  // hashes of features and labels; the last label key is for "before the sentence"
    OnlineHistory history;
    std::vector<float> sentence_weights;  // empty: all 1

    uint32_t label_count() const { return static_cast<uint32_t>(label_keys.size()) - 1; }
};

class OnlineLearner {
public:
    OnlineLearner(OnlineData data, const OnlineOptions& options);

    // Set initial weights, before the first epoch.
    void start_feature(uint32_t feature, uint16_t label, float weight);
    void start_history(uint32_t feature, const std::vector<uint16_t>& labels, uint16_t label, float weight);
    // Adds a conjunction; features are numbered as in Induced.
    void join(uint32_t first, uint32_t second);
    void start_conjunction(uint32_t first, uint32_t second, uint16_t label, float weight);
    // Number of a feature with previous labels, which is added if it is new.
    uint32_t history_number(uint32_t feature, const std::vector<uint16_t>& labels);

    // One pass over the sentences in a new order; returns the hinge loss. An exception from `interrupt` ends the pass.
    double epoch(InterruptCheck interrupt);
    // Averaged weights; the current ones before averaging has begun.
    Induced learned() const;
    size_t conjunction_count() const { return conjunction_slots_.size(); }

    // State between two epochs, for a checkpoint; a new learner of the same data and options continues from it (state.cpp).
    std::string state();
    void restore(std::string_view block);
    // Learned weights as bytes and back; throws InputFault if they do not fit the data.
    static std::string write_learned(const Induced& learned);
    Induced read_learned(std::string_view block) const;

private:
    // Row of weights; hash if the feature is part of a conjunction, else 0.
    struct Feature {
        uint32_t row = OnlineRows::kNone, hash = 0;
    };
    struct Mistake {
        uint32_t token;
        uint16_t right, wrong;
        float weight;
        size_t histories_end, entries_end;
    };
    // Data of a sentence's tokens: hashes of features with conjunctions, candidate slots, entries of the conjunction table, and rows of features,
    // with values if there are any. Candidates, entries and rows that do not depend on labels come first, then those with the gold labels as
    // previous labels. These are usually the labels used, so that they can be prefetched early.
    struct Tokens {
        std::vector<uint32_t> histories;
        Buffer<uint32_t> hashes, candidates, entries, rows;
        std::vector<float> values;
        std::vector<ConjunctionTable::Displaced> displaced;
        std::vector<size_t> hash_ends, history_ends, fixed_candidates, candidate_ends, fixed_entries, entry_ends, displaced_ends, fixed_rows,
            row_ends;
        void clear();
    };
    // Rows and table entries of one token: independent of previous labels, and with them.
    struct TokenParts {
        std::span<const uint32_t> rows, entries, labelled_rows, labelled_entries;
    };

    template <class State>
    void visit_counts(State& state);
    void restore_history(const std::vector<uint32_t>& features, const std::vector<uint16_t>& labels);
    void merge_repeated();
    void choose_features();
    double learn(uint32_t sentence, double gold_share);
    double decide(size_t begin, size_t t, float weight, double gold_share);
    void find_conjunctions(size_t begin, size_t t);
    void find_rows(size_t begin, size_t t);
    void find_history(size_t begin, size_t t, const int32_t* labels, std::vector<uint32_t>& numbers, Buffer<uint32_t>& candidates);
    void append_history_rows(const uint32_t* numbers, size_t count, Buffer<uint32_t>& rows) const;
    void find_predicted_history(size_t begin, size_t t);
    TokenParts parts(size_t t) const;
    bool is_surely_right(size_t t, uint16_t gold);
    void score(size_t t);
    void score_contenders(size_t t);
    void record_mistake(size_t begin, size_t t, uint16_t right, uint16_t wrong, float weight);
    void induce(size_t token, uint16_t right, uint16_t wrong, size_t histories_from);
    void apply();
    void learn_from(const Mistake& mistake, std::span<const std::pair<uint32_t, uint32_t>> entries);
    void append_mistake_conjunctions(std::span<const uint32_t> fixed, std::span<const uint32_t> labelled);
    uint32_t hash_of(uint32_t feature) const;
    Feature& feature(uint32_t number) { return number < features_.size() ? features_[number] : histories_[number - features_.size()]; }
    float value(uint64_t i) const { return shown_->value(i); }
    float threshold() const {
        return options_.update.dual_averaging ? static_cast<float>(options_.update.l1 * static_cast<double>(examples_)) : 0.0f;
    }
    // Share of its weight that a conjunction has when all features are present.
    float conjunction_scale() const { return static_cast<float>(1 - options_.dropout); }
    ConjunctionSet conjunctions() const { return bits_.view(); }
    template <class LabelBefore>
    uint32_t insert_history(uint32_t feature, LabelBefore&& before);

    OnlineData data_;
    std::shared_ptr<const Encoding> shown_, shown_history_;  // features of this epoch
    uint32_t labels_;
    OnlineOptions options_;
    Random random_;
    OnlineRows rows_;
    AlignedVector<Feature> features_;
    std::vector<bool> can_join_;
    // Features with previous labels that occurred in a mistake.
    FeatureIndex history_index_;
    std::vector<Feature> histories_;
    std::vector<uint32_t> history_features_, history_hashes_;
    std::vector<uint16_t> history_labels_;
    // Conjunctions: F, and their weights.
    ConjunctionBits bits_;
    ConjunctionTable table_;
    std::vector<uint32_t> conjunction_slots_, conjunction_first_, conjunction_second_;
    size_t examples_ = 0, epochs_ = 0, summed_ = 0;

    // State of the batch.
    size_t batch_examples_ = 0;
    std::vector<Mistake> mistakes_;
    std::vector<uint32_t> mistake_histories_;
    std::vector<std::pair<uint32_t, uint32_t>> mistake_conjunctions_;  // with their number in the token
    std::vector<uint32_t> mistake_places_;                             // hash table of that list
    std::vector<std::pair<uint32_t, uint32_t>> to_join_;
    std::vector<std::pair<uint32_t*, float>> updates_;  // rows and gradients of a mistake
    // State of the sentence and token.
    Tokens tokens_;
    std::vector<int32_t> previous_labels_;
    size_t same_since_ = 0, depth_ = 0;  // token since which previous labels are gold; how far back templates look
    AlignedVector<float> scores_;
    std::vector<uint16_t> contenders_;  // labels that may score highest, with the gold label; empty: all
    std::vector<uint32_t> rows_here_;
    std::vector<uint32_t> history_hashes_here_;
    // The same data with predicted previous labels, if they differ from the gold labels.
    bool other_history_ = false;
    std::vector<uint32_t> history_numbers_;
    Buffer<uint32_t> history_candidates_, history_entries_, history_rows_;
    std::vector<ConjunctionTable::Displaced> history_displaced_;
};

}  // namespace tagpool
