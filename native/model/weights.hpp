// ModelWeights: the weights of a model, used in place in its file, in blocks (blocks.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tensors.hpp"
#include "features/frozen_index.hpp"
#include "kernels/blocks.hpp"

namespace tagpool {

constexpr int kModelVersion = 2;  // 2: features with equal weights share them

// Labels rounded up to whole vectors. Throws InputFault for none, or too many.
uint32_t stride_of(size_t labels);

// Weights of a model, float32 or (copied to `wide`) float16. Throws InputFault for a weight that is not finite.
std::span<const float> read_weights(const Tensors& tensors, const std::string& name, std::vector<float>& wide);
// Throw InputFault for a weight that is infinite or not a number, after training or in the array `name` of a file.
void require_finite(const std::vector<float>& weights);
std::span<const float> require_finite(std::span<const float> weights, const std::string& name);
// Whether the pairs (feature, number) increase and are below these bounds.
template <class Number>
bool are_sorted(const std::vector<uint32_t>& features, size_t feature_count, const std::vector<Number>& numbers, size_t bound) {
    for (size_t i = 0; i < features.size(); ++i) {
        if (features[i] >= feature_count || numbers[i] >= bound) return false;
        if (i > 0 && std::pair(features[i - 1], numbers[i - 1]) >= std::pair(features[i], numbers[i])) return false;
    }
    return true;
}

class ModelWeights {
public:
    ModelWeights() = default;
    // Reads the arrays features.weights and features.labels and the text "blocks". Throws InputFault for a damaged model.
    ModelWeights(const Tensors& tensors, size_t labels);

    const Blocks& blocks() const { return blocks_; }
    const float* weights() const { return weights_; }
    const uint16_t* cell_labels() const { return cell_labels_; }

    // Throws InputFault unless every number is below `base`, FrozenIndex::kNone, or `base` + the place of a block.
    void check_places(std::span<const uint32_t> numbers, uint32_t base, const char* index) const;

    // Writes the weights of make_blocks to a model, padded with zeros for reads of whole vectors.
    static void write(BlockWeights blocks, size_t labels, Tensors& to);

private:
    Blocks blocks_;
    const float* weights_ = nullptr;
    const uint16_t* cell_labels_ = nullptr;
    std::vector<uint16_t> wide_labels_;  // if the file has one byte for each
    std::vector<float> wide_weights_;    // if the file has float16
};

// Labels of a model. Throws InputFault for a file that is no model, or of another version.
std::vector<std::string> read_labels(const Tensors& tensors);
void write_labels(const std::vector<std::string>& labels, Tensors& to);

// The bytes of a model file: its texts and arrays with those of `more`. With `half`, weights are float16.
std::string write_model(const Tensors& model, const Tensors& more, bool half);

}  // namespace tagpool
