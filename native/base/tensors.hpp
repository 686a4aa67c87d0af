// Tensors: named arrays and text metadata in the safetensors format.
//
//   8 bytes: length of the header    header: JSON, padded with blanks to a multiple of 8    the arrays, one after another
//
// Arrays are views of the block; reading copies nothing. The header contains a checksum of the whole block, with its own digits as zeros.
// Reading checks all sizes, types and offsets against docs/reference/model-format.md: a file may be hostile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tagpool {

enum class Type : uint8_t { u8, u16, u32, u64, f16, f32 };

template <class T>
constexpr Type type_of_array() {
    if constexpr (sizeof(T) == 1) return Type::u8;
    else if constexpr (sizeof(T) == 2) return Type::u16;
    else if constexpr (std::is_same_v<T, float>) return Type::f32;
    else if constexpr (sizeof(T) == 4) return Type::u32;
    else return Type::u64;
}

struct Tensor {
    std::string name;
    Type type = Type::u8;
    std::vector<size_t> shape;
    const std::byte* data = nullptr;
    size_t bytes = 0;
};

class Tensors {
public:
    using Text = std::vector<std::pair<std::string, std::string>>;

    static constexpr size_t kMaxHeader = size_t{16} << 20;  // bytes; as a Python text it may take four times as many
    static constexpr size_t kMaxArrays = 4096, kMaxTexts = 1024, kMaxDimensions = 8;

    // Reads a block that `owner` keeps alive. Throws InputFault if it is damaged.
    static Tensors read(std::string_view block, std::shared_ptr<const void> owner);
    // Reads the metadata in the header of a block, of which the arrays may be missing.
    static Text read_texts(std::string_view block);
    // Bytes of the header with its length; throws InputFault if the block, of at least 9 bytes, does not begin with one.
    static size_t header_end(std::string_view block);
    // The same arrays, copied if the block is not aligned for their types: a member of a pool begins anywhere in the file.
    Tensors aligned() const;

    // Adds an array that `owner` keeps alive.
    void add(std::string name, Type type, std::vector<size_t> shape, const void* data, std::shared_ptr<const void> owner);
    template <class T>
    void add(std::string name, std::vector<T> values) {
        auto owner = std::make_shared<const std::vector<T>>(std::move(values));
        add(std::move(name), type_of_array<T>(), {owner->size()}, owner->data(), owner);
    }

    // Metadata by key. `find_text` returns null for a missing key, `text` throws InputFault.
    void set(std::string_view key, std::string value);
    void remove_text(std::string_view key);
    const std::string* find_text(std::string_view key) const;
    const std::string& text(std::string_view key) const;
    const Text& texts() const { return texts_; }

    const Tensor* find(std::string_view name) const;
    const std::vector<std::shared_ptr<const void>>& owners() const { return owners_; }
    const std::vector<Tensor>& all() const { return tensors_; }
    // The values of an array; throws InputFault if it is missing or has another type.
    template <class T>
    std::span<const T> array(std::string_view name) const {
        const Tensor& tensor = require(name, type_of_array<T>());
        return {reinterpret_cast<const T*>(tensor.data), tensor.bytes / sizeof(T)};
    }

    std::string write() const;

private:
    const Tensor& require(std::string_view name, Type type) const;

    Text texts_;
    std::vector<Tensor> tensors_;
    std::vector<std::shared_ptr<const void>> owners_;
    std::string_view block_;  // of `read`
};

}  // namespace tagpool
