// Encoder: templates over a corpus -> rows of feature ids.
//
// A feature is known by the hash of its template's key and of its terms' values. Fitting numbers the features in the order they
// are met; afterwards the index is frozen and unseen features are dropped. With a hash size, a feature's id is its hash modulo
// that size, and there is no index.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/columns.hpp"
#include "features/encoding.hpp"
#include "features/index.hpp"
#include "features/program.hpp"

namespace tagpool {

// Where a feature was first met; enough to write its name when somebody asks.
struct Origin {
    static constexpr uint32_t kNowhere = UINT32_MAX;
    uint32_t token;
    uint32_t ordinal;  // which combination of the terms' values
    uint16_t template_number;
};

class Encoder {
public:
    Encoder(Program program, uint32_t minimum_count, uint32_t hash_size);

    // Numbers the features of a corpus (replacing what was fitted before) and encodes it. Features known by name from elsewhere come
    // first, and stay however seldom they are met.
    Encoding fit(std::shared_ptr<const Columns> columns, std::vector<std::string> known = {});
    // The hash that a feature of this name has (the inverse of what `names` writes).
    static uint64_t key_of(const Program& program, std::string_view name);
    // Keeps only the features that are marked: the others leave the index and the encoding, as if they had never been met.
    void keep(const std::vector<uint8_t>& marks, Encoding& encoding);
    // Encodes with the frozen index. Thread-safe.
    Encoding encode(const Columns& columns) const;

    uint32_t feature_count() const;
    // How often each feature was met in fitting.
    const std::vector<uint32_t>& counts() const { return counts_; }
    std::vector<uint16_t> template_numbers() const;
    std::vector<uint64_t> keys() const { return index_.keys(); }
    const Program& program() const { return program_; }
    uint32_t hash_size() const { return hash_size_; }

    // The names of all features by id; writes them on the first call and lets go of the fitted corpus then.
    // With a hash size: the first feature met in each slot, empty where none was.
    const std::vector<std::string>& names();

    // The features of one sentence as text with their values, by token: what `encode` sees, whether in the index or not.
    using Described = std::vector<std::vector<std::pair<std::string, float>>>;
    Described describe(const Columns& columns, uint32_t sentence) const;

private:
    // What is known of each feature, under its new id (kNone: gone).
    void renumber(const std::vector<uint32_t>& new_ids);

    Program program_;
    uint32_t minimum_count_, hash_size_;
    FeatureIndex index_;
    std::vector<uint32_t> counts_;
    std::vector<Origin> origins_;
    std::shared_ptr<const Columns> fitted_on_;
    std::vector<std::string> known_, names_;
};

}  // namespace tagpool
