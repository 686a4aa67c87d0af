// Places: the order of weights in memory. First those of shared features (rows, then single ones), those of the others (the same), transitions
// (labels rows), start and end (one row each), transition cells.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tagpool {

class Places {
public:
    uint32_t labels() const { return labels_; }
    uint32_t stride() const { return stride_; }  // labels, rounded up to whole vectors (TrainingOptions::row_unit)
    size_t shared_count() const { return shared_count_; }
    size_t shared_rows_end() const { return shared_rows_end_; }
    size_t part_rows_end() const { return part_rows_end_; }
    bool is_in_row(size_t place) const { return place < shared_rows_end_ || (place >= shared_count_ && place < part_rows_end_); }
    size_t row_count() const { return (shared_rows_end_ + (part_rows_end_ - shared_count_)) / stride_; }
    size_t transitions_begin() const { return transitions_begin_; }
    size_t start_begin() const { return transitions_begin() + size_t{labels_} * stride_; }
    size_t end_begin() const { return start_begin() + stride_; }
    size_t transition_cells_begin() const { return end_begin() + stride_; }
    size_t weight_count() const { return transition_cells_begin() + padded(transition_cell_count_); }
    // Everything from the transitions on; and without the transition cells, of which a sentence has few.
    size_t edge_size() const { return weight_count() - transitions_begin(); }
    size_t common_edge_size() const { return transition_cells_begin() - transitions_begin(); }
    size_t cell_count() const { return cell_count_; }
    bool all_cells() const { return all_cells_; }

protected:
    static constexpr uint32_t kVector = 8;  // weights in the widest vector of the kernels, for either precision

    static size_t rounded_up(size_t count, size_t unit) { return (count + unit - 1) / unit * unit; }
    // Rounds up to whole vectors.
    static size_t padded(size_t count) { return rounded_up(count, kVector); }

    uint32_t labels_ = 0, stride_ = 0;
    bool all_cells_ = true;
    size_t shared_rows_end_ = 0, shared_count_ = 0, part_rows_end_ = 0, transitions_begin_ = 0, transition_cell_count_ = 0, cell_count_ = 0;
};

}  // namespace tagpool
