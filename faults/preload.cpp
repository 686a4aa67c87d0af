// A library for LD_PRELOAD that makes the nth event of a kind fail. run.py builds it, and events.py controls it through ctypes.
//
// Events are allocations of the native module, calls of the file system below one folder, and starts of threads. They are counted
// between arm() and disarm(). Blocks that the module allocates are tracked until they are freed, so that leaks are visible.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

// The allocator itself: looking it up with dlsym would allocate.
extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_realloc(void*, size_t);
extern "C" void* __libc_memalign(size_t, size_t);
extern "C" void __libc_free(void*);

namespace {

// Same order as KINDS in events.py.
enum Kind { kAllocation, kOpen, kRead, kWrite, kSync, kClose, kRename, kMap, kChmod, kUnlink, kMkdir, kStat, kLock, kThread, kKinds };
// Short: the call does half of its work. Full: so does the nth call, and all later ones fail, as on a full disk.
enum Mode { kOnce, kForever, kShort, kFull };

// The armed fault -------------------------------------------------------------------------------------------------------

// Counters in memory that forks share, so that the parent sees those of a process that has ended.
struct Counters {
    std::atomic<long> events[kKinds] = {}, fired{0};
};
Counters first_counters;
Counters* counters = &first_counters;
std::atomic<int> armed_kind{-1};
long failing = 0;  // number of the event that fails; 0: none
int mode = kOnce, error_number = EIO;
thread_local bool inside = false;  // an event inside another one, such as an allocation of backtrace()

enum Verdict { kPass, kFail, kHalf };

constexpr long kMostStacks = 1 << 22;
uint64_t* stacks = nullptr;                      // hashes of the call stacks of the events, while they are recorded
uintptr_t code_begin[2] = {}, code_end[2] = {};  // the native module, and libstdc++, which allocates for it

bool is_native(const void* address) {
    const auto place = reinterpret_cast<uintptr_t>(address);
    return (place >= code_begin[0] && place < code_end[0]) || (place >= code_begin[1] && place < code_end[1]);
}

void record_stack(long number) {
    if (!stacks || number > kMostStacks) return;
    inside = true;
    void* frames[24];
    const int depth = backtrace(frames, 24);
    uint64_t hash = 1469598103934665603u;
    for (int i = 2; i < depth; ++i) {
        if (is_native(frames[i])) hash = (hash ^ reinterpret_cast<uintptr_t>(frames[i])) * 1099511628211u;
    }
    stacks[number - 1] = hash;
    inside = false;
}

Verdict next_event(Kind kind) {
    const int armed = armed_kind.load(std::memory_order_relaxed);
    if (armed < 0 || inside) return kPass;
    const long number = ++counters->events[kind];
    if (armed != kind) return kPass;
    record_stack(number);
    if (failing == 0 || number < failing || (number > failing && (mode == kOnce || mode == kShort))) return kPass;
    ++counters->fired;
    if (kind != kAllocation) errno = error_number;
    return mode == kShort || (mode == kFull && number == failing) ? kHalf : kFail;
}

// Live blocks of the native module -----------------------------------------------------------------------------------------

struct Block {
    void* data;
    size_t bytes;
    long number;
};
constexpr size_t kSlots = size_t{1} << 20;
Block* blocks = nullptr;
long live_blocks = 0, next_number = 0;
std::atomic_flag lock = ATOMIC_FLAG_INIT;

struct Guard {
    Guard() {
        while (lock.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Guard() { lock.clear(std::memory_order_release); }
};

size_t slot_of(const void* data) { return (reinterpret_cast<uintptr_t>(data) >> 4) * 0x9E3779B97F4A7C15u >> 44; }

void add_block(void* data, size_t bytes) {
    if (!blocks || !data) return;
    const Guard guard;
    size_t slot = slot_of(data);
    while (blocks[slot].data) slot = (slot + 1) % kSlots;
    blocks[slot] = {data, bytes, ++next_number};
    ++live_blocks;
    if (live_blocks > static_cast<long>(kSlots / 2)) abort();
}

bool remove_block(void* data) {
    if (!blocks || !data) return false;
    const Guard guard;
    size_t slot = slot_of(data);
    while (blocks[slot].data != data) {
        if (!blocks[slot].data) return false;
        slot = (slot + 1) % kSlots;
    }
    --live_blocks;
    blocks[slot].data = nullptr;
    // Later blocks of the same run move up, so that they are found.
    for (size_t next = (slot + 1) % kSlots; blocks[next].data; next = (next + 1) % kSlots) {
        const size_t home = slot_of(blocks[next].data);
        if ((next - home) % kSlots < (next - slot) % kSlots) continue;
        blocks[slot] = blocks[next];
        blocks[next].data = nullptr;
        slot = next;
    }
    return true;
}

void* allocate(size_t bytes, size_t alignment, const void* caller, bool& refused) {
    const bool native = is_native(caller);
    refused = native && next_event(kAllocation) == kFail;
    if (refused) return nullptr;
    void* const data = alignment ? __libc_memalign(alignment, bytes ? bytes : 1) : __libc_malloc(bytes ? bytes : 1);
    if (native) add_block(data, bytes);
    return data;
}

void* allocate_or_throw(size_t bytes, size_t alignment, const void* caller) {
    bool refused = false;
    void* const data = allocate(bytes, alignment, caller, refused);
    if (!data) throw std::bad_alloc();
    return data;
}

void release(void* data) {
    remove_block(data);
    __libc_free(data);
}

// Files --------------------------------------------------------------------------------------------------------------------

char folder[4096];
size_t folder_length = 0;
constexpr int kMostFiles = 4096;
std::atomic<bool> watched[kMostFiles];

bool is_watched(const char* path) { return folder_length && path && (path[0] != '/' || std::strncmp(path, folder, folder_length) == 0); }
bool is_watched(int file) { return file >= 0 && file < kMostFiles && watched[file].load(std::memory_order_relaxed); }
void watch(int file, bool value) {
    if (file >= 0 && file < kMostFiles) watched[file] = value;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Target, class Call>
auto call(Kind kind, Target target, Call&& system_call) -> decltype(system_call()) {
    if (is_watched(target) && next_event(kind) != kPass) return -1;
    return system_call();
}

// A call that opens a file. `arguments` has its permissions if it creates one.
template <class Open>
int open_file(const char* path, int flags, va_list arguments, Open&& system_open) {
    const mode_t permissions = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    const bool is_of_interest = is_watched(path);
    if (is_of_interest && next_event(kOpen) != kPass) return -1;
    const int file = system_open(permissions);
    watch(file, is_of_interest);
    return file;
}

template <class Transfer>
ssize_t transfer(Kind kind, int file, size_t bytes, Transfer&& system_transfer) {
    const Verdict verdict = is_watched(file) ? next_event(kind) : kPass;
    if (verdict == kFail) return -1;
    return system_transfer(verdict == kHalf && bytes > 1 ? bytes / 2 : bytes);
}

}  // namespace

// Control --------------------------------------------------------------------------------------------------------------------

extern "C" {

// Finds the native module and libstdc++ in memory, and begins to track blocks. Paths below `watched_folder` are watched.
int faults_configure(const char* watched_folder) {
    std::strncpy(folder, watched_folder, sizeof folder - 1);
    folder_length = std::strlen(folder);
    const auto find_code = [](dl_phdr_info* info, size_t, void*) {
        const char* const names[2] = {"/tagpool/_native", "/libstdc++.so"};
        for (int i = 0; i < 2; ++i) {
            if (!std::strstr(info->dlpi_name, names[i])) continue;
            for (int part = 0; part < info->dlpi_phnum; ++part) {
                const auto& header = info->dlpi_phdr[part];
                if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
                code_begin[i] = info->dlpi_addr + header.p_vaddr;
                code_end[i] = code_begin[i] + header.p_memsz;
            }
        }
        return 0;
    };
    dl_iterate_phdr(find_code, nullptr);
    void* frames[4];
    backtrace(frames, 4);  // the first call loads a library
    if (!blocks) {
        void* const table = mmap(nullptr, kSlots * sizeof(Block), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        void* const shared = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (table == MAP_FAILED || shared == MAP_FAILED) return 0;
        counters = new (shared) Counters;
        blocks = static_cast<Block*>(table);
    }
    return code_begin[0] && code_begin[1];
}

void faults_watch(int file, int value) { watch(file, value != 0); }

// Counts events from now on. The event `number` of the kind fails; with 0 none does.
void faults_arm(int kind, long number, int new_mode, int new_error) {
    failing = number;
    mode = new_mode;
    error_number = new_error;
    for (auto& number_of_kind : counters->events) number_of_kind = 0;
    counters->fired = 0;
    armed_kind = kind;
}

void faults_disarm() { armed_kind = -1; }
long faults_count(int kind) { return counters->events[kind]; }
long faults_fired() { return counters->fired; }
long faults_live_blocks() { return live_blocks; }
long faults_last_block() { return next_number; }

// The address and size of the live block with the lowest number above `number`; 0 if there is no such block.
long faults_next_block(long number, long* bytes) {
    const Guard guard;
    const Block* first = nullptr;
    for (size_t slot = 0; blocks && slot < kSlots; ++slot) {
        const Block& block = blocks[slot];
        if (block.data && block.number > number && (!first || block.number < first->number)) first = &block;
    }
    if (first) *bytes = static_cast<long>(first->bytes);
    return first ? first->number : 0;
}

// Records the call stacks of events into memory that the caller keeps; nullptr ends that.
void faults_record(uint64_t* hashes) { stacks = hashes; }

// Allocations ----------------------------------------------------------------------------------------------------------------

void* realloc(void* old, size_t bytes) {
    const bool native = is_native(__builtin_return_address(0));
    if (native && bytes && next_event(kAllocation) == kFail) return nullptr;
    const bool was_native = remove_block(old);
    void* const data = __libc_realloc(old, bytes);
    if (native || was_native) add_block(data, bytes);
    return data;
}
void free(void* data) { release(data); }

// Files and threads ----------------------------------------------------------------------------------------------------------

#define OPEN(name)                                                                                                 \
    int name(const char* path, int flags, ...) {                                                                   \
        static auto* const system_open = next<int(const char*, int, ...)>(#name);                                  \
        va_list arguments;                                                                                         \
        va_start(arguments, flags);                                                                                \
        const int file = open_file(path, flags, arguments, [&](mode_t m) { return system_open(path, flags, m); }); \
        va_end(arguments);                                                                                         \
        return file;                                                                                               \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    static auto* const system_close = next<int(int)>("close");
    const bool refused = is_watched(file) && next_event(kClose) != kPass;
    watch(file, false);
    const int result = system_close(file);
    if (!refused) return result;
    errno = error_number;
    return -1;
}

#define DUPLICATE(name)                                                                        \
    int name(int file, int command, ...) {                                                     \
        static auto* const system_fcntl = next<int(int, int, ...)>(#name);                     \
        va_list arguments;                                                                     \
        va_start(arguments, command);                                                          \
        void* const argument = va_arg(arguments, void*);                                       \
        va_end(arguments);                                                                     \
        const int result = system_fcntl(file, command, argument);                              \
        if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) watch(result, is_watched(file)); \
        return result;                                                                         \
    }
DUPLICATE(fcntl)
DUPLICATE(fcntl64)

int dup2(int file, int copy) {
    static auto* const system_dup2 = next<int(int, int)>("dup2");
    watch(copy, is_watched(file));
    return system_dup2(file, copy);
}

ssize_t read(int file, void* data, size_t bytes) {
    static auto* const system_read = next<ssize_t(int, void*, size_t)>("read");
    return transfer(kRead, file, bytes, [&](size_t part) { return system_read(file, data, part); });
}
ssize_t write(int file, const void* data, size_t bytes) {
    static auto* const system_write = next<ssize_t(int, const void*, size_t)>("write");
    return transfer(kWrite, file, bytes, [&](size_t part) { return system_write(file, data, part); });
}

#define CALL(name, kind, target, parameters, ...)                            \
    int name parameters {                                                    \
        static auto* const system_call = next<int parameters>(#name);        \
        return call(kind, target, [&] { return system_call(__VA_ARGS__); }); \
    }
CALL(fsync, kSync, file, (int file), file)
CALL(fdatasync, kSync, file, (int file), file)
CALL(flock, kLock, file, (int file, int operation), file, operation)
CALL(rename, kRename, to, (const char* from, const char* to), from, to)
CALL(renameat, kRename, to, (int folder1, const char* from, int folder2, const char* to), folder1, from, folder2, to)
CALL(unlink, kUnlink, path, (const char* path), path)
CALL(unlinkat, kUnlink, path, (int parent, const char* path, int flags), parent, path, flags)
CALL(chmod, kChmod, path, (const char* path, mode_t permissions), path, permissions)
CALL(fchmodat, kChmod, path, (int parent, const char* path, mode_t permissions, int flags), parent, path, permissions, flags)
CALL(mkdir, kMkdir, path, (const char* path, mode_t permissions), path, permissions)
CALL(stat, kStat, path, (const char* path, struct stat* status), path, status)
CALL(lstat, kStat, path, (const char* path, struct stat* status), path, status)
CALL(fstat, kStat, file, (int file, struct stat* status), file, status)
CALL(fstatat, kStat, path, (int parent, const char* path, struct stat* status, int flags), parent, path, status, flags)
CALL(stat64, kStat, path, (const char* path, struct stat64* status), path, status)
CALL(lstat64, kStat, path, (const char* path, struct stat64* status), path, status)
CALL(fstat64, kStat, file, (int file, struct stat64* status), file, status)
CALL(fstatat64, kStat, path, (int parent, const char* path, struct stat64* status, int flags), parent, path, status, flags)

#define MAP(name)                                                                                \
    void* name(void* address, size_t bytes, int protection, int flags, int file, off_t offset) { \
        static auto* const system_map = next<void*(void*, size_t, int, int, int, off_t)>(#name); \
        if (is_watched(file) && next_event(kMap) != kPass) return MAP_FAILED;                    \
        return system_map(address, bytes, protection, flags, file, offset);                      \
    }
MAP(mmap)
MAP(mmap64)

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    static auto* const system_create = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    if (next_event(kThread) != kPass) return error_number;
    return system_create(thread, attributes, start, argument);
}

}  // extern "C"

// operator new and delete. The caller decides whether an allocation belongs to the native module.
void* operator new(size_t bytes) { return allocate_or_throw(bytes, 0, __builtin_return_address(0)); }
void* operator new[](size_t bytes) { return allocate_or_throw(bytes, 0, __builtin_return_address(0)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
    return allocate_or_throw(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
    return allocate_or_throw(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    bool refused;
    return allocate(bytes, 0, __builtin_return_address(0), refused);
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
    bool refused;
    return allocate(bytes, 0, __builtin_return_address(0), refused);
}
void operator delete(void* data) noexcept { release(data); }
void operator delete[](void* data) noexcept { release(data); }
void operator delete(void* data, size_t) noexcept { release(data); }
void operator delete[](void* data, size_t) noexcept { release(data); }
void operator delete(void* data, std::align_val_t) noexcept { release(data); }
void operator delete[](void* data, std::align_val_t) noexcept { release(data); }
void operator delete(void* data, size_t, std::align_val_t) noexcept { release(data); }
void operator delete[](void* data, size_t, std::align_val_t) noexcept { release(data); }
