#include "pools/opinion.hpp"

#include <algorithm>

#include "base/sum.hpp"
#include "base/thread_pool.hpp"
#include "chain/chain.hpp"

namespace tagpool {
namespace {

constexpr size_t kParts = 32;  // fixed and summed in order, so that the number of threads changes no bit

double dot(const double* a, const double* b, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

class Part {
public:
    Part(const ScoredSentences& scored, const double* weights) : scored_(scored), weights_(weights), gradient(scored.members.size()) {
        start_ = weighted_sum(0, scored.labels, [](const MemberScores& member) { return member.start; });
        end_ = weighted_sum(0, scored.labels, [](const MemberScores& member) { return member.end; });
        if (!scored.vary) edges_ = weighted_sum(0, scored.labels * scored.labels, [](const MemberScores& member) { return member.edges; });
    }

    void add(size_t sentence) {
        const size_t L = scored_.labels, begin = scored_.offsets[sentence], T = scored_.offsets[sentence + 1] - begin;
        const size_t first_edge = scored_.vary ? (begin + 1) * L * L : 0;  // the edges into token t have index t
        const auto nodes = weighted_sum(begin * L, T * L, [](const MemberScores& member) { return member.nodes; });
        if (scored_.vary) edges_ = weighted_sum(first_edge, (T - 1) * L * L, [](const MemberScores& member) { return member.edges; });
        const Edges edges(edges_.data(), L, scored_.vary);
        const Chain chain{&edges, nodes.data(), T, start_.data(), end_.data()};
        const Messages messages(chain);
        const int32_t* const gold = scored_.gold + begin;
        value.add(log_probability(chain, messages, gold));

        std::vector<double> at(T * L), bigrams((T - 1) * L * L);
        marginals(chain, messages, at.data());
        bigram_marginals(chain, messages, at.data(), bigrams.data());
        // Observed minus expected counts of labels and bigrams. Bigrams are summed over the tokens if edges do not vary.
        for (double& count : at) count = -count;
        for (double& count : bigrams) count = -count;
        for (size_t t = 0; t < T; ++t) {
            const auto label = static_cast<size_t>(gold[t]);
            at[t * L + label] += 1.0;
            if (t > 0) bigrams[((t - 1) * L + static_cast<size_t>(gold[t - 1])) * L + label] += 1.0;
        }
        if (!scored_.vary)
            for (size_t t = 1; t + 1 < T; ++t)
                for (size_t i = 0; i < L * L; ++i) bigrams[i] += bigrams[t * L * L + i];
        const size_t bigram_count = T == 1 ? 0 : scored_.vary ? (T - 1) * L * L : L * L;
        for (size_t j = 0; j < gradient.size(); ++j) {
            const MemberScores& member = scored_.members[j];
            gradient[j].add(dot(at.data(), member.nodes + begin * L, T * L));
            gradient[j].add(dot(at.data(), member.start, L));
            gradient[j].add(dot(at.data() + (T - 1) * L, member.end, L));
            gradient[j].add(dot(bigrams.data(), member.edges + first_edge, bigram_count));
        }
    }

private:
    template <class Pick>
    std::vector<double> weighted_sum(size_t from, size_t count, Pick&& pick) const {
        std::vector<double> out(count, 0.0);
        for (size_t j = 0; j < scored_.members.size(); ++j) {
            const double* const scores = pick(scored_.members[j]) + from;
            for (size_t i = 0; i < count; ++i) out[i] += weights_[j] * scores[i];
        }
        return out;
    }

    const ScoredSentences& scored_;
    const double* weights_;
    std::vector<double> start_, end_, edges_;

public:
    Sum value{0.0};
    std::vector<Sum> gradient;
};

}  // namespace

double pool_likelihood(const ScoredSentences& scored, const double* weights, unsigned threads, double* gradient) {
    const size_t count = std::min(kParts, std::max<size_t>(scored.sentences, 1));
    std::vector<Part> parts(count, Part(scored, weights));
    parallel_for(count, threads, [&](size_t part, unsigned) {
        const size_t last = scored.sentences * (part + 1) / count;
        for (size_t sentence = scored.sentences * part / count; sentence < last; ++sentence) parts[part].add(sentence);
    });
    Sum value(0.0);
    std::vector<Sum> sums(scored.members.size());
    for (const Part& part : parts) {
        value.add(part.value.value());
        for (size_t j = 0; j < sums.size(); ++j) sums[j].add(part.gradient[j].value());
    }
    for (size_t j = 0; j < sums.size(); ++j) gradient[j] = sums[j].value();
    return value.value();
}

}  // namespace tagpool
