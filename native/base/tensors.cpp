#include "base/tensors.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/fault.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace tagpool {
namespace {

struct TypeInfo {
    const char* name;
    size_t size;
};
constexpr TypeInfo kTypes[] = {{"U8", 1}, {"U16", 2}, {"U32", 4}, {"U64", 8}, {"F16", 2}, {"F32", 4}};  // in the order of Type
constexpr std::string_view kChecksum = "checksum", kZeros = "0000000000000000";
constexpr size_t kMaxHeader = 100'000'000;  // the limit of the safetensors package
constexpr int64_t kMaxSize = int64_t{1} << 48;

const TypeInfo& info(Type type) { return kTypes[static_cast<size_t>(type)]; }

uint64_t compute_checksum(std::string_view header, std::string_view data) { return combine(hash_bytes(header), hash_bytes(data)); }

std::string hexadecimal(uint64_t number) {
    char digits[17];
    const auto [end, error] = std::to_chars(digits, digits + 16, number, 16);
    return std::string(kZeros.substr(static_cast<size_t>(end - digits))) + std::string(digits, end);
}

size_t size_of(const std::vector<size_t>& shape) {
    size_t count = 1;
    for (size_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count)) throw InputFault("damaged model: an array is too large");
    return count;
}

// Reads the header's entry of an array in a file whose arrays begin at `data_start`.
Tensor read_tensor(const std::string& name, const Json& entry, std::string_view file, size_t data_start) {
    Tensor tensor;
    tensor.name = name;
    const std::string& type = entry.at("dtype").as_string();
    const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeInfo& t) { return type == t.name; });
    if (known == std::end(kTypes)) throw InputFault("damaged model: array \"" + name + "\" has the unknown type " + type);
    tensor.type = static_cast<Type>(known - kTypes);
    for (const Json& extent : entry.at("shape").as_array()) tensor.shape.push_back(static_cast<size_t>(extent.as_integer(0, kMaxSize)));
    const auto begin = static_cast<size_t>(entry.at("data_offsets").at(size_t{0}).as_integer(0, kMaxSize));
    const auto end = static_cast<size_t>(entry.at("data_offsets").at(size_t{1}).as_integer(0, kMaxSize));
    if (end < begin || size_of(tensor.shape) > static_cast<size_t>(kMaxSize) || end - begin != size_of(tensor.shape) * known->size)
        throw InputFault("damaged model: array \"" + name + "\" has a shape that does not match its size");
    if ((begin + data_start) % known->size) throw InputFault("damaged model: array \"" + name + "\" is not aligned");
    if (end > file.size() - data_start)
        throw InputFault(concat("the file is truncated: expected at least ", data_start + end, " bytes, got ", file.size()));
    tensor.data = reinterpret_cast<const std::byte*>(file.data()) + data_start + begin;
    tensor.bytes = end - begin;
    return tensor;
}

void check_checksum(const std::string& checksum, std::string_view header, std::string_view data) {
    std::string zeroed(header);
    const size_t position = zeroed.find(checksum);
    if (checksum.size() != kZeros.size() || position == std::string::npos) throw InputFault("damaged model: bad checksum");
    zeroed.replace(position, kZeros.size(), kZeros);
    if (hexadecimal(compute_checksum(zeroed, data)) != checksum) throw InputFault("damaged model: the checksum does not match the content");
}

}  // namespace

void Tensors::add(std::string name, Type type, std::vector<size_t> shape, const void* data, std::shared_ptr<const void> owner) {
    const size_t bytes = size_of(shape) * info(type).size;
    tensors_.push_back({std::move(name), type, std::move(shape), static_cast<const std::byte*>(data), bytes});
    if (owner) owners_.push_back(std::move(owner));
}

void Tensors::set(std::string_view key, std::string value) {
    const auto known = std::find_if(texts_.begin(), texts_.end(), [key](const auto& text) { return text.first == key; });
    if (known != texts_.end()) known->second = std::move(value);
    else texts_.emplace_back(key, std::move(value));
}

const std::string* Tensors::find_text(std::string_view key) const {
    for (const auto& [name, text] : texts_)
        if (name == key) return &text;
    return nullptr;
}

const std::string& Tensors::text(std::string_view key) const {
    const std::string* text = find_text(key);
    if (!text) throw InputFault("damaged model: metadata \"" + std::string(key) + "\" is missing");
    return *text;
}

const Tensor* Tensors::find(std::string_view name) const {
    for (const Tensor& tensor : tensors_)
        if (tensor.name == name) return &tensor;
    return nullptr;
}

const Tensor& Tensors::require(std::string_view name, Type type) const {
    const Tensor* tensor = find(name);
    if (!tensor) throw InputFault("damaged model: array \"" + std::string(name) + "\" is missing");
    if (tensor->type != type)
        throw InputFault(concat("damaged model: array \"", name, "\" has type ", info(tensor->type).name, ", expected ", info(type).name));
    return *tensor;
}

// Arrays of the widest type come first, which aligns all of them without gaps.
std::string Tensors::write() const {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : tensors_) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) { return info(a->type).size > info(b->type).size; });
    std::string header = "{\"__metadata__\":{\"checksum\":\"";
    const size_t checksum_position = header.size();
    header.append(kZeros).push_back('"');
    for (const auto& [key, text] : texts_) {
        if (key == kChecksum) continue;
        header.push_back(',');
        append_quoted(header, key);
        header.push_back(':');
        append_quoted(header, text);
    }
    header.push_back('}');
    size_t offset = 0;
    for (const Tensor* tensor : order) {
        header.push_back(',');
        append_quoted(header, tensor->name);
        header += concat(":{\"dtype\":\"", info(tensor->type).name, "\",\"shape\":[");
        for (const size_t extent : tensor->shape) header += concat(header.back() == '[' ? "" : ",", extent);
        header += concat("],\"data_offsets\":[", offset, ",", offset + tensor->bytes, "]}");
        offset += tensor->bytes;
    }
    header.push_back('}');
    header.append((8 - header.size() % 8) % 8, ' ');
    const uint64_t length = header.size();
    std::string out(8 + header.size() + offset, '\0');
    std::memcpy(out.data(), &length, 8);
    char* to = out.data() + 8 + header.size();
    for (const Tensor* tensor : order) {
        if (tensor->bytes) std::memcpy(to, tensor->data, tensor->bytes);
        to += tensor->bytes;
    }
    const uint64_t checksum = compute_checksum(header, std::string_view(out).substr(8 + header.size()));
    header.replace(checksum_position, kZeros.size(), hexadecimal(checksum));
    std::memcpy(out.data() + 8, header.data(), header.size());
    return out;
}

Tensors Tensors::read(std::string_view block, std::shared_ptr<const void> owner) {
    if (block.size() < 8) throw InputFault("the file is too short: " + std::to_string(block.size()) + " bytes");
    uint64_t length;
    std::memcpy(&length, block.data(), 8);
    if (length > kMaxHeader || block.size() < 9 || block[8] != '{')
        throw InputFault("expected a model, got a file that is not in the safetensors format");
    if (length > block.size() - 8) throw InputFault("the file is truncated: expected a header of " + std::to_string(length) + " bytes");
    const std::string_view header = block.substr(8, length), data = block.substr(8 + length);
    Tensors out;
    out.owners_.push_back(std::move(owner));
    const char* end = data.data();
    const Json entries = Json::parse(header);
    for (const auto& [name, entry] : entries.as_object()) {
        if (name == "__metadata__") {
            for (const auto& [key, value] : entry.as_object()) out.texts_.emplace_back(key, value.as_string());
            continue;
        }
        const Tensor& tensor = out.tensors_.emplace_back(read_tensor(name, entry, block, 8 + length));
        end = std::max(end, reinterpret_cast<const char*>(tensor.data) + tensor.bytes);
    }
    if (end < block.data() + block.size())
        throw InputFault(concat("the file is too long: expected ", end - block.data(), " bytes, got ", block.size()));
    const std::string* checksum = out.find_text(kChecksum);
    if (!checksum) throw InputFault("expected a tagpool model, got a safetensors file without a checksum");
    check_checksum(*checksum, header, data);
    return out;
}

}  // namespace tagpool
