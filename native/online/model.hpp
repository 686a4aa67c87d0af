// OnlineModel: what the online learner (online.hpp) tags with. From left to right, greedily or with a beam; const once made, shared by threads.
//
// The index leads from a feature to a number: below the number of features that are part of a pair it is one of these, which have a hash and
// a place of weights each; above, it is the place of the weights itself. All weights lie in the blocks that other models have too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "text/columns.hpp"
#include "features/encoding.hpp"
#include "online/induced.hpp"
#include "model/model.hpp"
#include "model/weights.hpp"
#include "online/layout.hpp"
#include "online/pairs.hpp"
#include "features/program.hpp"
#include "features/frozen_index.hpp"
#include "base/tensors.hpp"

namespace tagpool {

class OnlineModel {
public:
    explicit OnlineModel(OnlineTrained trained);
    // Throws InputFault where the block is damaged, foreign or of another version.
    explicit OnlineModel(Tensors tensors);
    OnlineModel(const OnlineModel&) = delete;

    const std::vector<std::string>& labels() const { return labels_; }
    const Tensors& tensors() const { return tensors_; }
    const std::optional<Program>& program() const { return program_; }
    const std::optional<Program>& history() const { return history_program_; }
    const LabelHistory& look_back() const { return look_back_; }
    bool given() const { return !program_; }
    uint32_t hash_size() const { return features_.hash_size(); }
    const FrozenIndex& slots() const { return features_; }
    std::vector<std::string> columns() const;
    // Whether templates look at other sentences of a document.
    bool looks_at_documents() const;
    // Features in the index: single ones, those with previous labels, and pairs.
    size_t feature_count() const { return found_in(features_) + found_in(labelled_) + pair_count(); }
    size_t pair_count() const { return found_in(pairs_); }
    size_t weight_count() const;

    // The labels of every sentence, one number a token: by a beam of so many sequences, 1 being greedy. Threads change nothing.
    void tag(const Columns& columns, unsigned threads, size_t beam, int32_t* out) const;
    // The same from numbers that `slots().find` has, and from features of the history encoding by number (null: there are none).
    void tag(const Encoding& encoding, const Encoding* history, unsigned threads, size_t beam, int32_t* out) const;
    // A corpus encoded by numbers of features as `tag` takes it, for a model of encoded features.
    Encoding placed(const Encoding& numbered) const;

    // The weights of a feature of this key, of one with previous labels, of a pair: adds them to one number a label. A pair is of features
    // that `slots().find` or `find_labelled` have found; false if it is not in F.
    void add_weights(uint32_t number, float* scores) const;
    bool add_pair_weights(uint32_t first, uint32_t second, float* scores) const;
    uint32_t find_labelled(uint32_t feature, const std::vector<uint16_t>& labels) const;
    // The number of a feature of the history encoding, by name; kNone if it is not known.
    uint32_t history_feature(std::string_view name) const;
    uint64_t key_of(std::string_view name) const;
    std::string write(const Tensors& more, bool half) const { return write_model(tensors_, more, half); }

private:
    struct Scratch {
        size_t first = 0;  // the token that everything here begins with
        Encoding placed;
        std::vector<uint32_t> hashes;
        Buffer<uint32_t> slots, next_slots;
        std::vector<size_t> hash_ends;
        AlignedVector<float> scores;
        std::vector<uint32_t> here, places;
        Buffer<uint32_t> joined;
    };
    struct Path {
        double score;
        std::vector<int32_t> labels;
    };

    void check() const;
    static size_t found_in(const FrozenIndex& slots);
    bool is_place(uint32_t number) const;
    bool may_repeat() const;
    void tag_sentences(const Encoding& encoding, const Encoding* history, size_t first, size_t last, size_t beam, int32_t* out, Scratch& scratch) const;
    void look_at(const Encoding& encoding, size_t first, size_t last, Scratch& scratch) const;
    void add_history(const Encoding& history, size_t token, size_t t, const int32_t* given, float* scores, Scratch& scratch) const;
    void greedy(const Encoding* history, size_t begin, size_t length, int32_t* out, Scratch& scratch) const;
    void search(const Encoding* history, size_t begin, size_t length, size_t beam, int32_t* out, Scratch& scratch) const;
    void append_hashes(const Encoding& encoding, size_t token, std::vector<uint32_t>& hashes) const;
    void place(const Encoding& encoding, size_t token, const Buffer<uint32_t>& slots, Encoding& placed) const;
    void add_block(uint32_t place, float* scores) const;
    [[gnu::always_inline]] void prefetch_block(uint32_t place) const {
        __builtin_prefetch(view_.weights + place);
        if (!view_.blocks.is_row(place)) __builtin_prefetch(view_.pair_labels + (place - view_.blocks.rows_end()));
    }
    static uint64_t pair_key(uint32_t slot) { return combine(slot, 1); }
    PairBits pair_bits() const;
    PairView pair_view() const { return pair_bits_->view(); }

    Tensors tensors_;
    std::vector<std::string> labels_;
    ModelWeights weights_;
    ModelView view_;
    std::optional<Program> program_, history_program_;
    LabelHistory look_back_;
    FrozenIndex features_, histories_, labelled_, pairs_;
    bool history_by_name_ = false;  // else features of the history encoding are known by number
    std::span<const uint32_t> joined_places_, joined_hashes_;
    std::span<const uint64_t> bits_;
    uint32_t pair_slots_ = 0;
    std::optional<PairBits> pair_bits_;  // the same with fewer bits: pairs that they let through are looked up, and may not be there
    bool may_repeat_ = true;  // whether a token may have a feature twice
};

}  // namespace tagpool
