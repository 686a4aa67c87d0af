#include "base/tensors.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/fault.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace tagpool {
namespace {

struct TypeName {
    Type type;
    const char* name;
    size_t size;
};
constexpr TypeName kTypes[] = {{Type::u8, "U8", 1},   {Type::u16, "U16", 2}, {Type::u32, "U32", 4},
                               {Type::u64, "U64", 8}, {Type::f16, "F16", 2}, {Type::f32, "F32", 4}};
constexpr std::string_view kChecksum = "checksum", kZeros = "0000000000000000";
constexpr size_t kLongestHeader = 100'000'000;  // as the safetensors package has it

const TypeName& of(Type type) { return kTypes[static_cast<size_t>(type)]; }

uint64_t checksum_of(std::string_view header, std::string_view data) { return combine(hash_bytes(header), hash_bytes(data)); }

std::string hexadecimal(uint64_t number) {
    char digits[17];
    const auto [end, error] = std::to_chars(digits, digits + 16, number, 16);
    return std::string(kZeros.substr(static_cast<size_t>(end - digits))) + std::string(digits, end);
}

size_t size_of(const std::vector<size_t>& shape) {
    size_t count = 1;
    for (size_t extent : shape)
        if (__builtin_mul_overflow(count, extent, &count)) throw InputFault("an array is too large");
    return count;
}

}  // namespace

void Tensors::add(std::string name, Type type, std::vector<size_t> shape, const void* data, std::shared_ptr<const void> owner) {
    const size_t bytes = size_of(shape) * of(type).size;
    tensors_.push_back({std::move(name), type, std::move(shape), static_cast<const std::byte*>(data), bytes});
    if (owner) owners_.push_back(std::move(owner));
}

void Tensors::set(std::string_view key, std::string value) {
    for (auto& [name, text] : texts_)
        if (name == key) {
            text = std::move(value);
            return;
        }
    texts_.emplace_back(key, std::move(value));
}

const std::string* Tensors::find_text(std::string_view key) const {
    for (const auto& [name, text] : texts_)
        if (name == key) return &text;
    return nullptr;
}

const std::string& Tensors::text(std::string_view key) const {
    const std::string* found = find_text(key);
    if (!found) throw InputFault("\"" + std::string(key) + "\" is missing");
    return *found;
}

const Tensor* Tensors::find(std::string_view name) const {
    for (const Tensor& tensor : tensors_)
        if (tensor.name == name) return &tensor;
    return nullptr;
}

const Tensor& Tensors::required(std::string_view name, Type type) const {
    const Tensor* found = find(name);
    if (!found) throw InputFault("the array \"" + std::string(name) + "\" is missing");
    if (found->type != type) throw InputFault("the array \"" + std::string(name) + "\" is not of type " + of(type).name);
    return *found;
}

// The arrays with the widest numbers come first, so that each is aligned without gaps.
std::string Tensors::write() const {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : tensors_) order.push_back(&tensor);
    std::stable_sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) { return of(a->type).size > of(b->type).size; });
    std::string header = "{\"__metadata__\":{\"checksum\":\"";
    const size_t place = header.size();
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
        header += std::string(":{\"dtype\":\"") + of(tensor->type).name + "\",\"shape\":[";
        for (size_t i = 0; i < tensor->shape.size(); ++i) header += (i ? "," : "") + std::to_string(tensor->shape[i]);
        header += "],\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(offset + tensor->bytes) + "]}";
        offset += tensor->bytes;
    }
    header.push_back('}');
    header.append((8 - header.size() % 8) % 8, ' ');
    const uint64_t length = header.size();
    std::string out(8 + header.size() + offset, '\0');
    for (size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(length >> (8 * i) & 0xFF);
    char* to = out.data() + 8 + header.size();
    for (const Tensor* tensor : order) {
        if (tensor->bytes) std::memcpy(to, tensor->data, tensor->bytes);
        to += tensor->bytes;
    }
    const uint64_t sum = checksum_of(header, std::string_view(out).substr(8 + header.size()));
    header.replace(place, kZeros.size(), hexadecimal(sum));
    std::memcpy(out.data() + 8, header.data(), header.size());
    return out;
}

Tensors Tensors::read(std::string_view block, std::shared_ptr<const void> owner) {
    if (block.size() < 8) throw InputFault("it is too short: only " + std::to_string(block.size()) + " bytes");
    uint64_t length = 0;
    for (size_t i = 0; i < 8; ++i) length |= uint64_t{static_cast<unsigned char>(block[i])} << (8 * i);
    if (length > kLongestHeader || block.size() < 9 || block[8] != '{') throw InputFault("it is not a safetensors file");
    if (length > block.size() - 8) throw InputFault("it is cut off: the header alone should have " + std::to_string(length) + " bytes");
    const std::string_view text = block.substr(8, length), data = block.substr(8 + length);
    Tensors out;
    out.owners_.push_back(std::move(owner));
    const Json header = Json::parse(text);
    size_t end = 0;
    for (const auto& [name, entry] : header.as_object()) {
        if (name == "__metadata__") {
            for (const auto& [key, value] : entry.as_object()) out.texts_.emplace_back(key, value.as_string());
            continue;
        }
        Tensor tensor;
        tensor.name = name;
        const std::string& type = entry.at("dtype").as_string();
        const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return type == t.name; });
        if (known == std::end(kTypes)) throw InputFault("an array is of the type " + type + ", which no tagpool model has");
        tensor.type = known->type;
        constexpr int64_t kMost = int64_t{1} << 48;
        for (const Json& extent : entry.at("shape").as_array()) tensor.shape.push_back(static_cast<size_t>(extent.as_whole(0, kMost)));
        const auto from = static_cast<size_t>(entry.at("data_offsets").at(size_t{0}).as_whole(0, kMost));
        const auto to = static_cast<size_t>(entry.at("data_offsets").at(size_t{1}).as_whole(0, kMost));
        if (to < from || size_of(tensor.shape) > kMost || to - from != size_of(tensor.shape) * known->size || (from + 8 + length) % known->size)
            throw InputFault("the array \"" + name + "\" has a size or place that cannot be");
        if (to > data.size())
            throw InputFault("it is cut off: expected at least " + std::to_string(8 + length + to) + " bytes, got " + std::to_string(block.size()));
        end = std::max(end, to);
        tensor.data = reinterpret_cast<const std::byte*>(data.data() + from);
        tensor.bytes = to - from;
        out.tensors_.push_back(std::move(tensor));
    }
    if (end < data.size())
        throw InputFault("it is too long: expected " + std::to_string(8 + length + end) + " bytes, got " + std::to_string(block.size()));
    const std::string* sum = out.find_text(kChecksum);
    if (!sum) throw InputFault("it has no checksum: this is no tagpool model");
    std::string zeroed(text);
    const size_t place = zeroed.find(*sum);
    if (sum->size() != kZeros.size() || place == std::string::npos) throw InputFault("the checksum is damaged");
    zeroed.replace(place, kZeros.size(), kZeros);
    if (hexadecimal(checksum_of(zeroed, data)) != *sum) throw InputFault("it is damaged: the checksum does not fit what it holds");
    return out;
}

}  // namespace tagpool
