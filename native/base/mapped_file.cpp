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
        throw InputFault(std::string("cannot read the file: ") + std::strerror(errno));
    }
    struct stat status{};
    const bool known = fstat(file, &status) == 0;
    if (known && S_ISDIR(status.st_mode)) {
        close(file);
        throw InputFault("expected a model file, got a folder");
    }
    if (!known || !S_ISREG(status.st_mode) || status.st_size == 0) {
        close(file);
        throw InputFault(known && S_ISREG(status.st_mode) ? "the file is empty" : "expected a model file, got a device or socket");
    }
    const auto size = static_cast<size_t>(status.st_size);
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const int error = errno;
    close(file);
    if (data == MAP_FAILED) throw InputFault(std::string("cannot map the file into memory: ") + std::strerror(error));
    std::shared_ptr<const void> owner(data, [size](const void* mapped) { munmap(const_cast<void*>(mapped), size); });
    return {{static_cast<const char*>(data), size}, std::move(owner)};
}

}  // namespace tagpool
