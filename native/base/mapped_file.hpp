// A file as bytes in memory, mapped where the system can.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace tagpool {

struct FileBytes {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
};

// Throws InputFault that says why the file cannot be read.
FileBytes map_file(const std::string& path);

}  // namespace tagpool
