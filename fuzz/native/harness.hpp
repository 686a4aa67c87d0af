// Support of the fuzz targets: a limit on memory, and InputFault as the only error that a target may throw.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/columns.hpp"

namespace tagpool::fuzz {

// Limits the heap memory of a scope to 4 times the input plus 64 MB; aborts the process beyond that.
class MemoryLimit {
public:
    explicit MemoryLimit(size_t input_size);
    ~MemoryLimit();
    MemoryLimit(const MemoryLimit&) = delete;
};

// Aborts with a message, which libFuzzer reports as a finding.
void require(bool condition, const char* property);

// A small corpus with two documents, three sentences and these columns. Words are ordinary, odd and long.
Columns make_corpus(const std::vector<std::string>& columns);

}  // namespace tagpool::fuzz

// Defines the entry point of libFuzzer: calls `check(input)` and ignores InputFault.
#define TAGPOOL_FUZZ_TARGET(check)                                              \
    extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {   \
        const tagpool::fuzz::MemoryLimit limit(size);                           \
        try {                                                                   \
            check(std::string_view(reinterpret_cast<const char*>(data), size)); \
        } catch (const tagpool::InputFault&) {                                  \
        }                                                                       \
        return 0;                                                               \
    }
