// Cells: the weights of a CRFsuite model, one per attribute with a label, and one per label bigram.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crfsuite/instances.hpp"

namespace tagpool {

struct CellOptions {
    double minimum = 0;            // of the frequency of a cell, which is the sum of its values
    bool all_labels = false;       // every attribute has a cell with every label
    bool all_transitions = false;  // every label bigram has a weight
};

class Cells {
public:
    // The cells that occur in these sentences.
    Cells(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options);
    // Given cells, sorted by attribute, and all transitions.
    Cells(const Instances& instances, std::span<const uint32_t> attributes, std::span<const uint16_t> labels);

    size_t label_count() const { return label_count_; }
    size_t attribute_count() const { return starts_.size() - 1; }
    // The cells of an attribute are [begin(a), begin(a + 1)), in the order of labels.
    size_t begin(size_t attribute) const { return starts_[attribute]; }
    size_t size() const { return labels_.size(); }
    size_t label(size_t cell) const { return labels_[cell]; }
    // Transitions follow the cells in arrays of weights, as an [L][L] matrix.
    bool has_transition(size_t from, size_t to) const { return transitions_[from * label_count_ + to]; }
    size_t transition(size_t from, size_t to) const { return size() + from * label_count_ + to; }
    size_t weight_count() const { return size() + label_count_ * label_count_; }
    // Number of weights without absent transitions.
    size_t feature_count() const { return size() + transition_count_; }

    static constexpr size_t kNone = SIZE_MAX;
    size_t find(size_t attribute, size_t label) const {
        const size_t first = begin(attribute), last = begin(attribute + 1);
        if (last - first == label_count_) return first + label;
        for (size_t cell = first; cell < last; ++cell)
            if (labels_[cell] == label) return cell;
        return kNone;
    }

private:
    void add_cells(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options);
    void add_transitions(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options);

    size_t label_count_, transition_count_ = 0;
    std::vector<uint32_t> starts_;      // an [A + 1] array
    std::vector<uint16_t> labels_;      // a [cells] array
    std::vector<uint8_t> transitions_;  // an [L][L] matrix of flags
};

}  // namespace tagpool
