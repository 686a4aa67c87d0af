#include "base/model_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/aligned.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

// A regular file that is open for reading.
class OpenFile {
public:
    explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_ < 0) {
            if (errno == ENOENT) throw InputFault("there is no such file");
            throw InputFault(std::string("cannot read the file: ") + std::strerror(errno));
        }
        struct stat status{};
        const bool known = fstat(file_, &status) == 0;
        const char* const problem = known && S_ISDIR(status.st_mode)     ? "expected a model file, got a folder"
                                    : !known || !S_ISREG(status.st_mode) ? "expected a model file, got a device or socket"
                                    : status.st_size == 0                ? "the file is empty"
                                                                         : nullptr;
        if (problem) {
            close(file_);
            throw InputFault(problem);
        }
        size_ = static_cast<size_t>(status.st_size);
    }
    OpenFile(const OpenFile&) = delete;
    ~OpenFile() { close(file_); }

    size_t size() const { return size_; }
    int descriptor() const { return file_; }

private:
    int file_;
    size_t size_ = 0;
};

// Uninitialised memory; huge pages if it is large.
std::shared_ptr<char> allocate(size_t size) {
    AlignedAllocator<char> allocator;
    return {allocator.allocate(size), [size](char* data) { AlignedAllocator<char>().deallocate(data, size); }};
}

}  // namespace

FileBytes read_file(const std::string& path, size_t limit) {
    const OpenFile file(path);
    const size_t size = std::min(file.size(), limit);
    const std::shared_ptr<char> data = allocate(size);
    for (size_t done = 0; done < size;) {
        const ssize_t count = read(file.descriptor(), data.get() + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw InputFault(std::string("cannot read the file: ") + std::strerror(errno));
        if (count == 0) throw InputFault("the file became shorter while it was read");
        done += static_cast<size_t>(count);
    }
    return {{data.get(), size}, data};
}

FileBytes map_file(const std::string& path) {
    const OpenFile file(path);
    const size_t size = file.size();
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED) throw InputFault(std::string("cannot map the file into memory: ") + std::strerror(errno));
    std::shared_ptr<const void> owner(data, [size](const void* mapped) { munmap(const_cast<void*>(mapped), size); });
    return {{static_cast<const char*>(data), size}, std::move(owner)};
}

FileBytes copy_bytes(std::string_view bytes) {
    const std::shared_ptr<char> data = allocate(std::max<size_t>(bytes.size(), 1));
    if (!bytes.empty()) std::memcpy(data.get(), bytes.data(), bytes.size());
    return {{data.get(), bytes.size()}, data};
}

}  // namespace tagpool
