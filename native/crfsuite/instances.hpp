// Instances: training sentences of python-crfsuite's Trainer, added one by one.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "crfsuite/attributes.hpp"
#include "features/encoding.hpp"
#include "text/strings.hpp"

namespace tagpool {

class Instances {
public:
    // Adds a sentence with one label per token. `group` is for holding out sentences. Empty sentences are skipped.
    void add(const Attributes& sentence, const std::vector<std::string_view>& labels, int32_t group) {
        if (sentence.token_count() == 0) return;
        for (size_t token = 0; token < sentence.token_count(); ++token) {
            for (size_t i = sentence.begin(token); i < sentence.begin(token + 1); ++i)
                all_.append(attributes_.intern(sentence.text(i)), static_cast<float>(sentence.value(i)));
            all_.end_token();
            gold_.push_back(static_cast<int32_t>(labels_.intern(labels[token])));
        }
        all_.sentences.push_back(static_cast<uint32_t>(all_.token_count()));
        groups_.push_back(group);
    }

    const StringTable& attributes() const { return attributes_; }
    const StringTable& labels() const { return labels_; }
    const Encoding& all() const { return all_; }
    const std::vector<int32_t>& gold() const { return gold_; }
    const std::vector<int32_t>& groups() const { return groups_; }

    // Sentences inside or outside a group, with their labels.
    struct Part {
        Encoding encoding;
        std::vector<int32_t> gold;
    };
    Part part(int32_t group, bool of_group) const {
        Part out;
        for (size_t sentence = 0; sentence < groups_.size(); ++sentence) {
            if ((groups_[sentence] == group) != of_group) continue;
            for (size_t token = all_.sentences[sentence]; token < all_.sentences[sentence + 1]; ++token) {
                for (uint64_t i = all_.starts[token]; i < all_.starts[token + 1]; ++i)
                    out.encoding.append(all_.ids[i], all_.values.empty() ? 1.0f : all_.values[i]);
                out.encoding.end_token();
                out.gold.push_back(gold_[token]);
            }
            out.encoding.sentences.push_back(static_cast<uint32_t>(out.encoding.token_count()));
        }
        out.encoding.shrink();
        return out;
    }

private:
    StringTable attributes_, labels_;
    Encoding all_;
    std::vector<int32_t> gold_, groups_;
};

}  // namespace tagpool
