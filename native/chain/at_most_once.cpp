// The best sequence that enters no group of labels twice: exact search over (token, groups entered so far, label).
//
//   values_t(m, i) = node_t(i) + max_j (edge(i, j) + values_{t+1}(m', j)),  m' = m where j goes on with i's group,
//                                                                          m ∪ {group of j} where it enters it anew
// That doubles with every group. But a group that the best sequence enters once anyway need not be watched: the search begins
// without any, and adds those that are entered twice until none is. The first result that breaks no rule is the best one, and
// the lexicographically smallest of the best, since it is that among more sequences.
#include <algorithm>
#include <string>

#include "chain/chain.hpp"
#include "chain/recursions.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr size_t kMostValues = size_t{1} << 27;  // a gigabyte

bool goes_on(const Once& once, size_t before, size_t label, size_t L) {
    return once.group_of[before] == once.group_of[label] && once.continues[before * L + label];
}

// Marks the groups that a sequence enters more than once; false if there are none.
bool mark_broken(const Chain& chain, const Once& once, const int32_t* sequence, std::vector<uint8_t>& watched) {
    std::vector<uint8_t> entered(once.groups);
    bool broken = false;
    for (size_t t = 0; t < chain.tokens; ++t) {
        const size_t label = static_cast<size_t>(sequence[t]);
        if (once.group_of[label] < 0) continue;
        if (t > 0 && goes_on(once, static_cast<size_t>(sequence[t - 1]), label, chain.labels())) continue;
        const size_t group = static_cast<size_t>(once.group_of[label]);
        if (entered[group]) broken = watched[group] = 1;
        entered[group] = 1;
    }
    return broken;
}

// The watched groups as bits.
struct Watch {
    std::vector<size_t> bit;  // by label; 0: none
    size_t masks;
};

Watch watch(const Once& once, const std::vector<uint8_t>& watched) {
    std::vector<size_t> bit_of(once.groups);
    size_t bits = 0;
    for (size_t g = 0; g < once.groups; ++g)
        if (watched[g]) bit_of[g] = size_t{1} << bits++;
    Watch out{std::vector<size_t>(once.group_of.size()), size_t{1} << bits};
    for (size_t i = 0; i < once.group_of.size(); ++i)
        if (once.group_of[i] >= 0) out.bit[i] = bit_of[static_cast<size_t>(once.group_of[i])];
    return out;
}

// Edge scores [to][from], taken apart: those that enter a watched group, and the rest.
void take_apart(const Once& once, const Watch& watch, const double* into, size_t L, size_t P, double* stay, double* enter) {
    std::copy_n(into, L * P, stay);
    std::fill_n(enter, L * P, kForbidden);
    for (size_t j = 0; j < L; ++j) {
        if (!watch.bit[j]) continue;
        for (size_t i = 0; i < L; ++i)
            if (!goes_on(once, i, j, L)) std::swap(stay[j * P + i], enter[j * P + i]);
    }
}

}  // namespace

TAGPOOL_CLONES void completions_once(const Chain& chain, const Once& once, const Watch& watch, double* values) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width(), layer = watch.masks * P;
    std::vector<double> scratch(L * P), stay(L * P), enter(L * P), entering(P), through(P), node(P);
    for (size_t t = T; t-- > 0;) {
        chain.row(t, node.data());
        if (t + 1 < T && (chain.edges->vary || t + 2 == T))
            take_apart(once, watch, chain.edges->into(t + 1, scratch.data()), L, P, stay.data(), enter.data());
        for (size_t mask = 0; mask < watch.masks; ++mask) {
            double* const here = values + t * layer + mask * P;
            if (t + 1 == T) {
                std::copy(node.begin(), node.end(), here);
                continue;
            }
            const double* const next = values + (t + 1) * layer;
            best_before(stay.data(), next + mask * P, L, P, here);
            for (size_t j = 0; j < L; ++j)
                entering[j] = watch.bit[j] && !(mask & watch.bit[j]) ? next[(mask | watch.bit[j]) * P + j] : kForbidden;
            best_before(enter.data(), entering.data(), L, P, through.data());
            for (size_t i = 0; i < P; ++i) here[i] = node[i] + std::max(here[i], through[i]);
        }
    }
}

namespace {

double read_once(const Chain& chain, const Once& once, const Watch& watch, const double* values, int32_t* sequence) {
    const size_t L = chain.labels(), P = chain.width(), layer = watch.masks * P;
    double score = kForbidden;
    size_t label = 0, mask = 0;
    for (size_t i = 0; i < L; ++i) {
        if (values[watch.bit[i] * P + i] <= score) continue;
        score = values[watch.bit[i] * P + i];
        label = i;
    }
    if (score == kForbidden) return score;
    for (size_t t = 0;;) {
        sequence[t] = static_cast<int32_t>(label);
        mask |= watch.bit[label];
        if (++t == chain.tokens) return score;
        const double* const edge = chain.edges->row(t, label);
        const size_t from = label;
        double best = kForbidden;
        for (size_t j = 0; j < L; ++j) {
            if ((mask & watch.bit[j]) && !goes_on(once, from, j, L)) continue;
            const double through = edge[j] + values[t * layer + (mask | watch.bit[j]) * P + j];
            if (through <= best) continue;
            best = through;
            label = j;
        }
    }
}

}  // namespace

double best_sequence_once(const Chain& chain, const Once& once, int32_t* sequence) {
    ViterbiScratch scratch;
    double score = best_sequence(chain, scratch, sequence);
    std::vector<uint8_t> watched(once.groups);
    Buffer<double>& values = scratch.values;
    while (score != kForbidden && mark_broken(chain, once, sequence, watched)) {
        const size_t groups = static_cast<size_t>(std::count(watched.begin(), watched.end(), 1));
        if (groups >= 32 || chain.tokens * chain.width() > (kMostValues >> groups))
            throw InputFault("at_most_once: the best sequences enter " + std::to_string(groups) + " groups more than once over " +
                             std::to_string(chain.tokens) + " tokens, which needs more than a gigabyte to decide; name fewer "
                             "groups, fix some labels, or decode shorter sentences");
        const Watch bits = watch(once, watched);
        values.resize_uninitialized(chain.tokens * bits.masks * chain.width());
        completions_once(chain, once, bits, values.data());
        score = read_once(chain, once, bits, values.data(), sequence);
    }
    return score;
}

}  // namespace tagpool
