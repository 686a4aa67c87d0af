// Bytes of a model file: a private copy in memory, or (on request) the file mapped into memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tagpool {

struct FileBytes {
    std::string_view bytes;             // aligned for every type
    std::shared_ptr<const void> owner;  // keeps the bytes alive
};

// Reads a file, or its first `limit` bytes. Later changes of the file have no effect. Throws InputFault with the reason if that fails.
FileBytes read_file(const std::string& path, size_t limit = SIZE_MAX);

// Maps a file into memory: processes share its pages. If the file is modified in place, the bytes change; if it is truncated, reading
// them ends the process (SIGBUS).
FileBytes map_file(const std::string& path);

// Copies bytes to new memory.
FileBytes copy_bytes(std::string_view bytes);

}  // namespace tagpool
