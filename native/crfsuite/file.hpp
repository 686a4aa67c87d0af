// CrfsuiteFile: reads a CRFsuite model file in place, and writes one. docs/reference/crfsuite-format.md describes the format.
//
// The constructor reads only headers, so that large models open at once. Everything else is checked when it is read. A damaged file throws
// InputFault.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/portable.hpp"
#include "crfsuite/cqdb.hpp"

namespace tagpool {

class CrfsuiteFile {
public:
    // Weight of (attribute, label), or of a label bigram.
    struct Weight {
        uint32_t type, from, to;
        double value;
    };
    static constexpr uint32_t kState = 0, kTransition = 1;

    // `bytes` must outlive the object.
    explicit CrfsuiteFile(std::string_view bytes);

    // File header: size, version, counts and offsets.
    struct Head {
        uint32_t size, version, features, labels, attributes, at_features, at_labels, at_attributes, at_label_references, at_attribute_references;
    };
    const Head& head() const { return head_; }
    const Cqdb& labels() const { return labels_; }
    const Cqdb& attributes() const { return attributes_; }
    uint32_t label_count() const { return head_.labels; }
    uint32_t attribute_count() const { return head_.attributes; }
    uint32_t weight_count() const { return weight_count_; }
    Weight weight(uint32_t number) const;

    // Weight numbers of an attribute, or of a label as the first of a bigram; little-endian, four bytes each.
    struct Numbers {
        const char* begin;
        uint32_t count;
        uint32_t operator[](uint32_t i) const { return read_u32(begin + size_t{i} * 4); }
    };
    Numbers of_attribute(uint32_t attribute) const { return numbers(attribute_references_, attribute); }
    Numbers of_label(uint32_t label) const { return numbers(label_references_, label); }

    // Prefetch the memory of the next step, for batches of attributes.
    void prefetch_reference(uint32_t attribute) const { prefetch_line(bytes_.data() + attribute_references_.begin + size_t{attribute} * 4); }
    void prefetch_numbers(uint32_t attribute) const {
        prefetch_line(bytes_.data() + read_u32(bytes_.data() + attribute_references_.begin + size_t{attribute} * 4));
    }
    void prefetch_weight(uint32_t number) const { prefetch_line(bytes_.data() + weights_begin_ + size_t{number} * kWeightSize); }

private:
    static constexpr size_t kHeadSize = 48, kChunkHead = 12, kWeightSize = 20;
    struct References {
        size_t begin;
        uint32_t count;
    };

    // Position of the entries of a chunk, `unit` bytes each.
    References chunk(uint32_t at, const char* name, size_t unit) const;
    Numbers numbers(const References& references, uint32_t which) const;
    std::string_view from(uint32_t at) const;

    std::string_view bytes_;
    Head head_{};
    Cqdb labels_, attributes_;
    References label_references_{}, attribute_references_{};
    size_t weights_begin_ = 0;
    uint32_t weight_count_ = 0;
};

// Contents of a file to write. Cells are sorted by attribute, then label. Weights of 0, and attributes without other weights, are not
// written.
struct CrfsuiteWeights {
    std::span<const std::string_view> labels, attributes;
    std::span<const uint32_t> cell_attributes;
    std::span<const uint16_t> cell_labels;
    std::span<const double> cell_weights;
    std::span<const double> transitions;  // [L][L]
};
std::string write_crfsuite(const CrfsuiteWeights& weights);

}  // namespace tagpool
