// Observations: what the arrangement of weights (weight_layout.hpp) depends on, counted over sentences. Slices of a corpus are observed apart and
// merged in order: every cut gives the same.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/exact_sum.hpp"
#include "dataset/training_options.hpp"
#include "features/encoding.hpp"

namespace tagpool {

constexpr int32_t kUnknownLabel = -1;

class Observations {
public:
    static constexpr uint32_t kNever = UINT32_MAX;

    // Occurrences of a feature, and the first tokens of its first and last sentence.
    struct Feature {
        uint32_t occurrences = 0, first = kNever, last = kNever;
    };
    // A sum of hashes of tokens and values: equal for twins, and for other features with probability 2^-128.
    struct Mark {
        uint64_t low = 0, high = 0;
        bool operator==(const Mark&) const = default;
    };

    // For sentences from token `begin` of the corpus on. The options decide which counts are kept.
    Observations(const TrainingOptions& options, uint32_t features, uint32_t history_features = 0, uint64_t begin = 0);

    // Adds the next sentences. `gold` has one label for each token, or kUnknownLabel; `history` the transition features, or is null.
    void add(const Encoding& encoding, const int32_t* gold, const Encoding* history = nullptr);
    // Adds those of the sentences that follow.
    void merge(const Observations& next);

    // As bytes, and back into observations with the same options and numbers of features.
    std::string bytes();
    void read(std::string_view bytes);

    uint64_t begin() const { return begin_; }
    uint64_t tokens() const { return tokens_; }
    uint64_t sentences() const { return sentences_; }
    uint32_t longest() const { return longest_; }  // sentence, in tokens
    const std::vector<Feature>& features() const { return features_; }
    // Occurrences with another value than 0.
    uint32_t items(uint32_t feature) const { return features_[feature].occurrences - (zeros_.empty() ? 0 : zeros_[feature]); }
    // Whether the values of the features matter: some value is neither 0 nor 1, or values were given and all differ from 0.
    bool valued() const { return zeros_.empty() ? has_values_ : has_others_; }
    double squares() const { return has_values_ ? squares_.value() : static_cast<double>(occurrences_); }
    uint64_t occurrences() const { return occurrences_; }
    // Observed labels as bits, `words` words for each feature; empty with all cells.
    const std::vector<uint64_t>& labels() const { return labels_; }
    size_t words() const { return words_; }
    const std::vector<Mark>& marks() const { return marks_; }                 // by feature; empty without twins
    const std::vector<uint8_t>& transitions() const { return transitions_; }  // 1 where observed, [L][L]; empty if all have weights
    // Observed cells of transition features, feature * 2^32 + bigram, in order.
    std::vector<uint64_t> history_cells() const;
    const std::vector<uint32_t>& history_occurrences() const { return history_occurrences_; }
    // The most frequent number of features of a token.
    size_t usual_length() const;

private:
    template <class State>
    void visit_arrays(State& state);
    void add_features(const Encoding& encoding, const int32_t* gold);
    void add_values(const Encoding& encoding);
    void add_marks(const Encoding& encoding);
    void add_transitions(const std::vector<uint32_t>& sentences, const int32_t* gold);
    void add_history(const Encoding& history, const int32_t* gold);
    void add_lengths(const Encoding& encoding);

    uint32_t label_count_;
    uint64_t begin_, tokens_ = 0, sentences_ = 0, occurrences_ = 0;
    uint32_t longest_ = 0;
    bool observes_labels_, has_values_ = false, has_others_ = false;
    size_t words_;
    ExactSum squares_;
    std::vector<Feature> features_;
    std::vector<uint32_t> zeros_;  // occurrences with the value 0, by feature; empty without such values
    std::vector<uint64_t> labels_, lengths_;
    bool counts_lengths_;
    std::vector<Mark> marks_;
    std::vector<uint8_t> transitions_;
    std::vector<uint64_t> history_cells_;  // may have doubles
    size_t compact_ = 1 << 20;             // number of them that is worth removing doubles
    std::vector<uint32_t> history_occurrences_;
};

}  // namespace tagpool
