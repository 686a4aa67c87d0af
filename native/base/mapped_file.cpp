#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fault.hpp"

namespace tagpool {

FileBytes map_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENOENT) throw InputFault("there is no such file");
        throw InputFault(std::string("cannot be read: ") + std::strerror(errno));
    }
    struct stat about {};
    const bool known = fstat(file, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) {
        close(file);
        throw InputFault("expected a model file, got a folder");
    }
    if (!known || !S_ISREG(about.st_mode) || about.st_size == 0) {
        close(file);
        throw InputFault(known && S_ISREG(about.st_mode) ? "the file is empty" : "expected a model file, got something that is no file");
    }
    const auto size = static_cast<size_t>(about.st_size);
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int reason = errno;
    close(file);
    if (data == MAP_FAILED) throw InputFault(std::string("cannot be mapped into memory: ") + std::strerror(reason));
    std::shared_ptr<const void> owner(data, [size](const void* mapped) { munmap(const_cast<void*>(mapped), size); });
    return {{static_cast<const char*>(data), size}, std::move(owner)};
}

}  // namespace tagpool
