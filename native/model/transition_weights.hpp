// Transition features of a model: from training to the arrays of a model file, and from there to the view that tagging needs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/encoding.hpp"
#include "kernels/model_view.hpp"
#include "features/program.hpp"
#include "features/frozen_index.hpp"
#include "base/tensors.hpp"

namespace tagpool {

struct TrainedArcs {
    std::vector<uint32_t> triple_features;  // ascending
    std::vector<uint32_t> triple_pairs;     // b * labels + c, ascending for each feature
    std::vector<float> triple_weights;
    std::optional<Program> program;         // of the transition features; none: they are already encoded
    std::vector<uint64_t> keys;             // of the transition features
    uint32_t features = 0;
};

void lay_out_arcs(const TrainedArcs& trained, size_t labels, Tensors& to);

class ModelArcs {
public:
    // Throws InputFault for a damaged model, or one that looks two labels back.
    ModelArcs(const Tensors& tensors, uint32_t labels, uint32_t stride);
    ModelArcs(const ModelArcs&) = delete;

    // Null for a plain chain.
    const ArcView* view() const { return has_history() ? &view_ : nullptr; }
    const std::optional<Program>& program() const { return program_; }
    bool has_history() const { return view_.starts != nullptr; }
    size_t feature_count() const { return features_; }
    // The index of transition features; only with a program.
    const FrozenIndex& slots() const { return slots_; }
    // The number of a transition feature; kNone: it has no weights.
    uint32_t feature_of(std::string_view name) const;
    // The weights of magnitude above `least`, as a result of training; `names` are those of the transition features.
    TrainedArcs pruned(float least, const std::vector<std::string>& names) const;

private:
    void read_history(const Tensors& tensors, uint32_t labels, uint32_t stride);

    uint32_t labels_, stride_;
    std::optional<Program> program_;
    FrozenIndex slots_;
    size_t features_ = 0;
    std::vector<uint32_t> cells_;
    std::vector<float> wide_weights_;  // if the file has float16
    ArcView view_;
};

}  // namespace tagpool
