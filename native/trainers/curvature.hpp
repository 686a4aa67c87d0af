// Curvature: the last few steps s_i of a minimiser and the changes y_i of the gradient they made, and from them the direction -H v of
// limited-memory BFGS (Nocedal and Wright, algorithm 7.4).
//
// The two loops of that algorithm only need products of the vectors with each other. They are kept, and one pass over the vectors brings
// them up to date after a step; the loops then run over a few numbers, and a second pass writes the direction, which is a sum of
// the vectors (Chen, Wang and Zhou 2014). The plain loops pass over two vectors for each pair, twice.
//
// The vectors are kept in single precision, which halves the largest part of a minimiser's memory. They only choose the direction:
// points, values and gradients are in double precision, and a step is what was really made.
#pragma once
#include <cstddef>
#include <vector>

#include "base/aligned.hpp"

namespace tagpool {

class Curvature {
public:
    Curvature(size_t size, size_t pairs, unsigned threads);

    bool empty() const { return pairs_.empty(); }

    // Forgets everything; the next direction is -v.
    void restart(const double* v);

    // Writes the direction -H v and returns v . (-H v). `v` is the one given to restart or accept. The direction lies where the step will,
    // in the place of the oldest pair.
    double direct(const double* v);
    float* direction() { return steps_[slot_].data(); }

    // The step was `scale` times the direction and led from `gradient` to `next`; `v` is what the next direction is to come from. The two
    // change places. A pair without positive curvature is dropped.
    void accept(double scale, AlignedVector<double>& gradient, AlignedVector<double>& next, const double* v);

private:
    struct Pair {
        size_t slot;
        double scale;
    };
    const Pair& pair(size_t age) const { return pairs_[pairs_.size() - 1 - age]; }  // 0: the newest
    size_t free_slot() const;
    double& step_change(size_t step, size_t change) { return step_change_[step * capacity_ + change]; }
    double& change_change(size_t a, size_t b) { return change_change_[a * capacity_ + b]; }

    size_t size_, capacity_;
    unsigned threads_;
    size_t slot_ = 0;                                   // where the direction is
    std::vector<Pair> pairs_;                           // the oldest first
    std::vector<AlignedVector<float>> steps_, changes_;  // by slot; a step is pair.scale * steps_[pair.slot]
    std::vector<double> step_change_, change_change_;   // s_i . y_j, y_i . y_j, by slot
    std::vector<double> step_v_, change_v_;             // s_i . v, y_i . v, by slot
    double v_v_ = 0;
};

}  // namespace tagpool
