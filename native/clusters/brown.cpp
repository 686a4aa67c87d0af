#include "clusters/brown.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "clusters/merge_losses.hpp"

namespace tagpool {
namespace {

class Clustering {
public:
    Clustering(const Bigrams& text, size_t clusters)
        : text_(text), losses_(clusters + 1), parent_(text.size()), cluster_of_(text.size(), kNone), counts_(clusters + 1) {
        std::iota(parent_.begin(), parent_.end(), 0u);
    }

    // Words come in the order of their numbers.
    void add_word() {
        const auto word = static_cast<uint32_t>(added_++), fresh = static_cast<uint32_t>(losses_.size());
        uint32_t itself = 0;
        gather(text_.after, word, after_, &itself);
        gather(text_.before, word, before_, nullptr);
        cluster_of_[word] = fresh;
        members_.push_back({word, word, static_cast<uint64_t>(text_.counts[word])});
        losses_.add(after_, before_, itself);
    }

    std::pair<uint32_t, uint32_t> join_cheapest() {
        auto [into, from] = losses_.cheapest();
        // The table changes with the neighbours of what is added to the other, so that had better be the smaller one.
        if (members_[into].tokens < members_[from].tokens) std::swap(into, from);
        losses_.join(into, from);
        Cluster &kept = members_[into], gone = members_[from];
        std::pair<uint32_t, uint32_t> nodes = {kept.node, gone.node};
        if (gone.first_word < kept.first_word) std::swap(nodes.first, nodes.second);
        parent_[gone.root] = kept.root;
        kept.node = static_cast<uint32_t>(text_.size() + joined_++);
        kept.first_word = std::min(kept.first_word, gone.first_word);
        kept.tokens += gone.tokens;
        if (from != members_.size() - 1) {
            members_[from] = members_.back();
            cluster_of_[members_[from].root] = from;
        }
        members_.pop_back();
        return nodes;
    }

    size_t size() const { return losses_.size(); }
    size_t joined() const { return joined_; }

private:
    static constexpr uint32_t kNone = UINT32_MAX;

    struct Cluster {
        Cluster(uint32_t word, uint32_t first, uint64_t count) : root(word), node(word), first_word(first), tokens(count) {}
        uint32_t root;        // the word that stands for it
        uint32_t node;        // of what was joined
        uint32_t first_word;  // the most frequent one
        uint64_t tokens;
    };

    uint32_t root_of(uint32_t word) {
        while (parent_[word] != word) word = parent_[word] = parent_[parent_[word]];
        return word;
    }

    // The clusters beside a word that is not one of them yet; words that come later are not there yet.
    void gather(const Neighbours& from, uint32_t word, Beside& to, uint32_t* itself) {
        to.clear();
        for (uint64_t i = from.starts[word]; i < from.starts[word + 1] && from.words[i] <= word; ++i) {
            if (from.words[i] == word) {
                if (itself) *itself = from.counts[i];
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
    std::vector<Cluster> members_;
    std::vector<uint32_t> counts_;
    Beside after_, before_;
    size_t added_ = 0, joined_ = 0;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> brown_merges(const Bigrams& text, size_t clusters, const std::function<void(size_t)>& report) {
    clusters = std::min(clusters, text.size());
    constexpr size_t kOften = 16;
    Clustering clustering(text, clusters);
    std::vector<std::pair<uint32_t, uint32_t>> merges;
    const auto join = [&] {
        merges.push_back(clustering.join_cheapest());
        if (merges.size() % kOften == 0) report(merges.size());
    };
    for (size_t word = 0; word < text.size(); ++word) {
        clustering.add_word();
        if (clustering.size() > clusters) join();
        else if (word % kOften == 0) report(0);
    }
    while (clustering.size() > 1) join();
    return merges;
}

}  // namespace tagpool
