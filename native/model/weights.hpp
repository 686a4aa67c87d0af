// ModelWeights: the weights of a model, used in place in its file, in blocks (blocks.hpp).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/blocks.hpp"
#include "features/frozen_index.hpp"
#include "base/tensors.hpp"

namespace tagpool {

constexpr int kModelVersion = 2;  // 2: features with equal weights share them

// Labels rounded up to whole vectors. Throws InputFault for none, or too many.
uint32_t stride_of(size_t labels);

class ModelWeights {
public:
    ModelWeights() = default;
    // Reads the arrays features.weights and features.labels and the text "blocks". Throws InputFault for a damaged model.
    ModelWeights(const Tensors& tensors, size_t labels);

    const Blocks& blocks() const { return blocks_; }
    const float* weights() const { return weights_; }
    const uint16_t* pair_labels() const { return pair_labels_; }

    // Writes the weights of make_blocks to a model, padded with zeros for reads of whole vectors.
    static void write(BlockWeights made_of, size_t labels, Tensors& to);

private:
    Blocks blocks_;
    const float* weights_ = nullptr;
    const uint16_t* pair_labels_ = nullptr;
    std::vector<uint16_t> wide_labels_;  // if the file has one byte for each
    std::vector<float> wide_weights_;    // if the file has float16
};

// Labels of a model. Throws InputFault for a file that is no model, or of another version.
std::vector<std::string> read_labels(const Tensors& tensors);
void write_labels(const std::vector<std::string>& labels, Tensors& to);

// The bytes of a model file: its texts and arrays with those of `more`. With `half`, weights are float16.
std::string write_model(const Tensors& own, const Tensors& more, bool half);

}  // namespace tagpool
