// Instances: training sentences of python-crfsuite's Trainer, added one by one.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/fault.hpp"
#include "crfsuite/attributes.hpp"
#include "features/encoding.hpp"
#include "text/strings.hpp"

namespace tagpool {

class Instances {
public:
    // Adds a sentence with one label per token. `group` is for holding out sentences. Empty sentences are skipped.
    void add(const Attributes& sentence, const std::vector<std::string_view>& labels, int32_t group) {
        if (trainings_ > 0) throw InputFault("a training uses the instances: append further ones after train has returned");
        if (sentence.token_count() == 0) return;
        for (size_t token = 0; token < sentence.token_count(); ++token) {
            for (size_t i = sentence.begin(token); i < sentence.begin(token + 1); ++i) {
                const auto single = static_cast<float>(sentence.value(i));
                all_.append(attributes_.intern(sentence.text(i)), single);
                if (!doubles_.empty() || static_cast<double>(single) != sentence.value(i)) append_double(sentence.value(i));
            }
            all_.end_token();
            gold_.push_back(static_cast<int32_t>(labels_.intern(labels[token])));
        }
        all_.sentences.push_back(static_cast<uint32_t>(all_.token_count()));
        groups_.push_back(group);
    }

    // Marks the beginning and the end of a training, which reads the instances without the lock of the interpreter; the caller has it here.
    void begin_training() { ++trainings_; }
    void end_training() { --trainings_; }

    const StringTable& attributes() const { return attributes_; }
    const StringTable& labels() const { return labels_; }
    const Encoding& all() const { return all_; }
    const std::vector<int32_t>& gold() const { return gold_; }
    const std::vector<int32_t>& groups() const { return groups_; }
    bool has_values() const { return !all_.values.empty(); }
    // Value of an entry of all() in double precision.
    double value(size_t entry) const { return doubles_.empty() ? static_cast<double>(all_.value(entry)) : doubles_[entry]; }

    // Calls visit(token, entry) for the attributes of sentences, in this order.
    template <class Visit>
    void each_entry(std::span<const uint32_t> sentences, Visit&& visit) const {
        for (const uint32_t sentence : sentences)
            for (size_t token = all_.sentences[sentence]; token < all_.sentences[sentence + 1]; ++token)
                for (uint64_t entry = all_.starts[token]; entry < all_.starts[token + 1]; ++entry) visit(token, entry);
    }
    // Numbers of the sentences outside a group.
    std::vector<uint32_t> training_sentences(std::optional<int32_t> holdout) const {
        std::vector<uint32_t> out;
        for (size_t sentence = 0; sentence < groups_.size(); ++sentence)
            if (groups_[sentence] != holdout) out.push_back(static_cast<uint32_t>(sentence));
        return out;
    }

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
    // The first value that single precision would change creates the array.
    void append_double(double value) {
        while (doubles_.size() + 1 < all_.ids.size()) doubles_.push_back(static_cast<double>(all_.value(doubles_.size())));
        doubles_.push_back(value);
    }

    StringTable attributes_, labels_;
    Encoding all_;
    Buffer<double> doubles_;  // an [entries] array of values; empty: the single precision of all_ is exact
    std::vector<int32_t> gold_, groups_;
    size_t trainings_ = 0;  // running now
};

}  // namespace tagpool
