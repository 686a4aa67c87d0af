#include "model/weights.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/fault.hpp"
#include "base/half.hpp"
#include "base/json.hpp"
#include "base/simd.hpp"

namespace tagpool {

uint32_t stride_of(size_t labels) {
    if (labels == 0 || labels > UINT16_MAX) throw InputFault("expected 1 to 65,535 labels, got " + std::to_string(labels));
    return static_cast<uint32_t>((labels + 7) / 8 * 8);
}

namespace {

// Whether no number is infinite or NaN: their exponents have only ones.
TAGPOOL_CLONES bool are_finite(const float* numbers, size_t count) {
    constexpr uint32_t kExponent = 0x7F800000;
    uint32_t bad = 0;
    for (size_t i = 0; i < count; ++i) bad |= static_cast<uint32_t>((std::bit_cast<uint32_t>(numbers[i]) & kExponent) == kExponent);
    return bad == 0;
}

TAGPOOL_CLONES bool are_below(const uint16_t* numbers, size_t count, size_t bound) {
    uint16_t largest = 0;
    for (size_t i = 0; i < count; ++i) largest = std::max(largest, numbers[i]);
    return count == 0 || largest < bound;
}

}  // namespace

std::span<const float> require_finite(std::span<const float> weights, const std::string& name) {
    if (!are_finite(weights.data(), weights.size())) throw InputFault("damaged model: \"" + name + "\" has a weight that is not finite");
    return weights;
}

std::span<const float> read_weights(const Tensors& tensors, const std::string& name, std::vector<float>& wide) {
    const Tensor* const weights = tensors.find(name);
    if (!weights || weights->type != Type::f16) return require_finite(tensors.array<float>(name), name);
    const auto* halves = reinterpret_cast<const uint16_t*>(weights->data);
    wide.resize(weights->bytes / 2);
    std::transform(halves, halves + wide.size(), wide.begin(), from_half);
    return require_finite(wide, name);
}

void require_finite(const std::vector<float>& weights) {
    if (!are_finite(weights.data(), weights.size())) throw InputFault("a weight is infinite or not a number");
}

ModelWeights::ModelWeights(const Tensors& tensors, size_t label_count) {
    const std::span<const float> weights = read_weights(tensors, "features.weights", wide_weights_);
    weights_ = weights.data();
    const size_t count = weights.size();
    blocks_.labels = static_cast<uint32_t>(label_count);
    const Json ends = Json::parse(tensors.text("blocks"));
    if (ends.as_array().size() != blocks_.ends.size())
        throw InputFault("damaged model: 'blocks' has " + std::to_string(ends.as_array().size()) + " numbers, expected " +
                         std::to_string(blocks_.ends.size()));
    for (size_t i = 0; i < blocks_.ends.size(); ++i) blocks_.ends[i] = static_cast<uint32_t>(ends.at(i).as_integer(0, UINT32_MAX - 1));
    if (!std::is_sorted(blocks_.ends.begin(), blocks_.ends.end()) || blocks_.size() + stride_of(label_count) != count)
        throw InputFault("damaged model: 'features.weights' has " + std::to_string(count) + " numbers, expected " +
                         std::to_string(blocks_.size() + stride_of(label_count)));
    if (blocks_.rows_end() % blocks_.labels != 0) throw InputFault("damaged model: rows of 'features.weights' have not one weight for each label");
    const Tensor* labels = tensors.find("features.labels");
    if (labels && labels->type == Type::u8) {
        const auto narrow = tensors.array<uint8_t>("features.labels");
        wide_labels_.assign(narrow.begin(), narrow.end());
        cell_labels_ = wide_labels_.data();
    } else {
        cell_labels_ = tensors.array<uint16_t>("features.labels").data();
    }
    const size_t cells = blocks_.size() - blocks_.rows_end();
    if (labels->shape != std::vector<size_t>{cells}) throw InputFault("damaged model: 'features.labels' has not one label for each weight");
    if (!are_below(cell_labels_, cells, label_count)) throw InputFault("damaged model: 'features.labels' has a label out of range");
}

void ModelWeights::check_places(std::span<const uint32_t> numbers, uint32_t base, const char* index) const {
    if (!blocks_.hold_all(numbers.data(), numbers.size(), base))
        throw InputFault(concat("damaged model: index '", index, "' points outside 'features.weights'"));
}

void ModelWeights::write(BlockWeights blocks, size_t labels, Tensors& to) {
    std::string ends;
    for (const uint32_t end : blocks.blocks.ends) {
        ends += ends.empty() ? '[' : ',';
        ends += std::to_string(end);
    }
    to.set("blocks", ends + "]");
    blocks.weights.resize(blocks.weights.size() + stride_of(labels), 0.0f);
    to.add("features.weights", std::move(blocks.weights));
    if (labels <= 256) to.add("features.labels", std::vector<uint8_t>(blocks.cell_labels.begin(), blocks.cell_labels.end()));
    else to.add("features.labels", std::move(blocks.cell_labels));
}

std::vector<std::string> read_labels(const Tensors& tensors) {
    const std::string* format = tensors.find_text("format");
    if (!format || *format != "tagpool") throw InputFault("it is a safetensors file, but no tagpool model");
    const auto version = Json::parse(tensors.text("version")).as_integer(0, INT32_MAX);
    if (version > kModelVersion)
        throw InputFault("it was written by a newer tagpool (format " + std::to_string(version) + ", this one reads up to " +
                         std::to_string(kModelVersion) + "); upgrade tagpool");
    std::vector<std::string> labels;
    const Json names = Json::parse(tensors.text("labels"));
    if (names.as_array().size() > UINT16_MAX) throw InputFault("damaged model: more than 65,535 labels");
    for (const Json& label : names.as_array()) labels.push_back(label.as_string());
    // Chains may have two states for a label; the members of an elitist pool may not.
    const size_t most = tensors.find("edges") && !tensors.find_text("alpha") ? 2 : 1;
    std::unordered_map<std::string_view, size_t> counts;
    for (const std::string& label : labels)
        if (++counts[label] > most) throw InputFault(most == 1 ? "damaged model: a label occurs twice" : "damaged model: a label occurs three times");
    if (version < kModelVersion)
        throw InputFault("it was written by an older tagpool (format " + std::to_string(version) + ", this one reads format " +
                         std::to_string(kModelVersion) + "); train it again");
    return labels;
}

void write_labels(const std::vector<std::string>& labels, Tensors& to) {
    std::string list = "[";
    for (const std::string& text : labels) {
        if (list.size() > 1) list.push_back(',');
        append_quoted(list, text);
    }
    to.set("format", "tagpool");
    to.set("version", std::to_string(kModelVersion));
    to.set("labels", list + "]");
}

std::string write_model(const Tensors& model, const Tensors& more, bool half) {
    Tensors out;
    for (const auto& [key, text] : model.texts()) out.set(key, text);
    for (const auto& [key, text] : more.texts()) out.set(key, text);
    std::vector<std::vector<uint16_t>> halves;
    for (const Tensor& tensor : model.all()) {
        // The caller adds the names of features, or leaves them out.
        if (tensor.name == "names" || tensor.name == "history.names" || more.find(tensor.name)) continue;
        if (half && (tensor.name == "features.weights" || tensor.name == "history.weights") && tensor.type == Type::f32) {
            const auto weights = model.array<float>(tensor.name);
            std::vector<uint16_t>& narrow = halves.emplace_back(weights.size());
            std::transform(weights.begin(), weights.end(), narrow.begin(), to_half);
            out.add(tensor.name, Type::f16, tensor.shape, narrow.data(), nullptr);
        } else {
            out.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
        }
    }
    for (const Tensor& tensor : more.all()) out.add(tensor.name, tensor.type, tensor.shape, tensor.data, nullptr);
    return out.write();
}

}  // namespace tagpool
