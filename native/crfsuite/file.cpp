#include "crfsuite/file.hpp"

#include <cmath>
#include <vector>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr uint32_t kVersion = 100;
constexpr size_t kLargest = UINT32_MAX;
constexpr size_t kFreeMemory = size_t{64} << 20;  // that a small file may take

std::string_view name_at(std::string_view bytes, size_t at) { return bytes.substr(at, 4); }

}  // namespace

CrfsuiteFile::CrfsuiteFile(std::string_view bytes) : bytes_(bytes) {
    if (bytes_.size() < 4 || name_at(bytes_, 0) != "lCRF") throw InputFault("not a CRFsuite model: it does not begin with lCRF");
    if (bytes_.size() <= kHeadSize) throw InputFault("cut off: a CRFsuite header has 48 bytes, the file has " + std::to_string(bytes_.size()));
    if (name_at(bytes_, 8) != "FOMC") throw InputFault("expected a first-order model (FOMC), got another type");
    const auto field = [&](size_t number) { return read_u32(bytes_.data() + number * 4); };
    head_ = {field(1), field(3), field(4), field(5), field(6), field(7), field(8), field(9), field(10), field(11)};
    if (head_.version != kVersion) throw InputFault("expected version 100 of the format, got " + std::to_string(head_.version));
    if (head_.size > bytes_.size())
        throw InputFault("cut off: expected " + std::to_string(head_.size) + " bytes, got " + std::to_string(bytes_.size()));
    bytes_ = bytes_.substr(0, head_.size);
    labels_ = Cqdb(from(head_.at_labels), "labels");
    attributes_ = Cqdb(from(head_.at_attributes), "attributes");
    const References weights = chunk(head_.at_features, "FEAT", kWeightSize);
    weights_begin_ = weights.begin;
    weight_count_ = weights.count;
    label_references_ = chunk(head_.at_label_references, "LFRF", 4);
    attribute_references_ = chunk(head_.at_attribute_references, "AFRF", 4);
    if (head_.labels > UINT16_MAX) throw InputFault("damaged: expected at most 65,535 labels, got " + std::to_string(head_.labels));
    if (labels_.size() != head_.labels || label_references_.count < head_.labels) throw InputFault("damaged: the numbers of labels differ");
    if (attributes_.size() != head_.attributes || attribute_references_.count < head_.attributes)
        throw InputFault("damaged: the numbers of attributes differ");
    const size_t transitions = size_t{head_.labels} * head_.labels * sizeof(double);
    if (transitions > 4 * bytes_.size() + kFreeMemory)
        throw InputFault(concat("the transitions of ", head_.labels, " labels take ", transitions >> 20, " MB, too much for a file of ",
                                bytes_.size(), " bytes; train with fewer labels"));
    for (uint32_t label = 0; label < head_.labels; ++label) labels_.text(label);
}

std::string_view CrfsuiteFile::from(uint32_t at) const {
    if (at < kHeadSize || at > bytes_.size()) throw InputFault("damaged: a chunk begins outside the file");
    return bytes_.substr(at);
}

CrfsuiteFile::References CrfsuiteFile::chunk(uint32_t at, const char* name, size_t unit) const {
    const std::string_view part = from(at);
    if (part.size() < kChunkHead || name_at(part, 0) != name) throw InputFault(std::string("damaged: chunk ") + name + " is not at its offset");
    const uint32_t count = read_u32(part.data() + 8);
    if (count > (part.size() - kChunkHead) / unit) throw InputFault(std::string("damaged: chunk ") + name + " is cut off");
    return {at + kChunkHead, count};
}

CrfsuiteFile::Weight CrfsuiteFile::weight(uint32_t number) const {
    if (number >= weight_count_) throw InputFault("damaged: no weight has the number " + std::to_string(number));
    const char* const at = bytes_.data() + weights_begin_ + size_t{number} * kWeightSize;
    const Weight weight{read_u32(at), read_u32(at + 4), read_u32(at + 8), read_f64(at + 12)};
    if (weight.to >= head_.labels) throw InputFault("damaged: weight " + std::to_string(number) + " has an unknown label");
    if (!std::isfinite(weight.value)) throw InputFault("damaged: weight " + std::to_string(number) + " is not a finite number");
    return weight;
}

CrfsuiteFile::Numbers CrfsuiteFile::numbers(const References& references, uint32_t which) const {
    if (which >= references.count) throw InputFault("damaged: weights are missing");
    const uint32_t at = read_u32(bytes_.data() + references.begin + size_t{which} * 4);
    if (at > bytes_.size() - 4) throw InputFault("damaged: a list of weights begins outside the file");
    const uint32_t count = read_u32(bytes_.data() + at);
    if (count > (bytes_.size() - 4 - at) / 4) throw InputFault("damaged: a list of weights ends outside the file");
    if (count > head_.labels) throw InputFault("damaged: an attribute or label has more weights than there are labels");
    return {bytes_.data() + at + 4, count};
}

namespace {

// Appends a chunk of references: for each owner, the numbers of its weights. `owner_of` is increasing.
void append_references(std::string& out, const char* name, uint32_t owners, uint32_t spare, std::span<const uint32_t> owner_of, uint32_t first) {
    const size_t begin = out.size();
    out.append(name, 4);
    append_u32(out, 0);
    append_u32(out, owners + spare);
    const size_t places = out.size();
    out.resize(places + (size_t{owners} + spare) * 4);
    size_t next = 0;
    for (uint32_t owner = 0; owner < owners; ++owner) {
        write_u32(out.data() + places + size_t{owner} * 4, static_cast<uint32_t>(out.size()));
        size_t end = next;
        while (end < owner_of.size() && owner_of[end] == owner) ++end;
        append_u32(out, static_cast<uint32_t>(end - next));
        for (; next < end; ++next) append_u32(out, first + static_cast<uint32_t>(next));
    }
    write_u32(out.data() + begin + 4, static_cast<uint32_t>(out.size() - begin));
}

// Upper bound of the file size.
size_t largest_size(const CrfsuiteWeights& weights) {
    constexpr size_t kParts = 8192;           // headers, and the tables of two dictionaries
    constexpr size_t kWeight = 20 + 4;        // with its number
    constexpr size_t kText = 8 + 1 + 16 + 4;  // record, two table entries, offset
    size_t size = kParts + (weights.cell_weights.size() + weights.transitions.size()) * kWeight;
    for (const auto texts : {weights.labels, weights.attributes})
        for (const std::string_view text : texts) size += text.size() + kText + 8;  // offset and number of its weights
    return size;
}

void align(std::string& out) { out.resize((out.size() + 3) / 4 * 4); }

}  // namespace

std::string write_crfsuite(const CrfsuiteWeights& weights) {
    const auto L = static_cast<uint32_t>(weights.labels.size());
    if (weights.transitions.size() != size_t{L} * L || weights.cell_attributes.size() != weights.cell_weights.size() ||
        weights.cell_labels.size() != weights.cell_weights.size())
        throw InputFault("expected [labels][labels] transitions, and an attribute, a label and a weight for each cell");
    constexpr uint32_t kSpare = 2;  // CRFsuite reserves two more labels, which it does not use
    std::string out;
    out.reserve(largest_size(weights));  // growing would need twice the memory
    out.resize(48);
    const auto at_features = static_cast<uint32_t>(out.size());
    out.append("FEAT").append(8, '\0');
    std::vector<uint32_t> owners, before;
    std::vector<std::string_view> written;
    uint32_t last = Cqdb::kNone;
    const auto add = [&](uint32_t type, uint32_t source, uint32_t to, double value) {
        append_u32(out, type);
        append_u32(out, source);
        append_u32(out, to);
        append_f64(out, value);
    };
    for (size_t i = 0; i < weights.cell_weights.size(); ++i) {
        if (weights.cell_weights[i] == 0) continue;
        const uint32_t attribute = weights.cell_attributes[i];
        if (attribute >= weights.attributes.size() || weights.cell_labels[i] >= L || (last != Cqdb::kNone && attribute < last))
            throw InputFault("expected cells sorted by attribute, with known attributes and labels");
        if (attribute != last) written.push_back(weights.attributes[attribute]);
        last = attribute;
        owners.push_back(static_cast<uint32_t>(written.size() - 1));
        add(CrfsuiteFile::kState, owners.back(), weights.cell_labels[i], weights.cell_weights[i]);
    }
    for (uint32_t from = 0; from < L; ++from)
        for (uint32_t to = 0; to < L; ++to)
            if (const double value = weights.transitions[size_t{from} * L + to]; value != 0) {
                before.push_back(from);
                add(CrfsuiteFile::kTransition, from, to, value);
            }
    write_u32(out.data() + at_features + 4, static_cast<uint32_t>(out.size() - at_features));
    write_u32(out.data() + at_features + 8, static_cast<uint32_t>(owners.size() + before.size()));
    const size_t at_labels = out.size();
    append_cqdb(out, weights.labels);
    const size_t at_attributes = out.size();
    append_cqdb(out, written);
    align(out);
    const size_t at_label_references = out.size();
    append_references(out, "LFRF", L, kSpare, before, static_cast<uint32_t>(owners.size()));
    align(out);
    const size_t at_attribute_references = out.size();
    append_references(out, "AFRF", static_cast<uint32_t>(written.size()), 0, owners, 0);
    if (out.size() > kLargest) throw InputFault("the model is too large: a CRFsuite file has at most 4 GB; use fewer features");
    out.replace(0, 4, "lCRF");
    out.replace(8, 4, "FOMC");
    // CRFsuite writes 0 as the number of features.
    const size_t fields[] = {kVersion, 0, L, written.size(), at_features, at_labels, at_attributes, at_label_references, at_attribute_references};
    write_u32(out.data() + 4, static_cast<uint32_t>(out.size()));
    for (size_t i = 0; i < std::size(fields); ++i) write_u32(out.data() + 12 + i * 4, static_cast<uint32_t>(fields[i]));
    return out;
}

}  // namespace tagpool
