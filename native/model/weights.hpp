// ModelWeights: the weights of a model where its file has them, in blocks (blocks.hpp), checked and ready for the kernels.
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
    // From the arrays features.weights and features.labels and the text "blocks". Throws InputFault where they cannot be.
    ModelWeights(const Tensors& tensors, size_t labels);

    const Blocks& blocks() const { return blocks_; }
    const float* weights() const { return weights_; }
    const uint16_t* pair_labels() const { return pair_labels_; }

    // Puts weights into a model: those of make_blocks, behind which zeros follow for vectors that are read whole.
    static void write(BlockWeights made_of, size_t labels, Tensors& to);

private:
    Blocks blocks_;
    const float* weights_ = nullptr;
    const uint16_t* pair_labels_ = nullptr;
    std::vector<uint16_t> wide_labels_;  // where the file keeps them in one byte each
    std::vector<float> wide_weights_;    // where the file keeps them as float16
};

// What every model file begins with: its labels. Throws InputFault for files that are no models of this version.
std::vector<std::string> read_labels(const Tensors& tensors);
void write_labels(const std::vector<std::string>& labels, Tensors& to);

// A model as a file, with more text and arrays beside what it is made of. Half precision keeps weights as float16.
std::string write_model(const Tensors& own, const Tensors& more, bool half);

}  // namespace tagpool
