#include "base/model_bytes.hpp"

#if defined(_WIN32) || defined(TAGPOOL_PORTABLE)
#define TAGPOOL_STANDARD_FILES
#endif

#ifdef TAGPOOL_STANDARD_FILES
#include <cstdio>
#include <filesystem>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/aligned.hpp"
#include "base/fault.hpp"

namespace tagpool {
namespace {

constexpr const char *kMissing = "there is no such file", *kFolder = "expected a model file, got a folder",
                     *kDevice = "expected a model file, got a device or socket", *kEmpty = "the file is empty",
                     *kShorter = "the file became shorter while it was read";

[[noreturn]] void fail(const char* action) { throw InputFault(std::string("cannot ") + action + ": " + std::strerror(errno)); }

// Uninitialised memory; huge pages if it is large.
std::shared_ptr<char> allocate(size_t size) {
    AlignedAllocator<char> allocator;
    return {allocator.allocate(size), [size](char* data) { AlignedAllocator<char>().deallocate(data, size); }};
}

#ifdef TAGPOOL_STANDARD_FILES

std::filesystem::path path_of(const std::string& utf8) { return std::u8string(utf8.begin(), utf8.end()); }

// A regular file that is open for reading, through the standard library.
class OpenFile {
public:
    explicit OpenFile(const std::string& name) {
        const std::filesystem::path path = path_of(name);
        std::error_code error;
        const std::filesystem::file_status status = std::filesystem::status(path, error);
        if (!std::filesystem::exists(status)) throw InputFault(kMissing);
        if (std::filesystem::is_directory(status)) throw InputFault(kFolder);
        if (!std::filesystem::is_regular_file(status)) throw InputFault(kDevice);
        size_ = static_cast<size_t>(std::filesystem::file_size(path, error));
        if (error || size_ == 0) throw InputFault(kEmpty);
#ifdef _WIN32
        file_ = _wfopen(path.c_str(), L"rb");
#else
        file_ = std::fopen(path.c_str(), "rb");
#endif
        if (!file_) fail("read the file");
    }
    OpenFile(const OpenFile&) = delete;
    ~OpenFile() { std::fclose(file_); }

    size_t size() const { return size_; }
    // Reads some bytes; 0 at the end.
    size_t read(char* to, size_t count) const {
        const size_t done = std::fread(to, 1, count, file_);
        if (done == 0 && std::ferror(file_)) fail("read the file");
        return done;
    }

private:
    std::FILE* file_ = nullptr;
    size_t size_ = 0;
};

#else

// A regular file that is open for reading.
class OpenFile {
public:
    explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (file_ < 0) {
            if (errno == ENOENT) throw InputFault(kMissing);
            fail("read the file");
        }
        struct stat status{};
        const bool known = fstat(file_, &status) == 0;
        const char* const problem = known && S_ISDIR(status.st_mode)     ? kFolder
                                    : !known || !S_ISREG(status.st_mode) ? kDevice
                                    : status.st_size == 0                ? kEmpty
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
    // Reads some bytes; 0 at the end.
    size_t read(char* to, size_t count) const {
        while (true) {
            const ssize_t done = ::read(file_, to, count);
            if (done >= 0) return static_cast<size_t>(done);
            if (errno != EINTR) fail("read the file");
        }
    }

private:
    int file_;
    size_t size_ = 0;
};

#endif

}  // namespace

FileBytes read_file(const std::string& path, size_t limit) {
    const OpenFile file(path);
    const size_t size = std::min(file.size(), limit);
    const std::shared_ptr<char> data = allocate(size);
    for (size_t done = 0; done < size;) {
        const size_t count = file.read(data.get() + done, size - done);
        if (count == 0) throw InputFault(kShorter);
        done += count;
    }
    return {{data.get(), size}, data};
}

FileBytes map_file(const std::string& path) {
#ifdef TAGPOOL_STANDARD_FILES
    return read_file(path);
#else
    const OpenFile file(path);
    const size_t size = file.size();
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
    if (data == MAP_FAILED) fail("map the file into memory");
    std::shared_ptr<const void> owner(data, [size](const void* mapped) { munmap(const_cast<void*>(mapped), size); });
    return {{static_cast<const char*>(data), size}, std::move(owner)};
#endif
}

FileBytes copy_bytes(std::string_view bytes) {
    const std::shared_ptr<char> data = allocate(std::max<size_t>(bytes.size(), 1));
    if (!bytes.empty()) std::memcpy(data.get(), bytes.data(), bytes.size());
    return {{data.get(), bytes.size()}, data};
}

}  // namespace tagpool
