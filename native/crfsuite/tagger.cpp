#include "crfsuite/tagger.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fault.hpp"
#include "base/simd.hpp"

namespace tagpool {
namespace {

constexpr size_t kBlock = 256;  // attributes per batch of lookups

// For every label the best previous label; ties go to the first.
TAGPOOL_CLONES void step(const double* previous, const double* transitions, const double* scores, size_t labels, size_t width, double* values,
                         int32_t* from) {
    for (size_t to = 0; to < width; ++to) {
        values[to] = -std::numeric_limits<double>::max();
        from[to] = -1;
    }
    for (size_t i = 0; i < labels; ++i) {
        const double value = previous[i];
        const double* const row = transitions + i * width;
        for (size_t to = 0; to < width; ++to) {
            const double sum = value + row[to];
            const bool better = values[to] < sum;
            values[to] = better ? sum : values[to];
            from[to] = better ? static_cast<int32_t>(i) : from[to];
        }
    }
    for (size_t to = 0; to < width; ++to) values[to] += scores[to];
}

}  // namespace

CrfsuiteTagger::CrfsuiteTagger(std::string_view bytes, std::shared_ptr<const void> owner)
    : owner_(std::move(owner)), file_(bytes), width_(padded(file_.label_count())) {
    const size_t L = label_count();
    transitions_.resize(L * width_);
    for (uint32_t label = 0; label < L; ++label) {
        const CrfsuiteFile::Numbers numbers = file_.of_label(label);
        for (uint32_t i = 0; i < numbers.count; ++i) {
            const CrfsuiteFile::Weight weight = file_.weight(numbers[i]);
            transitions_[label * width_ + weight.to] = weight.value;
        }
    }
}

void CrfsuiteTagger::set(const Attributes& sentence) {
    tokens_ = 0;  // no sentence if scoring throws
    messages_.reset();
    marginals_.clear();
    best_.clear();
    if (label_count() == 0 && sentence.token_count() > 0)
        throw InputFault("the model has no labels, since it was trained without instances; train it with some");
    score(sentence);
    tokens_ = sentence.token_count();
}

// Finds the attributes [begin, end) in the cache. Each step prefetches the memory of the next, so that the cache misses overlap.
void CrfsuiteTagger::look_up(const Attributes& sentence, size_t begin, size_t end) {
    const size_t count = end - begin;
    hashes_.resize(count);
    records_.resize(count);
    misses_.clear();
    cache_.clear_if_full();
    for (size_t i = 0; i < count; ++i) {
        hashes_[i] = AttributeCache::hash(sentence.text(begin + i));
        cache_.prefetch(hashes_[i]);
    }
    for (size_t i = 0; i < count; ++i) cache_.prefetch_record(hashes_[i]);
    for (size_t i = 0; i < count; ++i)
        if ((records_[i] = cache_.find(hashes_[i], sentence.text(begin + i))) == AttributeCache::kNone)
            misses_.push_back({begin + i, i, {}, 0, Cqdb::kNone});
    if (!misses_.empty()) look_up_misses(sentence);
}

// Finds the other attributes in the file, step by step as above, and adds them to the cache.
void CrfsuiteTagger::look_up_misses(const Attributes& sentence) {
    const Cqdb& dictionary = file_.attributes();
    for (Miss& miss : misses_) {
        miss.slot = dictionary.first_slot(sentence.hash(miss.attribute));
        dictionary.prefetch(miss.slot);
    }
    for (Miss& miss : misses_) {
        miss.record = dictionary.record_at(miss.slot);
        if (miss.record) dictionary.prefetch_record(miss.record);
    }
    for (Miss& miss : misses_) {
        for (; miss.record && miss.number == Cqdb::kNone; miss.record = dictionary.record_at(miss.slot))
            if ((miss.number = dictionary.number_at(miss.record, sentence.text(miss.attribute))) != Cqdb::kNone) break;
        if (miss.number != Cqdb::kNone) file_.prefetch_reference(miss.number);
    }
    for (const Miss& miss : misses_)
        if (miss.number != Cqdb::kNone) file_.prefetch_numbers(miss.number);
    for (const Miss& miss : misses_) {
        if (miss.number == Cqdb::kNone) continue;
        const CrfsuiteFile::Numbers numbers = file_.of_attribute(miss.number);
        if (numbers.count) file_.prefetch_weight(numbers[0]);
    }
    for (const Miss& miss : misses_) {
        const std::string_view text = sentence.text(miss.attribute);
        // An attribute may occur twice in the sentence.
        if ((records_[miss.place] = cache_.find(hashes_[miss.place], text)) != AttributeCache::kNone) continue;
        weights_.clear();
        if (miss.number != Cqdb::kNone) {
            const CrfsuiteFile::Numbers numbers = file_.of_attribute(miss.number);
            for (uint32_t i = 0; i < numbers.count; ++i) {
                const CrfsuiteFile::Weight weight = file_.weight(numbers[i]);
                weights_.push_back({weight.value, weight.to});
            }
        }
        records_[miss.place] = cache_.add(hashes_[miss.place], text, weights_);
    }
}

void CrfsuiteTagger::score(const Attributes& sentence) {
    scores_.assign(sentence.token_count() * width_, 0.0);
    size_t token = 0;
    for (size_t begin = 0; begin < sentence.size(); begin += kBlock) {
        const size_t end = std::min(begin + kBlock, sentence.size());
        look_up(sentence, begin, end);
        for (size_t i = begin; i < end; ++i) {
            while (i >= sentence.begin(token + 1)) ++token;
            double* const scores = scores_.data() + token * width_;
            const double value = sentence.value(i);
            const AttributeCache::View weights = cache_[records_[i - begin]];
            for (uint32_t k = 0; k < weights.count(); ++k) scores[weights.label(k)] += weights.value(k) * value;
        }
    }
}

const std::vector<int32_t>& CrfsuiteTagger::best() {
    if (best_.size() == tokens_) return best_;
    const size_t L = label_count(), T = tokens_;
    values_.resize(T * width_);
    previous_.resize(T * width_);
    std::copy_n(scores_.begin(), width_, values_.begin());
    for (size_t t = 1; t < T; ++t)
        step(values_.data() + (t - 1) * width_, transitions_.data(), scores_.data() + t * width_, L, width_, values_.data() + t * width_,
             previous_.data() + t * width_);
    best_.resize(T);
    const double* const last = values_.data() + (T - 1) * width_;
    best_[T - 1] = static_cast<int32_t>(std::max_element(last, last + L) - last);
    for (size_t t = T - 1; t > 0; --t) best_[t - 1] = std::max(0, previous_[t * width_ + static_cast<size_t>(best_[t])]);
    return best_;
}

Chain CrfsuiteTagger::chain() {
    const size_t L = label_count();
    if (!edges_) {
        plain_.clear();  // an earlier call may have ended without memory
        for (size_t label = 0; label < L; ++label)
            plain_.insert(plain_.end(), transitions_.begin() + static_cast<std::ptrdiff_t>(label * width_),
                          transitions_.begin() + static_cast<std::ptrdiff_t>(label * width_ + L));
        edges_.emplace(plain_.data(), L, false);
    }
    nodes_.resize(tokens_ * L);
    for (size_t t = 0; t < tokens_; ++t) std::copy_n(scores_.data() + t * width_, L, nodes_.data() + t * L);
    const Chain chain{&*edges_, nodes_.data(), tokens_};
    if (!messages_) messages_.emplace(chain);
    return chain;
}

const std::vector<double>& CrfsuiteTagger::marginals() {
    if (marginals_.empty() && tokens_ > 0) {
        const Chain scores = chain();
        std::vector<double> probabilities(tokens_ * label_count());  // not kept if an error occurs
        tagpool::marginals(scores, *messages_, probabilities.data());
        marginals_.swap(probabilities);
    }
    return marginals_;
}

double CrfsuiteTagger::probability(const std::vector<int32_t>& labels) {
    if (tokens_ == 0) return 0.0;  // as in CRFsuite
    const Chain scores = chain();
    return std::exp(log_probability(scores, *messages_, labels.data()));
}

}  // namespace tagpool
