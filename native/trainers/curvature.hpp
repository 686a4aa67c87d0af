// Curvature: the last few steps s_i of a minimiser and the changes y_i of the gradient, and from them the direction -H v of
// limited-memory BFGS (Nocedal and Wright, algorithm 7.4).
//
// The two loops of that algorithm need only inner products of the vectors. One pass over the vectors updates the products after a step, the
// loops run over these few numbers, and a second pass writes the direction, a sum of the vectors (Chen, Wang and Zhou 2014). The
// plain loops would pass over two vectors for each pair, twice.
//
// The vectors are in single precision, which halves the largest part of the memory. They only choose the direction: points, values and
// gradients are in double precision.
#pragma once
#include <cstddef>
#include <vector>

#include "base/aligned.hpp"
#include "base/state.hpp"

namespace tagpool {

class Curvature {
public:
    Curvature(size_t size, size_t pairs, unsigned threads);

    bool empty() const { return pairs_.empty(); }

    // Forgets everything; the next direction is -v.
    void restart(const double* v);

    // Writes the direction -H v and returns v . (-H v). `v` is the argument of the last restart or accept. The direction is stored in the slot of
    // the next step, that of the oldest pair.
    double compute_direction(const double* v);
    float* direction() { return steps_[slot_].data(); }

    // Stores the step, `scale` times the direction, from `gradient` to `next`, and swaps the two; `v` is for the next direction. A pair without
    // positive curvature is dropped.
    void accept(double scale, AlignedVector<double>& gradient, AlignedVector<double>& next, const double* v);

    // Writes or reads the state after accept (state.hpp).
    void visit_state(StateWriter& state);
    void visit_state(StateReader& state);

private:
    template <class State>
    void visit_vectors(State& state);

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
    size_t slot_ = 0;                                    // where the direction is
    std::vector<Pair> pairs_;                            // the oldest first
    std::vector<AlignedVector<float>> steps_, changes_;  // by slot; a step is pair.scale * steps_[pair.slot]
    std::vector<double> step_change_, change_change_;    // s_i . y_j, y_i . y_j, by slot
    std::vector<double> step_v_, change_v_;              // s_i . v, y_i . v, by slot
    double v_v_ = 0;
};

}  // namespace tagpool
