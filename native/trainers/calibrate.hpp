// The step of a stochastic trainer: the one with which a trial on a sample of the sentences meets the least loss.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace tagpool {

// reached(step, bound) runs a trial and returns its loss, or infinity as soon as that is above `bound` or not a number. Steps are tried by
// factors of two, up first and then down. Returns 0 if no step gives a finite loss.
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

// Sets `step` to the best of those tried, 0 if there is none. pass(bound) goes over the sample once with `step` and returns its loss as
// above; take_back() undoes what passes did, whether they end or throw.
template <class Pass, class TakeBack>
void calibrate_step(double& step, Pass&& pass, TakeBack&& take_back) {
    const auto undo = [&] {
        take_back();
        step = 0;
    };
    step = best_step(0.1, [&](double tried, double bound) {
        try {
            step = tried;
            // The first pass is all storm: what counts is how well the second one does.
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

// The sentences of a trial: few enough that a handful of trials costs less than an epoch, unless the whole set is small.
inline std::vector<uint32_t> calibration_sample(size_t sentences, uint64_t seed) {
    std::vector<uint32_t> sample(sentences);
    std::iota(sample.begin(), sample.end(), 0u);
    Random(seed).shuffle(sample);
    sample.resize(std::min(sentences, std::min<size_t>(std::max<size_t>(sentences / 16, 125), 500)));
    return sample;
}

}  // namespace tagpool
