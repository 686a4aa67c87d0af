// CrfsuiteTagger: tags with a CRFsuite model file, bit for bit as CRFsuite does.
//
// Scores are summed in doubles, in the order of the attributes. The search goes from left to right, and ties go to the smaller previous
// label, so that labels agree also where scores are equal.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/chain.hpp"
#include "crfsuite/attribute_cache.hpp"
#include "crfsuite/attributes.hpp"
#include "crfsuite/file.hpp"

namespace tagpool {

class CrfsuiteTagger {
public:
    // `owner` keeps `bytes` alive.
    CrfsuiteTagger(std::string_view bytes, std::shared_ptr<const void> owner);
    CrfsuiteTagger(const CrfsuiteTagger&) = delete;

    const CrfsuiteFile& file() const { return file_; }
    uint32_t label_count() const { return file_.label_count(); }

    // Sets the sentence for the methods below.
    void set(const Attributes& sentence);
    size_t token_count() const { return tokens_; }

    // Best label sequence.
    const std::vector<int32_t>& best();
    // Probabilities [T][L].
    const std::vector<double>& marginals();
    double probability(const std::vector<int32_t>& labels);

private:
    void score(const Attributes& sentence);
    void look_up(const Attributes& sentence, size_t begin, size_t end);
    void look_up_misses(const Attributes& sentence);
    Chain chain();

    std::shared_ptr<const void> owner_;
    CrfsuiteFile file_;
    size_t width_;                     // L, padded
    std::vector<double> transitions_;  // [L][width]
    std::vector<double> plain_;        // [L][L]
    std::optional<Edges> edges_;       // created on first use
    size_t tokens_ = 0;
    std::vector<double> scores_;  // [T][width]
    std::vector<double> nodes_, marginals_;
    std::optional<Messages> messages_;  // created on first use
    std::vector<int32_t> best_;
    std::vector<double> values_;  // of the search, [T][width]
    AttributeCache cache_;
    // Lookup of a block of attributes.
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> records_;  // in the cache
    struct Miss {
        size_t attribute, place;  // in the sentence, in records_
        Cqdb::Slot slot;
        uint32_t record, number;  // in the file's dictionary
    };
    std::vector<Miss> misses_;
    std::vector<AttributeCache::Weight> weights_;
    std::vector<int32_t> previous_;  // [T][width]
};

}  // namespace tagpool
