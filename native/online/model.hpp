// OnlineModel: model of an OnlineLearner. Tags from left to right, greedily or with a beam. Immutable, so that threads share it.
//
// The index maps a feature to a number. Numbers below joined_places_.size() are features that are part of conjunctions; they have a hash and an
// offset of weights each. A larger number is joined_places_.size() + the offset of the weights. Weights are stored in blocks, as in Model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/portable.hpp"
#include "base/tensors.hpp"
#include "features/encoding.hpp"
#include "features/frozen_index.hpp"
#include "features/program.hpp"
#include "model/model.hpp"
#include "model/weights.hpp"
#include "online/conjunctions.hpp"
#include "online/induced.hpp"
#include "online/layout.hpp"
#include "text/columns.hpp"

namespace tagpool {

class OnlineModel {
public:
    explicit OnlineModel(OnlineTrained trained);
    // Throws InputFault if the file is damaged, foreign or of another version.
    explicit OnlineModel(Tensors tensors);
    OnlineModel(const OnlineModel&) = delete;

    const std::vector<std::string>& labels() const { return labels_; }
    const Tensors& tensors() const { return tensors_; }
    const std::optional<Program>& program() const { return program_; }
    const std::optional<Program>& history() const { return history_program_; }
    const LabelHistory& look_back() const { return look_back_; }
    bool given() const { return !program_; }
    const FrozenIndex& slots() const { return features_; }
    std::vector<uint8_t> forbidden() const { return read_forbidden(tensors_, labels_.size()); }
    std::vector<std::string> columns() const { return columns_in({&program_, &history_program_}); }
    // Whether templates use other sentences of a document.
    bool looks_at_documents() const { return any_looks_at_documents({&program_, &history_program_}); }
    // Features in the index: single, with previous labels, and conjunctions.
    size_t feature_count() const { return count_places(features_) + count_places(labelled_) + conjunction_count(); }
    size_t conjunction_count() const { return count_places(conjunctions_); }
    size_t weight_count() const;

    // Label number of every token, by a beam search; beam 1 is greedy. The number of threads does not matter.
    void tag(const Columns& columns, unsigned threads, size_t beam, int32_t* out) const;
    // The same for features encoded by `slots().find`, and features of the history encoding by number (null: the model has none).
    void tag(const Encoding& encoding, const Encoding* history, unsigned threads, size_t beam, int32_t* out) const;
    // Converts an encoding by feature number to that of `tag`, for a model of encoded features.
    Encoding placed(const Encoding& numbered) const { return replace_ids_by_places(features_, numbered); }

    // Add the weights of a feature or conjunction to [labels] scores. Numbers are those of `slots().find` or `find_labelled`. Returns false if
    // the conjunction is not in F.
    void add_weights(uint32_t number, float* scores) const;
    bool add_conjunction_weights(uint32_t first, uint32_t second, float* scores) const;
    uint32_t find_labelled(uint32_t feature, const std::vector<uint16_t>& labels) const;
    // Number of a feature of the history encoding by name; kNone if unknown.
    uint32_t history_feature(std::string_view name) const;
    uint64_t key_of(std::string_view name) const;
    std::string write(const Tensors& more, bool half) const { return write_model(tensors_, more, half); }

private:
    struct Scratch {
        size_t first = 0;  // first token of the data below
        Encoding placed;
        std::vector<uint32_t> hashes;
        Buffer<uint32_t> slots, next_slots;
        std::vector<size_t> hash_ends;
        AlignedVector<float> scores;
        std::vector<uint32_t> history_hashes, places;
        Buffer<uint32_t> joined;
    };
    struct Path {
        double score;
        std::vector<int32_t> labels;
    };

    void check() const;
    static size_t count_places(const FrozenIndex& slots) {
        size_t count = 0;
        slots.for_each_place([&](uint32_t) { ++count; });
        return count;
    }
    // The offset of the weights of a feature by its number.
    uint32_t place_of(uint32_t number) const {
        const auto joined = static_cast<uint32_t>(joined_places_.size());
        return number < joined ? joined_places_[number] : number - joined;
    }
    bool may_repeat() const;
    void tag_sentences(const Encoding& encoding, const Encoding* history, size_t first, size_t last, size_t beam, int32_t* out,
                       Scratch& scratch) const;
    void encode_tokens(const Encoding& encoding, size_t first, size_t last, Scratch& scratch) const;
    void add_history(const Encoding& history, size_t token, size_t t, const int32_t* labels, float* scores, Scratch& scratch) const;
    void greedy(const Encoding* history, size_t begin, size_t length, int32_t* out, Scratch& scratch) const;
    void search(const Encoding* history, size_t begin, size_t length, size_t beam, int32_t* out, Scratch& scratch) const;
    // Adds the penalties of forbidden edges to the scores of token t, whose label before is `before`.
    void forbid(size_t t, size_t length, int32_t before, float* scores) const;
    void append_hashes(const Encoding& encoding, size_t token, std::vector<uint32_t>& hashes) const;
    void place(const Encoding& encoding, size_t token, const Buffer<uint32_t>& slots, Encoding& placed) const;
    void add_block(uint32_t place, float* scores) const;
    [[gnu::always_inline]] void prefetch_block(uint32_t place) const {
        prefetch_line(view_.weights + place);
        if (!view_.blocks.is_row(place)) prefetch_line(view_.cell_labels + (place - view_.blocks.rows_end()));
    }
    static uint64_t conjunction_key(uint32_t slot) { return combine(slot, 1); }
    ConjunctionBits conjunction_bits() const;
    ConjunctionSet conjunction_set() const { return conjunction_bits_->view(); }

    Tensors tensors_;
    std::vector<std::string> labels_;
    ModelWeights weights_;
    ModelView view_;
    std::optional<Program> program_, history_program_;
    LabelHistory look_back_;
    FrozenIndex features_, histories_, labelled_, conjunctions_;
    bool history_by_name_ = false;  // else by number
    std::span<const uint32_t> joined_places_, joined_hashes_;
    std::span<const uint64_t> bits_;
    uint32_t conjunction_slots_ = 0;
    std::optional<ConjunctionBits> conjunction_bits_;  // bits_ with fewer bits, which have false positives
    std::vector<float> penalties_;                     // of forbidden edges; empty: none
    bool may_repeat_ = true;                           // whether a token may have the same feature twice
};

}  // namespace tagpool
