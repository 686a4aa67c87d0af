// Encoder: applies templates to a corpus and returns rows of feature ids.
//
// A feature is identified by the hash of its template's key and its terms' values. Fitting numbers the features in the order of their
// first occurrence; afterwards unknown features are dropped.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/encoding.hpp"
#include "features/index.hpp"
#include "features/name_list.hpp"
#include "features/program.hpp"
#include "text/columns.hpp"

namespace tagpool {

class Encoder {
public:
    Encoder(Program program, uint32_t minimum_count);

    // Numbers the features of a corpus, replacing those of an earlier fit, and encodes it. The features in `known` (names) come first,
    // and the minimum count does not apply to them.
    Encoding fit(std::shared_ptr<const Columns> columns, std::vector<std::string> known = {});
    // Numbers the new features of another corpus after the others, and encodes it. The minimum count applies to their number in this corpus.
    // Only between `fit` and `names`.
    Encoding extend(std::shared_ptr<const Columns> columns);
    // The hash of the feature with this name; the inverse of `names`.
    static uint64_t key_of(const Program& program, std::string_view name);
    // Removes the features without a mark from the index and the encoding. `marks` is a [features] array.
    void keep(const std::vector<uint8_t>& marks, Encoding& encoding);
    // Encodes without unknown features. Thread-safe.
    Encoding encode(const Columns& columns) const;

    uint32_t feature_count() const { return index_.size(); }
    // Number of occurrences of each feature in the fitted corpora.
    const std::vector<uint32_t>& counts() const { return counts_; }
    std::vector<uint16_t> template_numbers() const;
    std::vector<uint64_t> keys() const { return index_.keys(); }
    const Program& program() const { return program_; }

    // The names of all features by id. The first call writes them and releases the fitted corpora.
    const NameList& names();

    // Fitting in slices: every slice is encoded with provisional ids; `finish` applies the minimum count and returns the final ones.
    void begin();
    // Numbers the features of the next sentences after those so far, and writes their names.
    Encoding fit_next(const Columns& columns);
    // Adds the dictionary of the next slice, which another encoder was fitted to; returns the id here of each of its features.
    std::vector<uint32_t> merge(std::string_view dictionary);
    // The final id of each provisional one (FeatureIndex::kNone: the feature is too rare).
    std::vector<uint32_t> finish();

    // The program and the dictionary: hashes, counts, templates and names of the features.
    std::string state();
    static std::unique_ptr<Encoder> from_state(std::string_view block, uint32_t minimum_count);
    // Replaces the dictionary.
    void restore(std::string_view dictionary);

    // The names and values of all features of one sentence by token, including unknown ones.
    using Description = std::vector<std::vector<std::pair<std::string, float>>>;
    Description describe(const Columns& columns, uint32_t sentence) const;

private:
    // A corpus whose features are numbered; its first token follows the last one of the corpus before.
    struct Fitted {
        std::shared_ptr<const Columns> columns;
        uint32_t first_token;
    };

    // Moves the origin and count of each feature to its new id (kNone: removed).
    void renumber(const std::vector<uint32_t>& new_ids);

    Program program_;
    uint32_t minimum_count_;
    FeatureIndex index_;
    std::vector<uint32_t> counts_;  // a [features] array
    std::vector<Origin> origins_;   // a [features] array
    std::vector<Fitted> fitted_;    // empty after `names`
    std::vector<std::string> known_;
    NameList names_;
    std::shared_ptr<const std::string> block_;  // of from_state: lexicons of the program are views of it
};

}  // namespace tagpool
