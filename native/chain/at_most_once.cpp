// The best sequence that enters no group of labels twice: exact search over (token, set of entered groups, label).
//
//   values_t(m, i) = node_t(i) + max_j (edge(i, j) + values_{t+1}(m', j)),  m' = m if j continues the group of i,
//                                                                          m ∪ {group of j} if j enters it
// The cost doubles with every tracked group. So the search begins with no tracked group, and adds those that the result enters twice.
// The first result without a repeated group is the best one, and the lexicographically smallest, since it is that among more sequences.
#include <algorithm>
#include <string>

#include "base/fault.hpp"
#include "chain/chain.hpp"
#include "chain/recursions.hpp"

namespace tagpool {
namespace {

constexpr size_t kMaxValues = size_t{1} << 27;  // 1 GiB

bool continues_group(const AtMostOnce& rule, size_t before, size_t label, size_t L) {
    return rule.group_of[before] == rule.group_of[label] && rule.continues[before * L + label];
}

// Marks the groups that a sequence enters more than once; returns false for a sequence without one.
bool mark_repeated(const Chain& chain, const AtMostOnce& rule, const int32_t* sequence, std::vector<uint8_t>& tracked) {
    std::vector<uint8_t> entered(rule.groups);
    bool repeated = false;
    for (size_t t = 0; t < chain.tokens; ++t) {
        const size_t label = static_cast<size_t>(sequence[t]);
        if (rule.group_of[label] < 0) continue;
        if (t > 0 && continues_group(rule, static_cast<size_t>(sequence[t - 1]), label, chain.labels())) continue;
        const size_t group = static_cast<size_t>(rule.group_of[label]);
        if (entered[group]) repeated = (tracked[group] = 1);
        entered[group] = 1;
    }
    return repeated;
}

// Sets of tracked groups as bit masks.
struct TrackedGroups {
    std::vector<size_t> bit;  // an [L] array: the bit of each label's group; 0: not tracked
    size_t masks;             // number of sets
};

TrackedGroups assign_bits(const AtMostOnce& rule, const std::vector<uint8_t>& tracked) {
    std::vector<size_t> bit_of(rule.groups);
    size_t bits = 0;
    for (size_t g = 0; g < rule.groups; ++g)
        if (tracked[g]) bit_of[g] = size_t{1} << bits++;
    TrackedGroups out{std::vector<size_t>(rule.group_of.size()), size_t{1} << bits};
    for (size_t i = 0; i < rule.group_of.size(); ++i)
        if (rule.group_of[i] >= 0) out.bit[i] = bit_of[static_cast<size_t>(rule.group_of[i])];
    return out;
}

// Splits the [L][P] edge scores [to][from] into those that enter a tracked group and the others.
void split_edges(const AtMostOnce& rule, const TrackedGroups& tracked, const double* edges, size_t L, size_t P, double* stay, double* enter) {
    std::copy_n(edges, L * P, stay);
    std::fill_n(enter, L * P, kForbidden);
    for (size_t j = 0; j < L; ++j) {
        if (!tracked.bit[j]) continue;
        for (size_t i = 0; i < L; ++i)
            if (!continues_group(rule, i, j, L)) std::swap(stay[j * P + i], enter[j * P + i]);
    }
}

}  // namespace

// `values` is a [T][masks][P] array; `scratch` has room for 3 (labels + 1) rows.
TAGPOOL_CLONES void complete_at_most_once(const Chain& chain, const AtMostOnce& rule, const TrackedGroups& tracked, double* scratch, double* values) {
    const size_t T = chain.tokens, L = chain.labels(), P = chain.width(), layer = tracked.masks * P;
    double *const stay = scratch + L * P, *const enter = stay + L * P, *const entering = enter + L * P, *const through = entering + P,
                  *const node = through + P;
    for (size_t t = T; t-- > 0;) {
        chain.row(t, node);
        if (t + 1 < T && (chain.edges->vary || t + 2 == T)) split_edges(rule, tracked, chain.edges->transposed(t + 1, scratch), L, P, stay, enter);
        for (size_t mask = 0; mask < tracked.masks; ++mask) {
            double* const current = values + t * layer + mask * P;
            if (t + 1 == T) {
                std::copy_n(node, P, current);
                continue;
            }
            const double* const next = values + (t + 1) * layer;
            max_plus_product(stay, next + mask * P, L, P, current);
            for (size_t j = 0; j < L; ++j)
                entering[j] = tracked.bit[j] && !(mask & tracked.bit[j]) ? next[(mask | tracked.bit[j]) * P + j] : kForbidden;
            max_plus_product(enter, entering, L, P, through);
            for (size_t i = 0; i < P; ++i) current[i] = node[i] + std::max(current[i], through[i]);
        }
    }
}

namespace {

double read_at_most_once(const Chain& chain, const AtMostOnce& rule, const TrackedGroups& tracked, const double* values, int32_t* sequence) {
    const size_t L = chain.labels(), P = chain.width(), layer = tracked.masks * P;
    double score = kForbidden;
    size_t label = 0, mask = 0;
    for (size_t i = 0; i < L; ++i) {
        if (values[tracked.bit[i] * P + i] <= score) continue;
        score = values[tracked.bit[i] * P + i];
        label = i;
    }
    if (score == kForbidden) return score;
    for (size_t t = 0;;) {
        sequence[t] = static_cast<int32_t>(label);
        mask |= tracked.bit[label];
        if (++t == chain.tokens) return score;
        const double* const edge = chain.edges->row(t, label);
        const size_t from = label;
        double best = kForbidden;
        for (size_t j = 0; j < L; ++j) {
            if ((mask & tracked.bit[j]) && !continues_group(rule, from, j, L)) continue;
            const double through = edge[j] + values[t * layer + (mask | tracked.bit[j]) * P + j];
            if (through <= best) continue;
            best = through;
            label = j;
        }
    }
}

}  // namespace

double best_sequence_at_most_once(const Chain& chain, const AtMostOnce& rule, int32_t* sequence) {
    ViterbiScratch scratch;
    double score = best_sequence(chain, scratch, sequence);
    std::vector<uint8_t> tracked(rule.groups);
    Buffer<double>& values = scratch.values;
    while (score != kForbidden && mark_repeated(chain, rule, sequence, tracked)) {
        const size_t groups = static_cast<size_t>(std::count(tracked.begin(), tracked.end(), 1));
        if (groups >= 32 || chain.tokens * chain.width() > (kMaxValues >> groups))
            throw InputFault("at_most_once: the best sequences enter " + std::to_string(groups) + " groups more than once over " +
                             std::to_string(chain.tokens) +
                             " tokens; the search needs more than 1 GiB; name fewer "
                             "groups, fix some labels, or decode shorter sentences");
        const TrackedGroups bits = assign_bits(rule, tracked);
        values.resize_uninitialized(chain.tokens * bits.masks * chain.width());
        std::vector<double> work(3 * (chain.labels() + 1) * chain.width());
        complete_at_most_once(chain, rule, bits, work.data(), values.data());
        score = read_at_most_once(chain, rule, bits, values.data(), sequence);
    }
    return score;
}

}  // namespace tagpool
