#include "clusters/brown.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "clusters/merge_losses.hpp"

namespace tagpool {
namespace {

// Clustering: the clusters of the words added so far; words are in a disjoint-set forest.
class Clustering {
public:
    Clustering(const Bigrams& text, size_t clusters)
        : text_(text), losses_(clusters + 1), parent_(text.size()), cluster_of_(text.size(), kNone), counts_(clusters + 1) {
        std::iota(parent_.begin(), parent_.end(), 0u);
    }

    // Adds the next word, in the order of word numbers, as a cluster.
    void add_word() {
        const auto word = static_cast<uint32_t>(added_++), cluster = static_cast<uint32_t>(losses_.size());
        uint32_t self_count = 0;
        count_clusters(text_.after, word, after_, &self_count);
        count_clusters(text_.before, word, before_, nullptr);
        cluster_of_[word] = cluster;
        clusters_.push_back({word, word, word, text_.counts[word]});
        losses_.add(after_, before_, self_count);
    }

    std::pair<uint32_t, uint32_t> merge_cheapest() {
        auto [into, from] = losses_.cheapest();
        // The time depends on the neighbours of `from`, so that is the smaller cluster.
        if (clusters_[into].tokens < clusters_[from].tokens) std::swap(into, from);
        losses_.merge(into, from);
        Cluster &target = clusters_[into], source = clusters_[from];
        std::pair<uint32_t, uint32_t> nodes = {target.node, source.node};
        if (source.first_word < target.first_word) std::swap(nodes.first, nodes.second);
        parent_[source.root] = target.root;
        target.node = static_cast<uint32_t>(text_.size() + merged_++);
        target.first_word = std::min(target.first_word, source.first_word);
        target.tokens += source.tokens;
        if (from != clusters_.size() - 1) {
            clusters_[from] = clusters_.back();
            cluster_of_[clusters_[from].root] = from;
        }
        clusters_.pop_back();
        return nodes;
    }

    size_t size() const { return losses_.size(); }

private:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Cluster {
        uint32_t root;        // the word that stands for it
        uint32_t node;        // of the last merge, or the word
        uint32_t first_word;  // the most frequent one
        uint64_t tokens;
    };

    uint32_t root_of(uint32_t word) {
        while (parent_[word] != word) word = parent_[word] = parent_[parent_[word]];
        return word;
    }

    // Counts the clusters next to a word on one side, ignoring words that are not added yet. `self` receives the count of the word itself.
    void count_clusters(const Neighbours& from, uint32_t word, ClusterCounts& to, uint32_t* self) {
        to.clear();
        for (uint64_t i = from.starts[word]; i < from.starts[word + 1] && from.words[i] <= word; ++i) {
            if (from.words[i] == word) {
                if (self) *self = from.counts[i];
                continue;
            }
            const uint32_t cluster = cluster_of_[root_of(from.words[i])];
            if (counts_[cluster] == 0) to.emplace_back(cluster, 0);
            counts_[cluster] += from.counts[i];
        }
        for (auto& [cluster, count] : to) count = std::exchange(counts_[cluster], 0);
    }

    const Bigrams& text_;
    MergeLosses losses_;
    std::vector<uint32_t> parent_, cluster_of_;
    std::vector<Cluster> clusters_;
    std::vector<uint32_t> counts_;
    ClusterCounts after_, before_;
    size_t added_ = 0, merged_ = 0;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> brown_merges(const Bigrams& text, size_t clusters, const std::function<void(size_t)>& report) {
    clusters = std::min(clusters, text.size());
    constexpr size_t kReportInterval = 16;
    Clustering clustering(text, clusters);
    std::vector<std::pair<uint32_t, uint32_t>> merges;
    const auto merge = [&] {
        merges.push_back(clustering.merge_cheapest());
        if (merges.size() % kReportInterval == 0) report(merges.size());
    };
    for (size_t word = 0; word < text.size(); ++word) {
        clustering.add_word();
        if (clustering.size() > clusters) merge();
        else if (word % kReportInterval == 0) report(0);
    }
    while (clustering.size() > 1) merge();
    return merges;
}

}  // namespace tagpool
