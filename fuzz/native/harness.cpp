#include "harness.hpp"

#include <sanitizer/allocator_interface.h>

#include <cstdio>
#include <cstdlib>

namespace tagpool::fuzz {
namespace {

constexpr const char* kNumbers = "size";  // the column of numbers in the seeds
constexpr size_t kBaseBytes = size_t{64} << 20, kFactor = 4;

// Heap memory in use since the limit was set.
thread_local int64_t bytes_in_use = 0;
thread_local int64_t limit_bytes = 0;  // 0: no limit

void count_allocation(const volatile void*, size_t size) {
    if (limit_bytes == 0) return;
    bytes_in_use += static_cast<int64_t>(size);
    if (bytes_in_use <= limit_bytes) return;
    const int64_t used = bytes_in_use;
    limit_bytes = 0;
    std::fprintf(stderr, "%lld bytes of memory are in use\n", static_cast<long long>(used));
    require(false, "memory: at most 4 times the input plus 64 MB");
}

void count_release(const volatile void* memory) {
    if (limit_bytes == 0 || memory == nullptr) return;
    bytes_in_use -= static_cast<int64_t>(__sanitizer_get_allocated_size(memory));
}

}  // namespace

MemoryLimit::MemoryLimit(size_t input_size) {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(count_allocation, count_release);
    require(installed != 0, "the allocator accepts hooks");
    bytes_in_use = 0;
    limit_bytes = static_cast<int64_t>(kBaseBytes + kFactor * input_size);
}

MemoryLimit::~MemoryLimit() { limit_bytes = 0; }

void require(bool condition, const char* property) {
    if (condition) return;
    std::fprintf(stderr, "violated: %s\n", property);
    std::abort();
}

Columns make_corpus(const std::vector<std::string>& columns) {
    static const std::vector<std::vector<std::string>> sentences = {
        {"Ann", "Smith", "left", "the", "University", "of", "Oslo", "in", "1998", "."},
        {"SMITH", "3.50", "\xC3\x84rger", "'s", "x", "-", "\xF0\x9F\x98\x80", "\xE4\xB8\xAD\xE6\x96\x87", std::string(300, 'a')},
        {"Smith"},
    };
    ColumnsBuilder builder(columns);
    for (const auto& words : sentences) {
        if (&words != &sentences[1]) builder.start_document();
        for (const std::string& word : words)
            for (size_t column = 0; column < columns.size(); ++column) builder.add(column, columns[column] == kNumbers ? "1.5" : word);
        builder.end_sentence();
    }
    return builder.finish();
}

}  // namespace tagpool::fuzz
