// Calibration of the step size of stochastic trainers: the step with the least loss in a trial on a sample of the sentences.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.hpp"

namespace tagpool {

// reached(step, bound) runs a trial and returns its loss, or infinity as soon as it exceeds `bound` or is not a number. Tries steps by factors
// of two, first up, then down. Returns 0 if no step has a finite loss.
template <class Reached>
double best_step(double first, Reached&& reached) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    double best = 0, least = kNone;
    const auto better = [&](double step) {
        const double loss = reached(step, least);
        if (!(loss < least)) return false;
        best = step;
        least = loss;
        return true;
    };
    better(first);
    for (int power = 1; power <= 12 && best > 0 && better(first * std::exp2(power)); ++power) {}
    if (best > first) return best;
    for (int power = 1; power <= 30 && (better(first * std::exp2(-power)) || best == 0); ++power) {}
    return best;
}

// Sets `step` to the best of the trials, 0 if all failed. pass(bound) trains on the sample once with `step` and returns its loss as above;
// undo() restores the weights, also after an exception.
template <class Pass, class Undo>
void calibrate_step(double& step, Pass&& pass, Undo&& undo_passes) {
    const auto undo = [&] {
        undo_passes();
        step = 0;
    };
    step = best_step(0.1, [&](double tried, double bound) {
        try {
            step = tried;
            // Compare second passes: the first depends mostly on the start.
            double loss = pass(std::numeric_limits<double>::infinity());
            if (std::isfinite(loss)) loss = pass(bound);
            undo();
            return loss;
        } catch (...) {
            undo();
            throw;
        }
    });
}

// Sentences of a trial: some trials take less time than an epoch, unless the set is small.
inline std::vector<uint32_t> calibration_sample(size_t sentences, uint64_t seed) {
    std::vector<uint32_t> sample = Random(seed).permutation(sentences);
    sample.resize(std::min(sentences, std::min<size_t>(std::max<size_t>(sentences / 16, 125), 500)));
    return sample;
}

}  // namespace tagpool
