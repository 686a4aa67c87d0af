// Byte mutator for Python, where that of libFuzzer is not accessible: changes, inserts or removes one byte.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/hash.hpp"
#include "base/random.hpp"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
    tagpool::Random random(tagpool::xxh64(data, size, max_size));
    const size_t at = random.below(size + 1), kind = random.below(4);
    const auto byte = static_cast<uint8_t>(random.next());
    if (kind == 0 && size < max_size) {
        std::memmove(data + at + 1, data + at, size - at);
        data[at] = byte;
        return size + 1;
    }
    if (at == size) return size;
    if (kind == 1) {
        std::memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    }
    data[at] = kind == 2 ? byte : static_cast<uint8_t>(data[at] ^ (1u << random.below(8)));
    return size;
}
