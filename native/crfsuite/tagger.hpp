// CrfsuiteTagger: tags with a model file of CRFsuite's, to the last bit as CRFsuite does.
//
// Scores are summed in doubles, in the order of the attributes; the best sequence is searched from left to right, and of equal scores
// the smaller label before is taken. So the labels are the same, also where scores are equal.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crfsuite/attribute_cache.hpp"
#include "crfsuite/attributes.hpp"
#include "chain/chain.hpp"
#include "crfsuite/file.hpp"

namespace tagpool {

class CrfsuiteTagger {
public:
    // `owner` keeps the bytes.
    CrfsuiteTagger(std::string_view bytes, std::shared_ptr<const void> owner);
    CrfsuiteTagger(const CrfsuiteTagger&) = delete;

    const CrfsuiteFile& file() const { return file_; }
    uint32_t label_count() const { return file_.label_count(); }

    // The sentence that the rest is about.
    void set(const Attributes& sentence);
    size_t token_count() const { return tokens_; }

    // The best labels, one a token.
    const std::vector<int32_t>& best();
    // By token and label.
    const std::vector<double>& marginals();
    double probability(const std::vector<int32_t>& labels);

private:
    void score(const Attributes& sentence);
    void look_up(const Attributes& sentence, size_t begin, size_t end);
    void look_up_new(const Attributes& sentence);
    Chain chain();

    std::shared_ptr<const void> owner_;
    CrfsuiteFile file_;
    size_t width_;                        // labels, padded
    std::vector<double> transitions_;     // labels x width
    std::vector<double> plain_;           // labels x labels
    std::optional<Edges> edges_;          // made when first needed
    size_t tokens_ = 0;
    std::vector<double> scores_;          // tokens x width
    std::vector<double> nodes_, marginals_;
    std::optional<Messages> messages_;    // of the sentence, once asked for
    std::vector<int32_t> best_;
    std::vector<double> values_;          // of the search, tokens x width
    AttributeWeights kept_;               // of attributes met before
    // Of the attributes that are being looked up.
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> found_;         // where kept_ has them
    struct New {
        size_t attribute, place;          // in the sentence, in found_
        Cqdb::Slot slot;
        uint32_t record, number;          // in the file
    };
    std::vector<New> new_;
    std::vector<AttributeWeights::Weight> weights_;
    std::vector<int32_t> before_;
};

}  // namespace tagpool
