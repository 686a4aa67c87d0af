#include "crfsuite/cells.hpp"

#include <algorithm>
#include <numeric>

#include "base/fault.hpp"

namespace tagpool {

Cells::Cells(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options)
    : label_count_(instances.labels().size()), starts_(instances.attributes().size() + 1), transitions_(label_count_ * label_count_) {
    if (label_count_ > UINT16_MAX) throw InputFault(concat("too many labels: ", label_count_, "; at most ", UINT16_MAX));
    add_cells(instances, sentences, options);
    add_transitions(instances, sentences, options);
}

Cells::Cells(const Instances& instances, std::span<const uint32_t> attributes, std::span<const uint16_t> labels)
    : label_count_(instances.labels().size()), transition_count_(label_count_ * label_count_), starts_(instances.attributes().size() + 1),
      labels_(labels.begin(), labels.end()), transitions_(transition_count_, 1) {
    for (const uint32_t attribute : attributes) ++starts_[attribute + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
}

void Cells::add_cells(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options) {
    // Sort the occurrences by attribute; those of an attribute stay in the order of the corpus, so that sums of values are CRFsuite's.
    const Encoding& all = instances.all();
    const size_t attributes = starts_.size() - 1;
    std::vector<size_t> ends(attributes + 1);
    instances.each_entry(sentences, [&](size_t, uint64_t entry) { ++ends[all.ids[entry] + 1]; });
    for (size_t a = 0; a < attributes; ++a) ends[a + 1] += ends[a];
    std::vector<uint16_t> labels(ends.back());
    std::vector<double> values(instances.has_values() ? labels.size() : 0);
    instances.each_entry(sentences, [&](size_t token, uint64_t entry) {
        const size_t place = ends[all.ids[entry]]++;
        labels[place] = static_cast<uint16_t>(instances.gold()[token]);
        if (!values.empty()) values[place] = instances.value(entry);
    });

    std::vector<double> frequencies(label_count_);
    std::vector<uint8_t> occurs(label_count_);
    size_t begin = 0;
    for (size_t a = 0; a < attributes; ++a) {
        if (options.all_labels && begin < ends[a]) std::fill(occurs.begin(), occurs.end(), uint8_t{1});
        for (; begin < ends[a]; ++begin) {
            frequencies[labels[begin]] += values.empty() ? 1.0 : values[begin];
            occurs[labels[begin]] = 1;
        }
        for (size_t label = 0; label < label_count_; ++label)
            if (occurs[label] && frequencies[label] >= options.minimum) labels_.push_back(static_cast<uint16_t>(label));
        std::fill(occurs.begin(), occurs.end(), uint8_t{0});
        std::fill(frequencies.begin(), frequencies.end(), 0.0);
        if (labels_.size() > INT32_MAX) throw InputFault("too many weights: a CRFsuite model has at most 2147483647; set feature.minfreq");
        starts_[a + 1] = static_cast<uint32_t>(labels_.size());
    }
}

void Cells::add_transitions(const Instances& instances, std::span<const uint32_t> sentences, const CellOptions& options) {
    std::vector<size_t> counts(transitions_.size());
    const std::vector<uint32_t>& starts = instances.all().sentences;
    const std::vector<int32_t>& gold = instances.gold();
    for (const uint32_t sentence : sentences)
        for (size_t token = starts[sentence] + 1; token < starts[sentence + 1]; ++token)
            ++counts[static_cast<size_t>(gold[token - 1]) * label_count_ + static_cast<size_t>(gold[token])];
    for (size_t i = 0; i < counts.size(); ++i)
        transitions_[i] = (counts[i] > 0 || options.all_transitions) && static_cast<double>(counts[i]) >= options.minimum;
    transition_count_ = static_cast<size_t>(std::count(transitions_.begin(), transitions_.end(), uint8_t{1}));
}

}  // namespace tagpool
