// Arrow structures that own their children and the memory of their buffers.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/abi.hpp"

namespace tagpool {

// SchemaParts: the private data of a schema. Children move out of their parent if a consumer moves them, so each has its own.
struct SchemaParts {
    std::string format, name;
    std::deque<ArrowSchema> children;  // a deque: its elements do not move
    std::vector<ArrowSchema*> pointers;
    std::unique_ptr<ArrowSchema> dictionary;
};

// Releases the children and the dictionary of a structure, and its private data.
template <class Parts, class Structure>
void release_parts(Structure* structure) {
    auto* const parts = static_cast<Parts*>(structure->private_data);
    for (Structure& child : parts->children)
        if (child.release) child.release(&child);
    if (parts->dictionary && parts->dictionary->release) parts->dictionary->release(parts->dictionary.get());
    delete parts;
    structure->release = nullptr;
}

inline ArrowSchema make_schema(std::string format, std::string name, bool nullable, std::vector<ArrowSchema> children = {},
                               const ArrowSchema* dictionary = nullptr) {
    auto* const parts = new SchemaParts{std::move(format), std::move(name), {children.begin(), children.end()}, {}, nullptr};
    for (ArrowSchema& child : parts->children) parts->pointers.push_back(&child);
    if (dictionary) parts->dictionary = std::make_unique<ArrowSchema>(*dictionary);
    return {parts->format.c_str(),
            parts->name.c_str(),
            nullptr,
            nullable ? kArrowNullable : 0,
            static_cast<int64_t>(children.size()),
            parts->pointers.data(),
            parts->dictionary.get(),
            release_parts<SchemaParts, ArrowSchema>,
            parts};
}

// ArrayParts: the private data of an array. The owners keep the memory of the buffers alive.
struct ArrayParts {
    std::vector<const void*> buffers;
    std::vector<std::shared_ptr<const void>> owners;
    std::deque<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    std::unique_ptr<ArrowArray> dictionary;
};

// An array without nulls. `buffers` has the buffers after that of the nulls.
inline ArrowArray make_array(size_t length, std::vector<const void*> buffers, std::vector<std::shared_ptr<const void>> owners,
                             std::vector<ArrowArray> children = {}, const ArrowArray* dictionary = nullptr) {
    auto* const parts = new ArrayParts{std::move(buffers), std::move(owners), {children.begin(), children.end()}, {}, nullptr};
    parts->buffers.insert(parts->buffers.begin(), nullptr);
    for (ArrowArray& child : parts->children) parts->pointers.push_back(&child);
    if (dictionary) parts->dictionary = std::make_unique<ArrowArray>(*dictionary);
    return {static_cast<int64_t>(length),
            0,
            0,
            static_cast<int64_t>(parts->buffers.size()),
            static_cast<int64_t>(children.size()),
            parts->buffers.data(),
            parts->pointers.data(),
            parts->dictionary.get(),
            release_parts<ArrayParts, ArrowArray>,
            parts};
}

}  // namespace tagpool
