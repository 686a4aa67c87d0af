// Mutator of model files. It changes texts, arrays and the header of a file, and repairs the checksum. Files inside arrays, such as the
// members of a pool, are mutated as well.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/fault.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/tensors.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace tagpool::fuzz {
namespace {

constexpr std::string_view kNumbers[] = {
    "0",     "1",    "2",     "-1",    "3",       "7",          "8",          "64",         "65",         "255",
    "256",   "1000", "65535", "65536", "1000000", "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740993",
    "1e300", "0.5",  "-0.0",  "null",  "true",    "\"\"",       "[]",         "{}"};
constexpr uint64_t kValues[] = {0,          1,          2,          3,          7,          8,          15,          16,
                                64,         255,        256,        65535,      65536,      0x7C00,     0x7E00,      0x7F800000,
                                0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x100000000, ~uint64_t{0}};

template <class Items>
auto& pick(Items& items, Random& random) {
    return *(std::begin(items) + static_cast<std::ptrdiff_t>(random.below(std::size(items))));
}

struct Array {
    std::string name;
    Type type;
    std::string bytes;

    size_t width() const {
        constexpr size_t kWidths[] = {1, 2, 4, 8, 2, 4};
        return kWidths[static_cast<size_t>(type)];
    }
    size_t size() const { return bytes.size() / width(); }
};

struct Part {
    size_t begin, end;
};

// The maximal runs of characters that a predicate accepts.
template <class Accept>
std::vector<Part> runs(std::string_view text, Accept&& accept) {
    std::vector<Part> out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (!accept(text[i])) continue;
        if (out.empty() || out.back().end != i) out.push_back({i, i});
        out.back().end = i + 1;
    }
    return out;
}

void mutate_bytes(std::string& bytes, Random& random) {
    const size_t size = bytes.size();
    bytes.resize(size + 1 + random.below(32));
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes.data()), size, bytes.size()));
}

// Replaces, removes or repeats one of the parts of a text.
void change_part(std::string& text, const std::vector<Part>& parts, Random& random, bool with_number) {
    if (parts.empty()) return;
    const Part part = parts[random.below(parts.size())], other = parts[random.below(parts.size())];
    const std::string current = text.substr(part.begin, part.end - part.begin), another = text.substr(other.begin, other.end - other.begin);
    switch (random.below(with_number ? 6 : 3)) {
        case 0: text.replace(part.begin, current.size(), another); break;
        case 1: text.erase(part.begin, current.size()); break;
        case 2: text.insert(part.begin, another); break;
        default: text.replace(part.begin, current.size(), pick(kNumbers, random));
    }
}

// Changes numbers, words or comma-separated parts of JSON, or any bytes.
void mutate_json(std::string& text, Random& random) {
    switch (random.below(5)) {
        case 0: mutate_bytes(text, random); break;
        case 1: change_part(text, runs(text, [](char c) { return c != ',' && c != '[' && c != ']'; }), random, false); break;
        case 2: change_part(text, runs(text, [](char c) { return c != '"' && c != ':' && c != ','; }), random, true); break;
        default: change_part(text, runs(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; }), random, true);
    }
}

uint64_t read_element(const Array& array, size_t index) {
    uint64_t value = 0;
    std::memcpy(&value, array.bytes.data() + index * array.width(), array.width());
    return value;
}

void mutate_elements(Array& array, const std::vector<Array>& arrays, Random& random) {
    if (array.size() == 0) return;
    for (size_t changes = 1 + random.below(4); changes > 0; --changes) {
        uint64_t value = read_element(array, random.below(array.size()));
        const Array& other = arrays[random.below(arrays.size())];
        switch (random.below(5)) {
            case 0: value += 1; break;
            case 1: value -= 1; break;
            case 2: value = other.size(); break;  // sizes of arrays are limits of offsets
            case 3: value = pick(kValues, random); break;
            default: value ^= uint64_t{1} << random.below(64);
        }
        std::memcpy(array.bytes.data() + random.below(array.size()) * array.width(), &value, array.width());
    }
}

std::string mutate_file(std::string_view block, Random& random);

void mutate_array(std::vector<Array>& arrays, Random& random) {
    const size_t index = random.below(arrays.size());
    Array& array = arrays[index];
    if (array.bytes.size() > 9 && array.bytes[8] == '{' && random.below(8)) {  // a file inside the file
        array.bytes = mutate_file(array.bytes, random);
        return;
    }
    switch (random.below(12)) {
        case 0: array.bytes.resize(array.bytes.size() + array.width() * random.below(9)); break;
        case 1: array.bytes.resize(array.width() * random.below(array.size() + 1)); break;
        case 2: array.type = static_cast<Type>(random.below(6)); break;
        case 3: array.name = arrays[random.below(arrays.size())].name; break;
        case 4: array.bytes = arrays[random.below(arrays.size())].bytes; break;
        case 5: arrays.push_back(Array(array)); break;
        case 6: arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(index)); break;
        case 7: mutate_bytes(array.bytes, random); break;
        default: mutate_elements(array, arrays, random);
    }
    for (Array& each : arrays) each.bytes.resize(each.size() * each.width());
}

// Replaces the checksum in a header by the one of the content.
std::string seal(std::string header, std::string_view data) {
    constexpr std::string_view kKey = "\"checksum\":\"", kZeros = "0000000000000000";
    const size_t key = header.find(kKey);
    if (key != std::string::npos && header.size() >= key + kKey.size() + kZeros.size()) {
        header.replace(key + kKey.size(), kZeros.size(), kZeros);
        char digits[17];
        std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(combine(hash_bytes(header), hash_bytes(data))));
        header.replace(key + kKey.size(), kZeros.size(), digits);
    }
    const uint64_t length = header.size();
    std::string out(8, '\0');
    std::memcpy(out.data(), &length, 8);
    return out.append(header).append(data);
}

// Changes the header as text.
std::string mutate_header(std::string_view block, Random& random) {
    uint64_t length = 0;
    if (block.size() >= 8) std::memcpy(&length, block.data(), 8);
    length = std::min<uint64_t>(length, block.size() < 8 ? 0 : block.size() - 8);
    std::string header(block.substr(std::min<size_t>(8, block.size()), length));
    mutate_json(header, random);
    return seal(std::move(header), block.substr(std::min<size_t>(8 + length, block.size())));
}

std::string mutate_contents(const Tensors& tensors, Random& random) {
    Tensors::Text texts = tensors.texts();
    std::vector<Array> arrays;
    for (const Tensor& tensor : tensors.all())
        arrays.push_back({tensor.name, tensor.type, std::string(reinterpret_cast<const char*>(tensor.data), tensor.bytes)});
    const size_t choice = random.below(10);
    if (choice < 5 && !texts.empty()) mutate_json(pick(texts, random).second, random);
    else if (choice == 5 && !texts.empty()) texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(random.below(texts.size())));
    else if (choice == 6 && !texts.empty()) pick(texts, random).second = pick(texts, random).second;
    else if (!arrays.empty()) mutate_array(arrays, random);
    Tensors out;
    for (auto& [key, text] : texts) out.set(key, std::move(text));
    for (const Array& array : arrays) out.add(array.name, array.type, {array.size()}, array.bytes.data(), nullptr);
    return out.write();
}

std::string mutate_file(std::string_view block, Random& random) {
    if (random.below(16) == 0) return mutate_header(block, random);
    try {
        const std::string aligned(block);  // a file inside a file may be at any address
        return mutate_contents(Tensors::read(aligned, nullptr), random);
    } catch (const InputFault&) {
        return mutate_header(block, random);
    }
}

}  // namespace
}  // namespace tagpool::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
    tagpool::Random random(seed);
    std::string mutated(reinterpret_cast<const char*>(data), size);
    for (size_t changes = 1 + random.below(3); changes > 0; --changes) mutated = tagpool::fuzz::mutate_file(mutated, random);
    if (mutated.size() > max_size) return size;
    if (!mutated.empty()) std::memcpy(data, mutated.data(), mutated.size());
    return mutated.size();
}
