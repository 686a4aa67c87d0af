// Memory-mapped files.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace tagpool {

struct FileBytes {
    std::string_view bytes;
    std::shared_ptr<const void> owner;  // keeps the mapping alive
};

// Maps a file into memory. Throws InputFault with the reason if that fails.
FileBytes map_file(const std::string& path);

}  // namespace tagpool
