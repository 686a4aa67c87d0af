#include "base/tensors.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "base/fault.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/model_bytes.hpp"
#include "base/utf8.hpp"

namespace tagpool {
namespace {

struct TypeInfo {
    const char* name;
    size_t size;
};
constexpr TypeInfo kTypes[] = {{"U8", 1}, {"U16", 2}, {"U32", 4}, {"U64", 8}, {"F16", 2}, {"F32", 4}};  // in the order of Type
constexpr std::string_view kMetadata = "__metadata__", kChecksum = "checksum", kZeros = "0000000000000000";
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
    for (size_t extent : shape) {
        if (extent != 0 && count > SIZE_MAX / extent) throw InputFault("damaged model: an array is too large");
        count *= extent;
    }
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
    const Json::Items& shape = entry.at("shape").as_array();
    if (shape.size() > Tensors::kMaxDimensions) throw InputFault("damaged model: array \"" + name + "\" has more than 8 dimensions");
    for (const Json& extent : shape) tensor.shape.push_back(static_cast<size_t>(extent.as_integer(0, kMaxSize)));
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

Json read_header(std::string_view block) {
    const std::string_view header = block.substr(8, Tensors::header_end(block) - 8);
    if (find_invalid_utf8(header) != std::string_view::npos) throw InputFault("damaged model: the header is not UTF-8");
    return Json::parse(header);
}

Tensors::Text take_texts(Json& entries) {
    Tensors::Text texts;
    std::set<std::string_view> keys;
    for (Json::Member& entry : std::get<Json::Members>(entries.value)) {
        if (!keys.insert(entry.name).second) throw InputFault("damaged model: two texts have the key \"" + entry.name + "\"");
        if (keys.size() > Tensors::kMaxTexts) throw InputFault("damaged model: more than 1,024 metadata keys");
        entry.value.as_string();
        texts.emplace_back(entry.name, std::move(std::get<std::string>(entry.value.value)));
    }
    return texts;
}

// Throws InputFault unless names are unique and the arrays fill the block without gaps or overlaps. One byte in several arrays would let a
// small file take much memory.
void check_arrays(const std::vector<Tensor>& tensors, std::string_view block, size_t data_start) {
    std::vector<const Tensor*> order;
    for (const Tensor& tensor : tensors) order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const Tensor* a, const Tensor* b) { return a->name < b->name; });
    for (size_t i = 1; i < order.size(); ++i)
        if (order[i - 1]->name == order[i]->name) throw InputFault("damaged model: two arrays have the name \"" + order[i]->name + "\"");
    std::sort(order.begin(), order.end(),
              [](const Tensor* a, const Tensor* b) { return std::pair(a->data, a->bytes) < std::pair(b->data, b->bytes); });
    const auto* end = reinterpret_cast<const std::byte*>(block.data()) + data_start;
    for (const Tensor* tensor : order) {
        if (tensor->data != end) throw InputFault("damaged model: array \"" + tensor->name + "\" does not follow the array before it");
        end += tensor->bytes;
    }
    const auto size = static_cast<size_t>(end - reinterpret_cast<const std::byte*>(block.data()));
    if (size != block.size()) throw InputFault(concat("the file is too long: expected ", size, " bytes, got ", block.size()));
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

void Tensors::remove_text(std::string_view key) {
    std::erase_if(texts_, [key](const auto& text) { return text.first == key; });
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

size_t Tensors::header_end(std::string_view block) {
    if (block.size() < 8) throw InputFault("the file is too short: " + std::to_string(block.size()) + " bytes");
    uint64_t length;
    std::memcpy(&length, block.data(), 8);
    if (length > kMaxHeader || block.size() < 9 || block[8] != '{')
        throw InputFault("expected a model, got a file that is not in the safetensors format");
    return 8 + length;
}

Tensors::Text Tensors::read_texts(std::string_view block) {
    Json entries = read_header(block);
    for (auto& [name, entry] : std::get<Json::Members>(entries.value))
        if (name == kMetadata && entry.as_object().data()) return take_texts(entry);
    return {};
}

Tensors Tensors::read(std::string_view block, std::shared_ptr<const void> owner) {
    const size_t data_start = header_end(block);
    if (data_start > block.size()) throw InputFault("the file is truncated: expected a header of " + std::to_string(data_start - 8) + " bytes");
    Tensors out;
    out.block_ = block;
    out.owners_.push_back(std::move(owner));
    Json entries = read_header(block);
    if (entries.as_object().size() > kMaxArrays + 1) throw InputFault("damaged model: more than 4,096 arrays");
    for (auto& [name, entry] : std::get<Json::Members>(entries.value)) {
        entry.as_object();
        if (name == kMetadata) out.texts_ = take_texts(entry);
        else out.tensors_.push_back(read_tensor(name, entry, block, data_start));
    }
    check_arrays(out.tensors_, block, data_start);
    const std::string* checksum = out.find_text(kChecksum);
    if (!checksum) throw InputFault("expected a tagpool model, got a safetensors file without a checksum");
    check_checksum(*checksum, block.substr(8, data_start - 8), block.substr(data_start));
    return out;
}

Tensors Tensors::aligned() const {
    Tensors out = *this;
    if (reinterpret_cast<uintptr_t>(block_.data()) % 8 == 0) return out;
    const FileBytes copy = copy_bytes(block_);
    for (Tensor& tensor : out.tensors_)
        tensor.data = reinterpret_cast<const std::byte*>(copy.bytes.data()) + (reinterpret_cast<const char*>(tensor.data) - block_.data());
    out.block_ = copy.bytes;
    out.owners_ = {copy.owner};
    return out;
}

}  // namespace tagpool
