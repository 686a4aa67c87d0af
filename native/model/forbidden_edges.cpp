#include "model/forbidden_edges.hpp"

#include <memory>

#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr const char* kName = "forbidden";
constexpr float kPenalty = -1e6f;
constexpr size_t kMostLabels = 1024;  // the penalties of more would take much more memory than a file

}  // namespace

void write_forbidden(std::vector<uint8_t> forbidden, size_t labels, Tensors& tensors) {
    if (forbidden.empty()) return;
    if (labels > kMostLabels) throw InputFault(concat("forbidden edges: expected at most ", kMostLabels, " labels, got ", labels));
    expect_size(forbidden.size(), labels * (labels + 2), "forbidden edges");
    auto owner = std::make_shared<const std::vector<uint8_t>>(std::move(forbidden));
    tensors.add(kName, Type::u8, {labels + 2, labels}, owner->data(), owner);
}

std::vector<uint8_t> read_forbidden(const Tensors& tensors, size_t labels) {
    if (!tensors.find(kName)) return {};
    const auto forbidden = tensors.array<uint8_t>(kName);
    if (labels > kMostLabels) throw InputFault(concat("damaged model: 'forbidden' for ", labels, " labels"));
    expect_size(forbidden.size(), labels * (labels + 2), "damaged model: numbers of 'forbidden'");
    return {forbidden.begin(), forbidden.end()};
}

std::vector<float> penalised(const std::vector<uint8_t>& forbidden, std::vector<float> edges, size_t labels, size_t stride) {
    edges.resize((labels + 2) * stride);
    for (size_t row = 0; row < labels + 2; ++row)
        for (size_t label = 0; label < labels; ++label)
            if (forbidden[row * labels + label]) edges[row * stride + label] = kPenalty;
    return edges;
}

}  // namespace tagpool
