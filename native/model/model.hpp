// Model: templates (or given features), frozen index, weights and labels of a trained tagger. It is immutable, and threads share it.
//
// It comes from training, or from a model file, whose arrays it uses in place.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/tensors.hpp"
#include "features/encoding.hpp"
#include "features/frozen_index.hpp"
#include "features/program.hpp"
#include "kernels/blocks.hpp"
#include "kernels/model_view.hpp"
#include "model/forbidden_edges.hpp"
#include "model/layout.hpp"
#include "model/row_store.hpp"
#include "model/transition_weights.hpp"
#include "model/weights.hpp"
#include "model/word_templates.hpp"
#include "text/columns.hpp"

namespace tagpool {

class Model {
public:
    explicit Model(Trained trained);
    // Throws InputFault for a block that is damaged, no model, or of another version.
    explicit Model(Tensors tensors);
    Model(const Model&) = delete;
    // A member of an elitist pool: an array of the pool's file, which has the templates and lexicons of all members. Throws InputFault if
    // the array is missing, or the member has other templates.
    std::unique_ptr<Model> member(const std::string& name) const;

    const ModelView& view() const { return view_; }
    const std::vector<std::string>& labels() const { return labels_; }
    const Tensors& tensors() const { return tensors_; }
    bool given() const { return !program_; }
    const std::optional<Program>& program() const { return program_; }
    // Columns that the templates use.
    std::vector<std::string> columns() const;
    // Whether templates use other sentences of a document.
    bool looks_at_documents() const;
    size_t feature_count() const;
    // Counts the weights of every feature, also where features share them.
    size_t weight_count() const;
    const FrozenIndex& slots() const { return slots_; }

    std::vector<uint8_t> forbidden() const { return read_forbidden(tensors_, labels_.size()); }

    // Writes the best label sequence of every sentence, one number for each token. The result does not depend on the threads.
    void tag(const Columns& columns, unsigned threads, int32_t* out) const;
    // The same for places of weights, as `slots().find` returns them. `history` has the transition features; null if the model has none.
    void tag(const Encoding& placed, const Encoding* history, unsigned threads, int32_t* out) const;
    // Node scores, a [tokens][labels] matrix.
    void score(const Columns& columns, unsigned threads, float* out) const;
    void score(const Encoding& placed, float* out) const;
    // Scores of the bigrams (t - 1, t), a [tokens][labels][labels] array; zero at first tokens. Only for chains.
    void score_bigrams(const Columns& columns, unsigned threads, float* out) const;
    void score_bigrams(const Encoding& encoding, const Encoding* history, float* out) const;
    const ModelTransitionFeatures& transition_features() const { return *transition_features_; }

    // Maps feature numbers to places of weights, for a model of encoded features. Throws InputFault for unknown features.
    Encoding placed(const Encoding& numbered) const;

    // The hash of a feature name.
    uint64_t key_of(std::string_view name) const;
    // A copy without weights of magnitude up to `least` (transitions stay). `keys` are those of its features, `history` the names of its transition
    // features.
    std::unique_ptr<Model> pruned(float least, const std::vector<uint64_t>& keys, const std::vector<std::string>& history) const;
    std::string write(const Tensors& more, bool half) const { return write_model(tensors_, more, half); }

private:
    Model(Tensors tensors, const Model* pool);
    void forbid();
    void check_history(const Encoding& encoding, const Encoding* history) const;
    void score_rows(const Encoding& placed, const AddedRows& added, float* out) const;
    template <class Block>
    void for_blocks(const Columns& columns, unsigned threads, Block&& block) const;

    Tensors tensors_;
    std::vector<std::string> labels_;
    ModelWeights weights_;
    std::optional<Program> program_;
    std::optional<WordTemplates> templates_;  // the program's, as tagging takes them
    FrozenIndex slots_;
    std::vector<float> edges_;          // padded
    std::vector<float> allowed_edges_;  // edges_ with a penalty for those that are forbidden
    std::vector<float> incoming_;       // transitions of tagging by their second label
    std::optional<ModelTransitionFeatures> transition_features_;
    ModelView view_, tagging_;
    static constexpr size_t kMaxCacheBytes = size_t{40} << 20;
    mutable RowCache row_cache_{kMaxCacheBytes};
};

}  // namespace tagpool
