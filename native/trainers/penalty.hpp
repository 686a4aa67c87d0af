// Penalty: a regulariser with lazy proximal steps. A step is only recorded. A group of weights that occurs again receives all missed steps
// at once, in closed form.
//
// l1, l2, elastic and group shrink a size m (of a weight, or the norm of a group) by m <- (m - e_i l)/(1 + e_i r), so that
//     n steps:  m <- (m - sum_i e_i l P_{i-1}) / P_n,   P_i = prod_{j <= i} (1 + e_j r).
// elitist: while all its k nonzero weights stay so, a group's sum s falls by the factor 1 - c_i k, c_i = e_i l / (1 + e_i l K), K = k (or the
// size of the group if approximate), and each of them by an equal part of that loss. Between two weights that become zero the steps are one
// product; bisection finds the step at which a weight becomes zero.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tagpool {

class Penalty {
public:
    enum class Kind { weight, group, elitist, elitist_approximate };

    // `strength` is l above, `ridge` is r (not for the elitist kinds). `size` is that of the largest group; smaller groups are padded with zeros.
    Penalty(Kind kind, double strength, double ridge, size_t size);

    // Records a step e.
    void step(double length);
    size_t steps() const { return lengths_.size(); }
    // Whether restart() is due: the products are close to overflow or underflow.
    bool is_full() const { return products_.back() > 1e100 || remains_.back() < 1e-100; }
    // Applies all steps from number `since` on to a group.
    void apply_missed_steps(double* group, size_t count, size_t since) const;
    // The same for groups of one weight of each expert (elitist kinds, or l1): group i has members[m][i] for every m below the size of the
    // largest group, which is at most kMaxExperts. `pooled` holds their pending gradient:
    //     members[m] -= step_sizes[m] * pooled,  the steps,  pooled = sum_m alpha[m] * members[m].
    void update_experts(double* const* members, size_t count, size_t since, const double* step_sizes, const double* alpha, double* pooled) const;
    // Forgets the steps, after all groups have received them.
    void restart();

private:
    void apply_elitist(double* group, size_t count, size_t since) const;
    double decay(size_t step, size_t nonzero) const { return decays_[step * size_ + nonzero - 1]; }

    Kind kind_;
    double strength_, ridge_;
    size_t size_;
    std::vector<double> lengths_;
    std::vector<double> products_, thresholds_;  // P and the sum above after each number of steps
    // For every step and k: e l / (1 + e l K); and after each number of steps -log of the product of factors, the product, its inverse.
    std::vector<double> factors_, decays_, remains_, inverses_;
};

// By name: "l1", "l2", "elastic", "group", "elitist", "elitist-approximate". `ridge` is the l2 part of elastic (and group).
Penalty penalty_of(const std::string& name, double strength, double ridge, size_t size);

}  // namespace tagpool
