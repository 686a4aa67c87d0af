// Transition features of a model: from training to the arrays of a model file, and from there to the view that tagging needs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tensors.hpp"
#include "dataset/transition_features.hpp"
#include "features/frozen_index.hpp"
#include "features/program.hpp"
#include "kernels/model_view.hpp"
#include "model/encode_blocks.hpp"

namespace tagpool {

struct TransitionWeights {
    TransitionCells cells;  // sorted
    std::vector<float> weights;
    std::optional<Program> program;  // of the transition features; none: they are already encoded
    std::vector<uint64_t> keys;      // of the transition features
    uint32_t features = 0;
};

void write_transition_weights(const TransitionWeights& trained, size_t labels, Tensors& to);

class ModelTransitionFeatures {
public:
    // Throws InputFault for a damaged model, or one that looks two labels back.
    // `shared` is the program of a pool with the same templates; null: the program of the file.
    ModelTransitionFeatures(const Tensors& tensors, uint32_t labels, uint32_t stride, const std::optional<Program>* shared);
    ModelTransitionFeatures(const ModelTransitionFeatures&) = delete;

    // Null for a plain chain.
    const TransitionFeatureView* view() const { return has_history() ? &view_ : nullptr; }
    const std::optional<Program>& program() const { return program_; }
    bool has_history() const { return view_.starts != nullptr; }
    size_t feature_count() const { return features_; }
    IndexedProgram indexed_program() const { return {program_ ? &*program_ : nullptr, &slots_}; }
    // The number of a transition feature; kNone: it has no weights.
    uint32_t feature_of(std::string_view name) const;
    // The weights of magnitude above `least`, as a result of training; `names` are those of the transition features.
    TransitionWeights pruned(float least, const std::vector<std::string>& names) const;

private:
    void read_history(const Tensors& tensors, uint32_t labels, uint32_t stride, const std::optional<Program>* shared);

    uint32_t labels_, stride_;
    std::optional<Program> program_;
    FrozenIndex slots_;
    size_t features_ = 0;
    std::vector<uint32_t> bigrams_;
    std::vector<float> wide_weights_;  // if the file has float16
    TransitionFeatureView view_;
};

}  // namespace tagpool
